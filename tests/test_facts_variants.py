"""Families by name: pairs of machines, power caps between the profile's, tensor parallelism."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Literal

import numpy as np
import pytest
from commands import SMALL, run

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.family_names import FamilyName
from splitwise_plan.facts.profile import Curve
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.sampling import requests_for
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.simulator import Simulator

CATALOG = Catalog()


def load(**given: Any) -> Scenario:
    return load_scenario(
        Catalog(), None, {"rate": 10, "duration": 20, "horizon": "window", **given}
    )


def ids(scenario: Scenario) -> list[str]:
    return [space.family.id for space in scenario.spaces]


def last_tokens(scenario: Scenario, prompt: int, token: int) -> list[float]:
    """When each request of the first family's design finishes."""
    simulator = Simulator.of(scenario, requests_for(scenario, 0))
    run = simulator.run(Design(scenario.spaces[0].family, prompt, token))
    times: list[float] = run.requests.last_token_s.tolist()
    return times


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("splitwise-hh", ("splitwise-hh", None, None)),
        ("splitwise-hh@85%", ("splitwise-hh", 0.85, None)),
        ("splitwise-hh:tp4", ("splitwise-hh", None, 4)),
        ("dgx-a100+dgx-h100@72.5%:tp2", ("dgx-a100+dgx-h100", 0.725, 2)),
        ("dgx-h100@80%+dgx-a100", ("dgx-h100@80%+dgx-a100", None, None)),
        ("strange:tp", ("strange:tp", None, None)),
    ],
)
def test_names_have_parts_and_parts_give_the_name(
    name: str, parts: tuple[str, float | None, int | None]
) -> None:
    found = FamilyName.parse(name)
    assert (found.base, found.cap, found.tensor_parallel) == parts
    assert str(found) == name


def test_a_pair_of_machines_is_the_family_that_has_them() -> None:
    named, listed = load(families=["dgx-h100+dgx-a100"]), load(families=["splitwise-ha"])
    assert last_tokens(named, 3, 2) == last_tokens(listed, 3, 2)
    assert named.spaces[0].family.name == "DGX-H100 + DGX-A100"


def test_one_machine_is_one_pool() -> None:
    named, listed = load(families=["dgx-h100"]), load(families=["baseline-h100"])
    assert named.spaces[0].family.has_one_pool
    assert last_tokens(named, 6, 0) == last_tokens(listed, 6, 0)


@pytest.mark.parametrize(("cap", "machine"), [("70%", "dgx-h100-cap70"), ("100%", "dgx-h100")])
def test_a_cap_that_was_profiled_is_that_machine(cap: str, machine: str) -> None:
    assert CATALOG.machine(f"dgx-h100@{cap}") == CATALOG.machine(machine)
    family = CATALOG.family(f"splitwise-hh@{cap}")
    assert (family.prompt_machine.id, family.machines[1].id) == ("dgx-h100", machine)


@pytest.mark.parametrize("percent", [70.5, 80, 85, 99])
def test_between_two_caps_everything_is_between(percent: float) -> None:
    low, high = CATALOG.machine("dgx-h100-cap70"), CATALOG.machine("dgx-h100")
    machine = CATALOG.machine(f"dgx-h100@{percent}%")
    assert machine.between == (low.id, high.id)
    assert machine.provisioned_power_w == pytest.approx(percent / 100 * 10_200)
    assert machine.paper_power == pytest.approx(percent / 100 * 44)
    assert machine.cost_usd_per_hour == high.cost_usd_per_hour
    of = {m.id: CATALOG.profile(m.profile, "bloom-176b", 8) for m in (low, high, machine)}
    for field in fields(of[low.id]):
        curve = getattr(of[machine.id], field.name)
        if not isinstance(curve, Curve):
            continue
        ends = np.stack([getattr(of[m.id], field.name).y for m in (low, high)])
        assert (curve.y >= ends.min(axis=0) - 1e-12).all()
        assert (curve.y <= ends.max(axis=0) + 1e-12).all()
    slower = of[machine.id].prompt_time.y / of[high.id].prompt_time.y
    np.testing.assert_allclose(slower, 1 + 0.3 * (100 - percent) / 30, rtol=1e-8)


@pytest.mark.parametrize(
    ("families", "problem"),
    [
        (["splitwise-hh@50%"], "dgx-h100@50% is outside the caps that were profiled (choose 70 %"),
        (["splitwise-aa@80%"], "dgx-a100@80%: no profile under a cap is known"),
        (["dgx-h100+dgx-x100"], "unknown machine 'dgx-x100'"),
        (["dgx-h100+dgx-h100+dgx-h100"], "unknown family"),
        (["splitwise-hx"], "did you mean 'splitwise-hh'?"),
        (["splitwise-hh:tp3"], "tensor_parallel 3 does not divide the 8 GPUs of dgx-h100"),
        (["splitwise-hh:tp4"], "bloom-176b on dgx-h100 has no profile at 4 GPUs"),
    ],
)
def test_names_of_nothing_are_told(families: list[str], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        load(families=families)
    assert problem in str(caught.value)


def test_caps_and_parallelism_make_variants_of_each_family() -> None:
    scenario = load(
        llm="llama2-70b",
        families=["splitwise-hh", "splitwise-aa", "splitwise-ha:tp2"],
        tensor_parallel=[4, 8],
        power_caps=[0.7, 1.0],
    )
    assert ids(scenario) == [
        *("splitwise-hh@70%:tp4", "splitwise-hh@70%:tp8"),
        *("splitwise-hh@100%:tp4", "splitwise-hh@100%:tp8"),
        *("splitwise-aa:tp4", "splitwise-aa:tp8"),
        "splitwise-ha:tp2",
    ]
    assert scenario.tensor_parallel == 8
    assert {degree for _, degree in scenario.profiles} == {2, 4, 8}


def test_variants_share_the_reference_of_slowdowns() -> None:
    given = {"llm": "llama2-70b", "tensor_parallel": [2, 8]}
    scenario = load(families=["splitwise-hh"], **given)
    alone = load(llm="llama2-70b", families=["splitwise-hh"])
    [ours, theirs] = [Simulator.of(one, requests_for(one, 0)).alone_s for one in (scenario, alone)]
    np.testing.assert_array_equal(ours, theirs)


def test_a_resolved_scenario_names_its_variants(tmp_path: Any) -> None:
    scenario = load(
        llm="llama2-70b",
        families=["splitwise-hh", "dgx-a100+dgx-h100"],
        tensor_parallel=[4, 8],
        power_caps=[0.85, 1],
        kv_transfer="layerwise",
        prompt_machines="1:3",
    )
    path = tmp_path / "resolved.toml"
    path.write_text(scenario.resolved_toml, encoding="utf-8")
    again = load_scenario(Catalog(), path)
    assert again.resolved_toml == scenario.resolved_toml
    assert again.spaces == scenario.spaces
    assert again.assumptions == scenario.assumptions


def test_ranges_of_a_family_are_those_of_its_variants() -> None:
    ranges = {"splitwise-hh": {"prompt_machines": "2:3"}, "splitwise-aa@x": {}}
    with pytest.raises(InputError, match="ranges of unknown family 'splitwise-aa@x'"):
        load(families=["splitwise-hh"], ranges=ranges)
    del ranges["splitwise-aa@x"]
    scenario = load(families=["splitwise-hh"], ranges=ranges, power_caps=[0.7, 0.8])
    assert {space.prompt_machines.low for space in scenario.spaces} == {2}


def test_caps_that_nothing_has_are_refused() -> None:
    with pytest.raises(InputError, match="power_caps has no effect"):
        load(families=["splitwise-aa"], power_caps=[0.8])


@pytest.mark.parametrize("mode", ["serialized", "layerwise"])
def test_the_transfer_may_be_chosen_without_other_assumptions(
    mode: Literal["serialized", "layerwise"],
) -> None:
    chosen, own = load(families=["splitwise-hh"], kv_transfer=mode), load(families=["splitwise-hh"])
    assert chosen.assumptions == replace(own.assumptions, kv_transfer=mode)
    assert last_tokens(chosen, 4, 2) != last_tokens(own, 4, 2)
    told = run("simulate", *SMALL, "--kv-transfer", mode, *_DESIGN)
    assert f"measured but {mode} KV transfer" in " ".join(told.stdout.split())


_DESIGN = ("--family", "splitwise-hh@85%", "--prompt-machines", "2", "--token-machines", "1")


def test_reports_say_what_was_interpolated() -> None:
    told = run("simulate", *SMALL, *_DESIGN)
    between = "dgx-h100@85% between dgx-h100-cap70 and dgx-h100"
    assert between in " ".join(told.stdout.split())


def test_the_best_variant_is_found() -> None:
    given = {"workload": "conversation", "rate": 8, "duration": 40, "minimize": "power"}
    scenario = load(families=["splitwise-hh"], power_caps=[0.7, 0.85, 1], **given)
    result = search(scenario, 1)
    assert result.best is not None
    assert result.best.family.id == "splitwise-hh@70%"
    alone = search(load(families=["splitwise-hhcap"], **given), 1)
    assert alone.best is not None
    assert alone.best.best is not None
    assert result.best.best is not None
    [one, other] = [found.best.evaluation for found in (result.best, alone.best) if found.best]
    assert (one.design.label, one.margin) == (other.design.label, other.margin)


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "--family", "splitwise-hh", "--prompt-machines", "2", "--token-machines", "1"),
        ("sweep", "map", "--family", "splitwise-hh", "--rate", "5"),
        ("sweep", "load", "--designs", "splitwise-hh:4+1", "--rates", "5"),
    ],
)
def test_commands_about_one_family_do_not_take_several(words: tuple[str, ...]) -> None:
    told = run(*words, "--llm", "llama2-70b", "--tensor-parallel", "4,8")
    assert told.exit_code == 2
    assert "splitwise-hh:tp4, splitwise-hh:tp8" in " ".join(told.stderr.split())


@pytest.mark.parametrize(
    "words",
    [
        (
            *("simulate", "--rate", "2", "--family", "splitwise-hh:tp4"),
            *("--prompt-machines", "2", "--token-machines", "1"),
        ),
        ("sweep", "load", "--designs", "splitwise-hh@85%:tp4:2+1", "--rates", "2"),
    ],
    ids=["simulate", "sweep"],
)
def test_a_variant_can_be_simulated_and_swept(words: tuple[str, ...]) -> None:
    told = run(*words, "--llm", "llama2-70b", "--duration", "75", "--horizon", "window")
    assert told.exit_code in (0, 3), told.stderr
    assert "TP 4" in told.stdout
