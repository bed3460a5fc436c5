"""Thresholds against brute force: every design of a small space judged at and beside them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.grid import name_of
from splitwise_plan.planner.outcome import best_of
from splitwise_plan.planner.space import designs, objective
from splitwise_plan.questions.sensitivity.analysis import (
    Counting,
    SensitivityResult,
    Threshold,
    sensitivity,
)
from splitwise_plan.questions.sensitivity.challengers import Rivals
from splitwise_plan.questions.sensitivity.knobs import counts, knobs
from splitwise_plan.questions.sensitivity.money import Lines, first_crossing, proven_crossing
from splitwise_plan.questions.sensitivity.thresholds import MOST, PRECISION
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario

SMALL: dict[str, Any] = {
    "rate": 4,
    "duration": 35,
    "horizon": "window",
    "max_seeds": 3,
    "prompt_machines": "1:5",
    "token_machines": "1:4",
    "machines": "1:6",
    "families": ["splitwise-hh", "splitwise-ha", "splitwise-hhcap", "baseline-h100"],
}
BESIDE = 1e-4


def scenario_of(**keys: Any) -> Scenario:
    return load_scenario(Catalog(), None, {**SMALL, **keys})


@cache
def shaken(minimize: str = "cost", of: str = "design", savings: float = 0.0) -> SensitivityResult:
    counting = Counting(of, savings)  # type: ignore[arg-type]
    return sensitivity(scenario_of(minimize=minimize), counting, 2)


def winner_of(result: SensitivityResult) -> Design:
    assert result.winner is not None
    return result.winner.evaluation.design


def at(scenario: Scenario, design: Design) -> Design:
    """A design of the scenario's own machines."""
    family = next(s.family for s in scenario.spaces if s.family.id == design.family.id)
    return Design(family, design.prompt_machines, design.token_machines)


def better(scenario: Scenario, winner: Design, savings: float = 0.0) -> list[Design]:
    """By brute force: designs that meet the SLOs at a lower objective."""
    level = (1.0 - savings) * objective(scenario, at(scenario, winner)) * (1.0 - 1e-9)
    evaluator = Evaluator(scenario)
    return [
        design
        for space in scenario.spaces
        for design in designs(space)
        if objective(scenario, design) < level and evaluator.judge(design).verdict == "meets"
    ]


def timed(result: SensitivityResult) -> list[Threshold]:
    return [one for one in result.thresholds if not one.knob.is_money]


def money(result: SensitivityResult) -> list[Threshold]:
    return [one for one in result.thresholds if one.knob.is_money]


def test_the_winner_is_that_of_a_search() -> None:
    result = shaken()
    found = best_of(search(result.scenario, 2))
    assert found is not None
    assert name_of(winner_of(result)) == name_of(found)


def test_there_are_two_thresholds_for_each_number() -> None:
    result = shaken()
    names = [one.knob.name for one in result.thresholds]
    machines = ["dgx-h100", "dgx-a100"]
    expected = ["prompt time", "token time", "transfer time", "load"]
    expected += [f"{kind} of {one}" for kind in ("price", "power") for one in machines]
    assert names == [name for name in expected for _ in range(2)]
    assert [one.way for one in result.thresholds] == ["down", "up"] * len(expected)


def test_inside_the_winner_meets_and_outside_something_has_changed() -> None:
    result = shaken()
    winner = winner_of(result)
    assert any(one.outside for one in timed(result))
    for one in timed(result):
        inside = one.knob.apply(result.scenario, one.inside)
        assert Evaluator(inside).judge(winner).verdict == "meets"
        if one.way == "down":
            assert not better(inside, winner)
        if one.outside is None:
            assert one.inside in (MOST, 1.0 / MOST)
            continue
        ratio = one.outside / one.inside
        assert max(ratio, 1.0 / ratio) <= 1.0 + PRECISION + 1e-9
        outside = one.knob.apply(result.scenario, one.outside)
        assert one.change is not None
        if one.change.what == "better":
            assert one.change.best is not None
            least = min(objective(outside, d) for d in better(outside, winner))
            assert objective(outside, one.change.best) == least
            assert one.change.ratio is not None
            assert one.change.ratio < 1.0
        else:
            verdict = Evaluator(outside).judge(winner).verdict
            assert verdict != "meets"
            assert (one.change.what == "undecided") == (verdict == "undecided")
            assert one.change.target is not None
            found = best_of(search(replace(outside, method="exhaustive"), 2))
            assert (found is None) == (one.change.best is None)
            if found is not None and one.change.best is not None:
                assert objective(outside, found) == objective(outside, one.change.best)


@pytest.mark.parametrize("minimize", ["cost", pytest.param("power", marks=pytest.mark.verify)])
def test_prices_and_powers_cross_where_brute_force_says(minimize: str) -> None:
    result = shaken(minimize)
    winner = winner_of(result)
    found = money(result)
    assert any(one.outside for one in found)
    for one in found:
        assert one.proven
        end = one.inside
        before, after = (
            one.knob.apply(result.scenario, 1.0 + (end - 1.0) * share)
            for share in (1.0 - BESIDE, 1.0 + BESIDE)
        )
        assert not better(before, winner)
        if one.outside is None:
            assert one.inside in (MOST, 1.0 / MOST)
            continue
        names = {name_of(design) for design in better(after, winner)}
        assert one.change is not None
        assert one.change.best is not None
        assert name_of(one.change.best) in names


def test_what_is_not_minimized_does_not_count() -> None:
    result = shaken("cost")
    for one in money(result):
        counted = counts(result.scenario, one.knob)
        assert counted == (one.knob.kind == "price")
        assert counted or one.outside is None


def test_capped_machines_have_the_price_of_the_machine() -> None:
    [price] = [
        one
        for one in knobs(shaken().scenario)
        if one.kind == "price" and one.machine and one.machine.id == "dgx-h100"
    ]
    scaled = price.apply(shaken().scenario, 2.0)
    machines = {m.id: m.cost_usd_per_hour for s in scaled.spaces for m in s.family.machines}
    assert machines == {"dgx-h100": 76.0, "dgx-h100-cap70": 76.0, "dgx-a100": 17.6}


@pytest.mark.verify
def test_small_savings_can_be_ignored() -> None:
    every, large = shaken(), shaken(savings=0.25)
    winner = winner_of(every)
    for one, other in zip(every.thresholds, large.thresholds, strict=True):
        if one.change is None or one.change.what != "better":
            continue
        away = [x.outside if x.outside is not None else x.inside for x in (one, other)]
        assert max(away[1], 1 / away[1]) >= max(away[0], 1 / away[0]) - 1e-9
        if other.change is not None and other.change.what == "better" and other.outside:
            scenario = other.knob.apply(every.scenario, other.outside)
            if not other.knob.is_money:
                assert better(scenario, winner, 0.25)


@pytest.mark.verify
def test_families_hold_longer_than_designs() -> None:
    """Where the best design is of another family, the design has changed before."""
    designs_, families = shaken(), shaken(of="family")
    for one, other in zip(designs_.thresholds, families.thresholds, strict=True):
        if other.outside is None or other.change is None:
            continue
        if not other.knob.is_money:
            scenario = other.knob.apply(designs_.scenario, other.outside)
            best = best_of(search(replace(scenario, method="exhaustive"), 2))
            assert (best is None) == (other.change.what == "nothing meets")
            if best is not None:
                assert best.family.id != winner_of(designs_).family.id
        elif one.outside is not None:
            assert abs(other.outside - 1.0) >= abs(one.outside - 1.0) - 1e-9


def test_a_proof_finds_what_was_not_known() -> None:
    """From the winner alone, the crossing is that of all designs that meet."""
    result = shaken("cost")
    winner = winner_of(result)
    around = Rivals(result.scenario, winner, 0.0, 2)
    every, whole = around.frontier([], whole=True)
    assert whole
    for one in money(result):
        lines = Lines(result.scenario, one.knob)
        expected = first_crossing(lines, [winner], [d for d in every if d != winner], one.way)
        found = proven_crossing(lines, around, [winner], one.way)
        assert (found is None) == (expected is None)
        if found is not None and expected is not None:
            assert found.factor == pytest.approx(expected.factor, rel=1e-6)


def test_no_winner_no_thresholds() -> None:
    result = sensitivity(scenario_of(rate=60), Counting(), 2)
    assert result.winner is None
    assert result.thresholds == ()


@pytest.mark.verify
def test_jobs_change_nothing() -> None:
    def told(jobs: int) -> list[tuple[object, ...]]:
        result = sensitivity(
            scenario_of(families=["splitwise-hh"], machines=None), Counting(), jobs
        )
        return [(o.knob.name, o.inside, o.outside, repr(o.change)) for o in result.thresholds]

    assert told(1) == told(2)


@pytest.mark.verify
def test_exhaustive_leaves_nothing_out() -> None:
    """Also where times or the load grow, which otherwise only the winner is judged at."""
    keys = {"families": ["splitwise-hh", "splitwise-ha"], "machines": None}
    asked = scenario_of(method="exhaustive", **keys)
    result = sensitivity(asked, Counting(), 2)
    winner = winner_of(result)
    for one in result.thresholds:
        assert one.proven
        if not one.knob.is_money:
            assert not better(one.knob.apply(asked, one.inside), winner)
    quick = sensitivity(scenario_of(**keys), Counting(), 2)
    assert [one.proven for one in timed(quick)] == [one.way == "down" for one in timed(quick)]
