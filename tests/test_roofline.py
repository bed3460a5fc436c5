"""Estimates for machines that nobody measured: near where it is known, and always marked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import run, run_json
from reference import ROOT

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.profile import Profile
from splitwise_plan.models.performance import context_slope
from splitwise_plan.models.roofline import estimated_profile, with_estimates
from splitwise_plan.scenario.load import load_scenario

NEW = ("h200", "b200", "mi300x", "l40s")
FAMILIES = """
[new]
name = "New"
prompt_machine = "h200"
prompt_machines = { low = 1, high = 4, unit = "machines", source = "a test" }
"""
LLAMA = ("--llm", "llama-3.1-70b", "--workload", "conversation")
LOAD = ("--rate", "5", "--duration", "30", "--horizon", "window")
DESIGN = ("--family", "new", "--machines", "2", *LOAD)
ASKED = ("--missing-profiles", "estimate")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    facts = tmp_path / "facts"
    facts.mkdir()
    (facts / "families.toml").write_text(FAMILIES)
    return str(facts)


def estimate(machine: Machine, degree: int = 8, llm: str = "llama-3.1-70b") -> Profile:
    return estimated_profile(machine, Catalog().llm(llm), degree, Catalog().roofline())


def with_peaks(machine: str, tflops: float, gb_per_s: float) -> Machine:
    return replace(
        Catalog().machine(machine),
        gpu_flops_per_s=1e12 * tflops,
        gpu_bandwidth_bytes_per_s=1e9 * gb_per_s,
    )


@pytest.mark.parametrize(
    "machine",
    [with_peaks("dgx-a100", 312, 2039), with_peaks("dgx-h100", 989, 3352)],
    ids=lambda machine: machine.id,
)
def test_estimates_are_near_what_was_measured(machine: Machine) -> None:
    known, guess = Catalog().profile(machine.id, "llama-3.1-70b", 8), estimate(machine)
    prompts = [guess.prompt_time(x) / known.prompt_time(x) for x in (256, 1024, 2048, 8192)]
    tokens = [guess.token_time_by_batch(n) / known.token_time_by_batch(n) for n in (1, 8, 64, 128)]
    assert np.mean(np.abs(np.log(prompts))) < 0.35
    assert np.mean(np.abs(np.log(tokens))) < 0.25


@pytest.mark.parametrize("machine", NEW)
@pytest.mark.parametrize("degree", [1, 2, 4, 8])
def test_more_work_takes_longer_and_more_gpus_less(machine: str, degree: int) -> None:
    one = Catalog().machine(machine)
    profile = estimate(one, degree)
    for curve in (profile.prompt_time, profile.token_time_by_batch, profile.token_time_by_context):
        assert np.all(np.diff(curve.y) >= 0)
        assert np.all(curve.y > 0)
    faster = replace(one, gpu_bandwidth_bytes_per_s=2 * (one.gpu_bandwidth_bytes_per_s or 0))
    assert estimate(faster, degree).token_time_by_batch(1) < profile.token_time_by_batch(1)
    assert profile.prompt_time(8192) > estimate(one, 2 * degree).prompt_time(8192)


def test_a_token_of_context_costs_what_reading_it_takes() -> None:
    h200, catalog = Catalog().machine("h200"), Catalog()
    llm, roofline = catalog.llm("llama-3.1-70b"), catalog.roofline()
    expected = llm.kv_bytes_per_token("kv_heads") / (8 * 4.8e12 * roofline.bandwidth)
    assert context_slope(estimate(h200).token_time_by_context) == pytest.approx(expected)


@pytest.mark.parametrize("machine", NEW)
def test_machines_without_a_profile_say_how_to_get_one(machine: str, tmp_path: Path) -> None:
    assert not [n for n in Catalog().list("profiles") if n.startswith(f"{machine}__")]
    (tmp_path / "families.toml").write_text(FAMILIES.replace("h200", machine))
    refused = run("simulate", *DESIGN, *LLAMA, "--hardware", str(tmp_path))
    assert refused.exit_code == 2
    for said in (f"no profile of llama-3.1-70b on {machine}", "`profile fit`", "`profile import`"):
        assert said in refused.stderr


def test_estimates_are_marked_wherever_they_show(folder: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("--hardware", folder, *LLAMA, *ASKED, *LOAD)
    families = ("--families", "new,baseline-h100", "--machines", "1:4")
    shown = run("search", *words, *families, "--out", str(out), "--quiet", COLUMNS="120").stdout
    assert "times of h200 estimated" in " ".join(shown.split())
    assert "New (estimated)" in shown
    assert "Baseline-H100 (estimated)" not in shown
    for name in ("report.html", "report.md"):
        text = (out / name).read_text()
        assert "New (estimated)" in text, name
        assert "times of h200 estimated" in text, name
    assert 'missing_profiles = "estimate"' in (out / "scenario.toml").read_text()
    again = run_json("search", str(out / "scenario.toml"))
    assert again["provenance"]["estimated_profiles"] == ["h200__llama-3.1-70b"]
    marks = {one["family"]: one["best"]["design"]["estimated"] for one in again["families"]}
    assert marks == {"new": True, "baseline-h100": False}


def test_what_was_measured_is_never_estimated() -> None:
    scenario = load_scenario(
        Catalog(), None, {"missing_profiles": "estimate", "families": ["splitwise-ha"]}
    )
    assert scenario.estimated == ()
    assert with_estimates(scenario).profiles.keys() == scenario.profiles.keys()
    plain = load_scenario(Catalog(), None, {"families": ["splitwise-ha"]})
    assert plain.roofline is None
    assert with_estimates(plain) is plain


def test_a_machine_that_says_nothing_of_its_gpus_cannot_be_estimated(tmp_path: Path) -> None:
    (tmp_path / "families.toml").write_text(FAMILIES.replace("h200", "own"))
    text = (ROOT / "hardware/machines/h200.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("gpu_flops")]
    (tmp_path / "machines").mkdir()
    (tmp_path / "machines/own.toml").write_text(
        "\n".join(lines).replace('profile = "h200"', 'profile = "own"')
    )
    refused = run("simulate", *DESIGN, *LLAMA, *ASKED, "--hardware", str(tmp_path))
    assert refused.exit_code == 2
    assert "own has neither a profile of llama-3.1-70b nor gpu_flops" in refused.stderr


def test_a_broken_profile_is_told_not_estimated_over(folder: str) -> None:
    path = Path(folder) / "profiles/h200__llama-3.1-70b.csv"
    path.parent.mkdir()
    path.write_text("not,a,profile\n1,2,3\n")
    refused = run("simulate", *DESIGN, *LLAMA, *ASKED, "--hardware", folder)
    assert refused.exit_code == 2
    assert "has another header" in refused.stderr


def test_the_papers_rules_work_on_estimates(folder: str) -> None:
    scenario = load_scenario(
        Catalog((Path(folder),)),
        None,
        {"llm": "llama-3.1-70b", "families": ["new"], "assumptions": "splitwisesim"}
        | {"missing_profiles": "estimate", "rate": 5},
    )
    assert with_estimates(scenario).profiles["h200", 8].token_time_by_batch_tokens(1) > 0
    with pytest.raises(InputError):
        load_scenario(Catalog((Path(folder),)), None, {"families": ["new"]})
