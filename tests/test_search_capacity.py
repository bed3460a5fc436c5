"""The largest rate under a budget, against brute force on small spaces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.budget import frontier, within_budget
from splitwise_plan.planner.capacity import maximize_rate
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.progress import Progress
from splitwise_plan.planner.rate_search import RateSearch
from splitwise_plan.planner.rates import RateLevels
from splitwise_plan.planner.space import designs
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario


def question(**given: Any) -> Scenario:
    defaults = {
        "maximize": "throughput",
        "duration": 40,
        "horizon": "window",
        "method": "exhaustive",
    }
    return load_scenario(Catalog(), None, {**defaults, **given})


def judge_at(scenario: Scenario, rate_rps: float, design: Design) -> str:
    arrivals = replace(scenario.arrivals, rate_rps=rate_rps)
    return Evaluator(replace(scenario, arrivals=arrivals)).judge(design).verdict


@pytest.mark.parametrize(
    "given",
    [
        {"power_budget": "5xdgx-h100", "family": ["splitwise-hh", "splitwise-ha", "baseline-h100"]},
        {
            "cost_budget": "120 USD/h",
            "family": ["splitwise-aa"],
            "workload": "conversation",
            "duration": 130,
        },
        {
            "power_budget": "4xdgx-h100",
            "family": ["splitwise-hhcap"],
            "assumptions": "splitwisesim",
            "workload": "conversation",
        },
    ],
    ids=["power", "cost", "paper units"],
)
def test_answer_is_the_last_feasible_rate(given: dict[str, Any]) -> None:
    scenario = question(**given)
    result = maximize_rate(scenario, jobs=1)
    for found in result.families:
        candidates = frontier(scenario, found.space)
        rate = found.rate_rps or 0.0
        beyond = [judge_at(scenario, rate + 1, design) for design in candidates]
        assert "meets" not in beyond
        assert found.certificate.space == len(candidates)
        assert found.certificate.better == len(candidates)
        assert found.certificate.better_undecided == beyond.count("undecided")
        if found.best is None:
            continue
        meeting = [d for d in candidates if judge_at(scenario, rate, d) == "meets"]
        assert {found.best.evaluation.design, *found.ties} == set(meeting)
    fastest = max(found.rate_rps or 0.0 for found in result.families)
    assert result.best is not None
    assert result.best.rate_rps == fastest
    for found in result.families:
        high = found.rate_high_rps
        if high is not None:
            verdicts = {judge_at(scenario, high, d) for d in frontier(scenario, found.space)}
            assert not verdicts & {"meets", "undecided"}


@pytest.mark.parametrize("family", ["splitwise-ha", "splitwise-hh", "baseline-a100"])
@pytest.mark.parametrize("budget", ["1xdgx-h100", "7xdgx-h100", "40xdgx-h100"])
def test_frontier_uses_up_the_budget(family: str, budget: str) -> None:
    scenario = question(power_budget=budget, cost_budget="900 USD/h", family=family)
    [space] = scenario.spaces
    inside = [d for d in designs(space) if within_budget(scenario, d)]
    on_it = frontier(scenario, space)
    for design in inside:
        bigger = [
            other
            for other in inside
            if other != design
            and other.prompt_machines >= design.prompt_machines
            and other.token_machines >= design.token_machines
        ]
        assert (design in on_it) == (not bigger)


def test_forty_h100_are_seventy_a100_in_paper_units() -> None:
    scenario = question(
        power_budget="40xdgx-h100", assumptions="splitwisesim", family="baseline-a100"
    )
    [design] = frontier(scenario, scenario.spaces[0])
    assert design.machines == 70


def test_a_budget_for_nothing_finds_nothing() -> None:
    scenario = question(power_budget="1 kW", family="splitwise-hh")
    result = maximize_rate(scenario, jobs=1)
    assert result.best is None
    assert result.families[0].certificate.space == 0


def test_jobs_change_nothing() -> None:
    scenario = question(power_budget="5xdgx-h100", family=["splitwise-hh", "splitwise-aa"])
    one, two = (maximize_rate(scenario, jobs) for jobs in (1, 2))
    assert one.families == two.families
    assert one.simulations == two.simulations


def test_the_best_of_all_is_proven_and_others_reach_what_was_found() -> None:
    given = {"cost_budget": "5xdgx-h100", "workload": "conversation"}
    every, best = (
        maximize_rate(question(**given), 1),
        maximize_rate(question(**given, method="auto"), 1),
    )
    assert every.best is not None
    assert best.best is not None
    assert repr(best.best.best) == repr(every.best.best)
    assert (best.best.rate_rps, best.best.ties) == (every.best.rate_rps, every.best.ties)
    assert best.best.rate_rps is not None
    scenario = question(**given)
    for own, proven in zip(best.families, every.families, strict=True):
        assert (own.rate_rps or 0.0) <= (proven.rate_rps or 0.0) <= best.best.rate_rps
        beyond = (own if own.certificate.space == 1 else best.best).rate_rps or 0.0
        assert own.certificate.better == len(frontier(scenario, own.space))
        if own.family.has_one_pool:
            assert judge_at(scenario, beyond + 1, frontier(scenario, own.space)[0]) != "meets"
        if own.best is not None:
            design = own.best.evaluation.design
            assert judge_at(scenario, own.rate_rps or 0.0, design) == "meets"
        single = own.certificate.space == 1
        assert own.certificate.exact == (own.rate_rps == best.best.rate_rps or single)


def test_open_ranges_reach_as_far_as_the_budget() -> None:
    scenario = question(family=["splitwise-hh"], cost_budget="60xdgx-h100")
    of_budget = RateSearch(scenario, scenario.spaces[0], RateLevels(scenario), 1).candidates
    assert [(d.prompt_machines, d.token_machines) for d in of_budget] == [
        (prompt, 60 - prompt) for prompt in range(1, 60)
    ]


def test_progress_counts_the_designs_judged() -> None:
    scenario = question(family=["splitwise-hh"], cost_budget="4xdgx-h100", duration=60)
    told: list[Progress] = []
    maximize_rate(scenario, 1, told.append)
    assert {(one.family, one.excluded, one.space) for one in told} == {("splitwise-hh", 0, 3)}
    counts = [one.simulated for one in told]
    assert counts == sorted(counts)
    assert counts[0] >= 0
    assert counts[-1] >= 3
    assert told[-1].best is not None
