"""The search and its certificate against brute force: every design of small spaces, simulated."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from reference import ROOT
from scenes import BOTH

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.outcome import FamilyResult, SearchResult
from splitwise_plan.planner.space import objective
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.sampling import requests_for
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.metrics import latencies
from splitwise_plan.sim.simulator import Simulator
from splitwise_plan.sim.verdict import target_results

FAMILIES = ("baseline-h100", "splitwise-hh", "splitwise-ha", "splitwise-hhcap")
OBJECTIVES = ("cost", "power", "machines")


def small_scenario(**keys: Any) -> Scenario:
    small = {
        "duration": 40,
        "horizon": "window",
        "machines": "1:8",
        "prompt_machines": "1:4",
        "token_machines": "1:4",
    }
    proven = {"families": list(FAMILIES), "method": "exhaustive"}
    return load_scenario(Catalog(), None, {**proven, **small, **keys})


def total(scenario: Scenario, design: Design, of: str) -> float:
    """Cost, power or machines of a design, from the machine files themselves."""
    parts = [(design.family.prompt_machine, design.prompt_machines)]
    if design.family.token_machine is not None:
        parts.append((design.family.token_machine, design.token_machines))
    paper = scenario.assumptions.id == "splitwisesim"
    return sum(count * fact(machine.id, of, paper=paper) for machine, count in parts)


def fact(machine: str, of: str, *, paper: bool) -> float:
    path = ROOT / "hardware" / "machines" / f"{machine}.toml"
    file = tomllib.loads(path.read_text(encoding="utf-8"))
    if of == "cost":
        return float(file["cost"]["value"])
    if of == "power":
        watts = file["rated_power"]["value"] * file["power_cap"]["value"]
        return float(file["paper_power"]["value"] if paper else watts)
    return 1.0


def designs_of(space: FamilySpace) -> list[Design]:
    prompt, token = space.prompt_machines, space.token_machines
    tokens = range(token.low, token.high + 1) if token else (0,)
    return [
        Design(space.family, p, t) for p, t in product(range(prompt.low, prompt.high + 1), tokens)
    ]


def really_meets(scenario: Scenario, design: Design) -> bool:
    """By one simulation to its end: no bound, no early stop, no statistics."""
    simulator = Simulator.of(scenario, requests_for(scenario, 0))
    results = target_results(scenario.slos, latencies(simulator, simulator.run(design)))
    return all(result.met for result in results)


def assert_is_what_brute_force_finds(
    scenario: Scenario, found: FamilyResult, meeting: list[Design]
) -> None:
    """The same best and ties, and a certificate that accounts for everything better."""
    everything = designs_of(found.space)
    certificate = found.certificate
    assert certificate.space == len(everything)
    cost = {design: total(scenario, design, scenario.minimize) for design in everything}
    if not meeting:
        assert found.best is None
        assert certificate.better == len(everything)
        assert found.closest is not None or not certificate.better_simulated
        return
    least = min(cost[design] for design in meeting)
    assert found.best is not None
    best = found.best.evaluation.design
    same = [design for design in meeting if cost[design] == pytest.approx(least, rel=1e-9)]
    assert {best, *found.ties} == set(same)
    assert len(found.ties) == len(same) - 1
    judge = Evaluator(scenario).judge
    order = [
        (d.machines, judge(d).margin < 0.1, total(scenario, d, "power"))
        for d in (best, *found.ties)
    ]
    assert order == sorted(order)
    better = [design for design in everything if cost[design] < least * (1 - 1e-9)]
    assert certificate.better == len(better)


def assert_best_is_the_least(scenario: Scenario, result: SearchResult) -> None:
    """Over all families."""
    found = [family.best for family in result.families if family.best is not None]
    costs = [total(scenario, best.evaluation.design, scenario.minimize) for best in found]
    assert (result.best is None) == (not found)
    if result.best is not None and result.best.best is not None:
        winner = total(scenario, result.best.best.evaluation.design, scenario.minimize)
        assert winner == pytest.approx(min(costs))


QUESTIONS = [
    *product(BOTH, OBJECTIVES, ["coding"], [4.0, 6.0]),
    *product(BOTH, OBJECTIVES, ["conversation"], [5.0]),
]


@pytest.mark.parametrize(("assumptions", "minimize", "workload", "rate"), QUESTIONS)
def test_one_seed(assumptions: str, minimize: str, workload: str, rate: float) -> None:
    scenario = small_scenario(
        assumptions=assumptions, minimize=minimize, workload=workload, rate=rate, seeds=1
    )
    result = search(scenario, jobs=1)
    for found in result.families:
        meeting = [design for design in designs_of(found.space) if really_meets(scenario, design)]
        assert_is_what_brute_force_finds(scenario, found, meeting)
    assert_best_is_the_least(scenario, result)


@pytest.mark.parametrize("assumptions", BOTH)
def test_several_seeds(assumptions: str) -> None:
    """Judged one by one, without a bound."""
    scenario = small_scenario(assumptions=assumptions, rate=5, seeds=3)
    evaluator = Evaluator(scenario)
    result = search(scenario, jobs=1)
    for found in result.families:
        verdicts = {design: evaluator.judge(design).verdict for design in designs_of(found.space)}
        meeting = [design for design, verdict in verdicts.items() if verdict == "meets"]
        assert_is_what_brute_force_finds(scenario, found, meeting)
    assert_best_is_the_least(scenario, result)


@pytest.mark.parametrize("assumptions", BOTH)
def test_jobs_change_nothing(assumptions: str) -> None:
    scenario = small_scenario(assumptions=assumptions, rate=5)
    one, two = (repr(replace(search(scenario, jobs), search_s=0.0)) for jobs in (1, 2))
    assert one == two


def test_a_search_does_not_change_with_what_was_searched_before() -> None:
    scenario = small_scenario(rate=5, seeds=1)
    first = search(scenario, jobs=1)
    search(small_scenario(rate=6, seeds=1, assumptions="splitwisesim"), jobs=1)
    again = search(scenario, jobs=1)
    assert repr(replace(first, search_s=0.0)) == repr(replace(again, search_s=0.0))


@pytest.mark.parametrize("assumptions", BOTH)
def test_what_a_bound_excludes_below_a_winner_misses(assumptions: str) -> None:
    scenario = small_scenario(
        families=["splitwise-hh"],
        machines=None,
        prompt_machines="1:12",
        token_machines="1:2",
        rate=20,
        seeds=1,
        assumptions=assumptions,
    )
    [found] = search(scenario, jobs=1).families
    meeting = [design for design in designs_of(found.space) if really_meets(scenario, design)]
    assert meeting
    assert sum(found.certificate.better_excluded.values()) > 0
    assert_is_what_brute_force_finds(scenario, found, meeting)


def test_a_bound_saves_simulations_and_nothing_else() -> None:
    """Far too little for the load: most of the space is excluded, the verdict is the same."""
    scenario = small_scenario(rate=30, seeds=1)
    result = search(scenario, jobs=1)
    assert result.best is None
    assert sum(sum(f.certificate.better_excluded.values()) for f in result.families) > 30
    assert not any(
        really_meets(scenario, design) for f in result.families for design in designs_of(f.space)
    )
    assert np.all([family.certificate.exact for family in result.families])


@pytest.mark.parametrize(
    ("assumptions", "minimize", "workload", "rate"),
    [question for question in QUESTIONS if question[3] != 6.0],
)
def test_the_best_of_all_is_proven_and_others_are_no_better_than_found(
    assumptions: str, minimize: str, workload: str, rate: float
) -> None:
    """Without `method = "exhaustive"`: the same answer, and families that lose may lose by less."""
    given = {"assumptions": assumptions, "minimize": minimize, "workload": workload, "rate": rate}
    every = search(small_scenario(**given), jobs=1)
    best = search(small_scenario(**given, method="auto"), jobs=1)
    assert best.best is not None
    assert every.best is not None
    winner = best.best.best
    assert winner is not None
    assert best.best.certificate.exact
    assert repr(best.best.best) == repr(every.best.best)
    assert best.best.ties == every.best.ties
    assert best.best.certificate.better == every.best.certificate.better
    scenario = small_scenario(**given)
    level = objective(scenario, winner.evaluation.design)
    for own, proven in zip(best.families, every.families, strict=True):
        assert (own.best is None) == (proven.best is None)
        better = [design for design in designs_of(own.space) if objective(scenario, design) < level]
        assert own.certificate.better >= len(better)
        if own.best is not None and proven.best is not None:
            found, least = (
                objective(scenario, one.evaluation.design) for one in (own.best, proven.best)
            )
            assert found >= least
            assert own.certificate.exact == (found == level or own.family.has_one_pool)
