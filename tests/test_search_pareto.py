"""The Pareto front against brute force, and dominance against its definition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampled_searches import told

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.design_capacity import Challenge, Reach, Reaching
from splitwise_plan.planner.dominance import Vector, dominates, front, no_worse
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.space import designs
from splitwise_plan.questions.pareto import analysis as pareto_module
from splitwise_plan.questions.pareto.analysis import ParetoResult, bill, is_large, pareto
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario

HIGHEST = 12
"""No design of `question` reaches this many steps: brute force stops here."""

VECTORS = st.lists(st.tuples(*[st.integers(0, 4).map(float)] * 3), max_size=40)
VECTOR = st.tuples(*[st.integers(0, 3).map(float)] * 3)


@given(VECTORS)
def test_the_front_is_what_no_vector_dominates(vectors: list[Vector]) -> None:
    everything = range(len(vectors))
    expected = [
        one
        for one in everything
        if not any(dominates(vectors[o], vectors[one]) for o in everything)
    ]
    assert front(vectors) == expected


@given(VECTORS)
def test_what_is_off_the_front_is_dominated_by_what_is_on_it(vectors: list[Vector]) -> None:
    on_front = front(vectors)
    for position, vector in enumerate(vectors):
        beaten = any(dominates(vectors[other], vector) for other in on_front)
        assert beaten == (position not in on_front)


@given(VECTOR, VECTOR, VECTOR)
def test_dominance_is_a_strict_order(a: Vector, b: Vector, c: Vector) -> None:
    assert not dominates(a, a)
    assert not (dominates(a, b) and dominates(b, a))
    if dominates(a, b) and dominates(b, c):
        assert dominates(a, c)
    assert no_worse(a, b) == (a == b or dominates(a, b))


def question(**keys: Any) -> Scenario:
    small = {
        "duration": 60,
        "horizon": "window",
        "seeds": 1,
        "machines": "1:6",
        "prompt_machines": "1:3",
    }
    families = ["baseline-h100", "splitwise-hh", "splitwise-ha", "splitwise-aa"]
    asked = {"families": families, "rate": 1, "token_machines": "1:3", **small, **keys}
    return replace(load_scenario(Catalog(), None, asked), rate_step_rps=3.0)


def all_designs(scenario: Scenario) -> list[Design]:
    return [d for space in scenario.spaces for d in designs(space)]


def capacity(scenario: Scenario, design: Design) -> int:
    """By every rate in turn, without a bound or a quick look, up to the first that is missed."""
    for level in range(1, HIGHEST + 1):
        rate = level * scenario.rate_step_rps
        arrivals = replace(scenario.arrivals, rate_rps=rate)
        if Evaluator(replace(scenario, arrivals=arrivals)).judge(design).verdict != "meets":
            return level - 1
    raise AssertionError(f"{design.label} reaches {HIGHEST} steps")


def monotone(scenario: Scenario, found: dict[Design, int]) -> bool:
    """Whether no design meets the SLOs again beyond its capacity, as every search assumes."""
    rates = Reaching(scenario).rates
    return not any(
        rates.evaluator(level).judge(design).verdict == "meets"
        for design, reached in found.items()
        for level in range(reached + 2, HIGHEST + 1)
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("seeds", [1, 2])
@pytest.mark.parametrize("workload", ["coding", "conversation"])
def test_the_exact_front_is_that_of_brute_force(workload: str, seeds: int, seed: int) -> None:
    scenario = question(workload=workload, seeds=seeds, max_seeds=seeds, seed=seed)
    found = {design: capacity(scenario, design) for design in all_designs(scenario)}
    assert monotone(scenario, found)
    reaching = {design: level for design, level in found.items() if level}
    vectors = [(-float(level), *bill(scenario, design)) for design, level in reaching.items()]
    expected = {[*reaching.items()][position] for position in front(vectors)}
    result = pareto(scenario, 1, "exhaustive")
    points = {(p.design, round(p.rate_rps / scenario.rate_step_rps)) for p in result.points}
    assert points == expected
    assert result.exact
    assert result.simulated + result.excluded == result.space == len(found)


@pytest.mark.parametrize("method", ["exhaustive", "optuna"])
def test_every_point_meets_at_its_rate_and_not_a_step_beyond(method: Any) -> None:
    scenario = question(seeds=2)
    rates = Reaching(scenario).rates
    result = pareto(scenario, 1, method, budget_trials=24)
    assert result.points
    for point in result.points:
        level = round(point.rate_rps / scenario.rate_step_rps)
        assert rates.evaluator(level).judge(point.design).verdict == "meets"
        assert rates.evaluator(level + 1).judge(point.design).verdict != "meets"
        assert point.cost_usd_per_hour == pytest.approx(point.design.cost_usd_per_hour)
    assert_no_point_dominates_another(scenario, result)


def assert_no_point_dominates_another(scenario: Scenario, result: ParetoResult) -> None:
    vectors = [(-p.rate_rps, *bill(scenario, p.design)) for p in result.points]
    assert front(vectors) == [*range(len(vectors))]
    assert [p.rate_rps for p in result.points] == sorted(p.rate_rps for p in result.points)


@given(st.integers(0, 10_000))
def test_the_exact_front_whatever_the_capacities(seed: int) -> None:
    """Random ones in the place of simulations: more machines may hurt, and ties are many."""
    rng, scenario = np.random.default_rng(seed), question()
    levels = {design: int(rng.integers(0, 6)) for design in all_designs(scenario)}

    def answer(_: Reaching, challenge: Challenge) -> Reach:
        level = levels[challenge.design]
        return Reach(level if level >= challenge.level else 0, 1)

    with (
        patch.object(Reaching, "answer", answer),
        patch.object(Reaching, "excludes", lambda _, one: levels[one.design] < one.level - 2),
        patch.object(pareto_module, "BATCH", int(rng.integers(1, 30))),
    ):
        result = pareto(scenario, 1, "exhaustive")
    reaching = [design for design, level in levels.items() if level]
    vectors = [(-float(levels[design]), *bill(scenario, design)) for design in reaching]
    assert {point.design for point in result.points} == {reaching[n] for n in front(vectors)}


def test_the_sampled_front_of_a_small_space_is_the_exact_one() -> None:
    scenario = question(seed=2)  # one of those above, where capacities are what they are called
    exact, sampled = (pareto(scenario, 1, m, budget_trials=96) for m in ("exhaustive", "optuna"))
    assert not sampled.exact
    assert sampled.points == exact.points


@pytest.mark.parametrize("method", ["exhaustive", "optuna"])
def test_jobs_change_nothing(method: Any) -> None:
    scenario = question()
    one, two = (told(pareto(scenario, jobs, method, budget_trials=24)) for jobs in (1, 2))
    assert one == two


def test_a_sampled_front_goes_on_where_it_was(tmp_path: Any) -> None:
    scenario, storage = question(), str(tmp_path / "journal.log")
    pareto(scenario, 1, "optuna", 24, storage)
    resumed = pareto(scenario, 1, "optuna", 48, storage)
    assert told(resumed) == told(pareto(scenario, 1, "optuna", 48))


def test_small_spaces_are_gone_through_and_large_ones_sampled() -> None:
    assert not is_large(load_scenario(Catalog(), None, {"families": ["splitwise-hh"]}))
    wide = {"prompt_machines": "1:400", "token_machines": "1:400"}
    assert is_large(load_scenario(Catalog(), None, {"families": ["splitwise-hh"], **wide}))


def test_a_replayed_trace_has_no_front() -> None:
    scenario = question()
    replayed = replace(scenario, arrivals=replace(scenario.arrivals, process="trace"))
    with pytest.raises(InputError, match="no rate to vary"):
        pareto(replayed, 1)
