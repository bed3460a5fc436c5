"""Faults that planners of this kind are known for, and that must not be possible here."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from commands import COMMANDS, DESIGN, SMALL, run, run_json
from outcomes import design, details, family_result, scenario, search_result
from reference import ROOT

from splitwise_plan.cli import exits
from splitwise_plan.cli.options import Flags
from splitwise_plan.cli.result_codes import exit_code
from splitwise_plan.questions.search import command as search_command
from splitwise_plan.questions.search import report as searching
from splitwise_plan.questions.search.rows import search_rows
from splitwise_plan.report.formats import jsonfmt

H100 = ROOT / "hardware" / "machines" / "dgx-h100.toml"
HH = ("--families", "splitwise-hh", "--prompt-machines", "1:3", "--token-machines", "1:2")


def own_machine(folder: Path, **lines: str) -> None:
    """A machine `my-gpu` and a family `mine` of it, in a folder of facts."""
    (folder / "machines").mkdir(parents=True)
    text = H100.read_text(encoding="utf-8")
    for key, value in lines.items():
        [line] = [one for one in text.splitlines() if one.startswith(f"{key} =")]
        text = text.replace(line, f"{key} = {value}" if value else "")
    (folder / "machines" / "my-gpu.toml").write_text(text, encoding="utf-8")
    counts = "{ low = 1, high = 9, unit = 'machines', source = 'ours' }"
    family = f"[mine]\nname = 'Mine'\nprompt_machine = 'my-gpu'\nprompt_machines = {counts}\n"
    (folder / "families.toml").write_text(family, encoding="utf-8")


# A GPU without a profile, planned with as if it were another.


@pytest.mark.parametrize("profile", ["", "'h200'"], ids=["its own", "one that nobody measured"])
def test_a_gpu_without_a_profile_is_refused(tmp_path: Path, profile: str) -> None:
    own_machine(tmp_path, profile=profile)
    words = ("--hardware", str(tmp_path), *SMALL)
    for command in (
        ("search", "--families", "mine", *words),
        ("simulate", "--family", "mine", "--machines", "3", *words),
    ):
        result = run(*command)
        assert result.exit_code == exits.BAD_INPUT
        name = profile.strip("'") or "my-gpu"
        assert f"there is no profile of bloom-176b on {name}" in result.stderr
        assert result.stdout == ""


def test_a_profile_of_another_machine_is_used_on_request_only_and_is_named(tmp_path: Path) -> None:
    own_machine(tmp_path, profile="'dgx-a100'")
    words = ("simulate", "--family", "mine", "--machines", "3", *SMALL)
    told = run_json(*words, "--hardware", str(tmp_path))["provenance"]["profiles"]
    assert told == {"my-gpu": ["hardware/profiles/dgx-a100__bloom-176b.csv"]}


def test_a_model_or_degree_without_a_profile_is_refused() -> None:
    result = run("simulate", *DESIGN, *SMALL, "--tensor-parallel", "4")
    assert result.exit_code == exits.BAD_INPUT
    assert "has no profile at 4 GPUs" in result.stderr


# A flag that is accepted and ignored.


class Recorded(dict[str, Any]):
    """The values of flags, with the names of those that were asked for."""

    def __init__(self, values: Any) -> None:
        super().__init__(values)
        self.read: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.read.add(key)
        return super().get(key, default)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_example_works_and_every_flag_of_it_is_read(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorded = Recorded({})
    plain = Flags.__init__

    def recording(self: Flags, values: Any, flags: Any) -> None:
        plain(self, values, flags)
        recorded.update(values)
        self.values = recorded

    monkeypatch.setattr(Flags, "__init__", recording)
    command = COMMANDS[words]
    example = shlex.split(command.example)[1:]
    if "aiconfigurator" in example:
        pytest.importorskip("aiconfigurator")
    monkeypatch.chdir(tmp_path if words == ("init",) else ROOT)
    result = run(*example)
    assert result.exit_code == 0, result.stderr
    assert result.stdout
    elsewhere = {"debug"}  # read by `exits`, before anything else
    assert {flag.name for flag in command.flags} - recorded.read <= elsewhere


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (("search", *HH, *SMALL, "--rate-step", "2"), "--rate-step"),
        (("search", *HH, *SMALL, "--trials", "50"), "--trials"),
        (("search", *HH, *SMALL, "--resume"), "--resume"),
        (("search", *HH, *SMALL, "--machines", "3"), "--machines"),
        (("search", *HH, *SMALL, "--power-budget", "40 kW"), "--power-budget"),
        (("search", *HH, *SMALL, "--region", "west"), "--region"),
        (("search", *HH, *SMALL, "--term", "spot"), "--term"),
        (("simulate", *DESIGN, *SMALL, "--machines", "3"), "--machines"),
        (("simulate", *DESIGN, "--trace", "requests.csv", "--seeds", "3"), "--seeds"),
        (("simulate", *DESIGN, "--trace", "requests.csv", "--workload", "coding"), "--trace"),
        (("pareto", *HH, "--rate", "3"), "--rate"),
        (("profile", "show", "dgx-a100", "bloom-176b", "--measurements", "x"), "--measurements"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_flag_without_an_effect_is_refused(
    words: tuple[str, ...], flag: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "examples" / "own-facts")
    result = run(*words)
    assert result.exit_code == exits.BAD_INPUT
    assert f"\n{flag}: " in result.stderr


# Prices of a GPU and prices of a machine, mixed.


def prices(folder: Path, a100: str, h100: str) -> Path:
    path = folder / "prices.toml"
    tables = "".join(
        f"[regions.here.machines.{machine}]\non-demand = {{ {price}, source = 'a quotation' }}\n"
        for machine, price in {"dgx-a100": a100, "dgx-h100": h100}.items()
    )
    path.write_text(f"name = 'mixed'\ndate = 2026-01-01\n{tables}", encoding="utf-8")
    return path


def test_a_price_that_does_not_say_of_what_is_refused(tmp_path: Path) -> None:
    path = prices(tmp_path, "value = 2.2, unit = 'USD/h'", "value = 38, unit = 'USD/h per machine'")
    result = run("search", *HH, *SMALL, "--prices", str(path))
    assert result.exit_code == exits.BAD_INPUT
    assert f"{path}:4: " in result.stderr
    assert "'USD/h per machine' or 'USD/h per GPU'" in result.stderr


def test_prices_of_gpus_and_of_machines_are_compared_as_machines(tmp_path: Path) -> None:
    a100, h100 = "value = 2.2, unit = 'USD/h per GPU'", "value = 38, unit = 'USD/h per machine'"
    path = prices(tmp_path, a100, h100)
    words = ("--family", "splitwise-ha", "--prompt-machines", "1", "--token-machines", "1")
    found = run_json("simulate", *words, *SMALL, "--prices", str(path))["design"]
    assert found["rent_usd_per_hour"] == pytest.approx(8 * 2.2 + 38)


def test_a_budget_is_one_of_machines() -> None:
    words = ("search", "--maximize", "throughput", "--cost-budget", "40 USD/h per GPU")
    assert run(*words).exit_code == exits.BAD_INPUT


# A search without an answer, reported as if it had one.


@pytest.mark.parametrize("rate", ["12", "60"], ids=["all miss", "all excluded"])
def test_a_search_without_an_answer_says_so_everywhere(rate: str, tmp_path: Path) -> None:
    words = ("search", *HH, "--rate", rate, "--duration", "20", "--horizon", "window")
    result = run(*words, "--out", str(tmp_path))
    assert result.exit_code == exits.NONE_MEETS
    assert "Answer      no design of Splitwise-HH meets the SLOs" in result.stdout
    assert "← best" not in result.stdout
    document = json.loads((tmp_path / "result.json").read_text())
    assert document["best"] is None
    assert [family["best"] for family in document["families"]] == [None]
    assert document["pareto"] == []
    assert "best," not in (tmp_path / "designs.csv").read_text()
    assert "no design meets the SLOs" in (tmp_path / "report.html").read_text()


def test_an_undecided_search_is_not_a_solved_one() -> None:
    asked = scenario()
    near = details(asked, design(asked, "splitwise-hh", 24, 4), "undecided")
    result = search_result(asked, family_result(asked, None, closest=near, undecided=3))
    assert exit_code(result) == exits.UNDECIDED
    document = jsonfmt.search(asked, result, {})
    assert (document["best"], document["families"][0]["status"]) == (None, "undecided")
    assert "undecided: no design" in searching.report(asked, result, {}).text("table")
    assert [row[0] for row in search_rows(asked, result)][1:] == ["closest"]


def test_an_interrupted_search_prints_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(search_command, "_find", interrupted)
    result = run("search", *HH, *SMALL)
    assert (result.exit_code, result.stdout) == (exits.INTERRUPTED, "")


def test_a_sampled_search_says_that_nothing_is_proven(tmp_path: Path) -> None:
    words = ("search", *HH, *SMALL, "--method", "optuna", "--trials", "24")
    result = run(*words, "--study", str(tmp_path / "study.journal"))
    assert result.exit_code == exits.OK
    assert "best found, not proven" in result.stdout
