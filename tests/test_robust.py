"""One plan for several loads, against brute force: every design of a small space, every load."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import inf
from typing import Any

import pytest
from selection import few

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exclusion import Bounds
from splitwise_plan.planner.grid import name_of
from splitwise_plan.planner.multi_load import MultiLoadEvaluator, demand
from splitwise_plan.planner.outcome import best_of
from splitwise_plan.planner.space import designs, objective
from splitwise_plan.questions.robust.analysis import RobustResult, robust
from splitwise_plan.scenario.loads.load import load_loads
from splitwise_plan.scenario.loads.schema import LoadSet

SMALL = {
    "rate": 4,
    "duration": 40,
    "horizon": "window",
    "machines": "1:6",
    "prompt_machines": "1:4",
    "token_machines": "1:4",
    "families": ["splitwise-hh", "splitwise-ha", "baseline-h100"],
}
WORDS = ("x1", "x1.5", "spike", "50%coding+50%conversation", "llama2-70b")


def loads_of(words: tuple[str, ...] = WORDS, choose: str = "least", **keys: Any) -> LoadSet:
    return load_loads(Catalog(), None, {**SMALL, **keys}, words=words, choose=choose)


@cache
def answered(minimize: str, method: str) -> tuple[LoadSet, RobustResult]:
    loads = loads_of(minimize=minimize, method=method)
    return loads, robust(loads, 2)


@cache
def brute(minimize: str) -> dict[str, tuple[Design, tuple[str, ...]]]:
    """The verdict of every design under every load, none ended early for another load."""
    loads = loads_of(minimize=minimize)
    evaluators = [Evaluator(one.scenario) for one in loads.loads]
    everything = [design for space in loads.base.spaces for design in designs(space)]
    return {
        name_of(one): (one, tuple(judge.judge(one).verdict for judge in evaluators))
        for one in everything
    }


def meets_all(verdicts: tuple[str, ...]) -> bool:
    return set(verdicts) == {"meets"}


@pytest.mark.parametrize("method", few(["auto", "exhaustive"], ["auto"]))
@pytest.mark.parametrize("minimize", few(["cost", "power"], ["cost"]))
def test_the_least_design_that_meets_every_load(minimize: str, method: str) -> None:
    loads, result = answered(minimize, method)
    table = brute(minimize)
    value = {name: objective(loads.base, design) for name, (design, _) in table.items()}
    least = min(value[name] for name, (_, verdicts) in table.items() if meets_all(verdicts))
    answer = result.answer
    assert answer is not None
    assert objective(loads.base, answer.design) == least
    assert meets_all(table[name_of(answer.design)][1])
    assert answer.meets_all
    for family in result.joint.families:
        own = {n: v for n, v in value.items() if table[n][0].family == family.family}
        meeting = [own[n] for n in own if meets_all(table[n][1])]
        if family.best is None or not family.certificate.exact:
            continue
        at = objective(loads.base, family.best.evaluation.design)
        assert at == min(meeting)
        assert family.certificate.better == sum(v < at for v in own.values())


def test_each_load_alone_and_where_its_best_breaks() -> None:
    loads, result = answered("cost", "exhaustive")
    table = brute("cost")
    for at, alone in enumerate(result.alone):
        own = best_of(alone)
        assert own is not None
        meeting = [d for d, verdicts in table.values() if verdicts[at] == "meets"]
        assert objective(loads.base, own) == min(objective(loads.base, d) for d in meeting)
        regret = result.regret(at)
        assert regret is not None
        assert regret >= 0.0
    names = [name_of(one.design) for one in result.served]
    assert len(names) == len(set(names))
    assert {name_of(own) for one in result.alone if (own := best_of(one))} <= set(names)
    for served in result.served:
        verdicts = table[name_of(served.design)][1]
        told = [one.verdict.replace("unstable", "misses") for one in served.evaluations]
        assert told == [one.replace("unstable", "misses") for one in verdicts]


def test_least_regret_of_families_whose_counts_follow_the_load() -> None:
    words = ("x1", "x1.5", "llama2-70b")
    loads = loads_of(words, "regret")
    result = robust(loads, 2)
    table = brute("cost")
    at = [WORDS.index(word) for word in words]
    best: dict[tuple[str, int], float] = {}
    for design, verdicts in table.values():
        for load in at:
            if verdicts[load] == "meets":
                key = (design.family.id, load)
                best[key] = min(best.get(key, inf), objective(loads.base, design))
    families = [space.family.id for space in loads.base.spaces]
    optima = {load: min(best.get((f, load), inf) for f in families) for load in at}
    expected = {
        f: max(best.get((f, load), inf) / optima[load] for load in at) - 1.0 for f in families
    }
    assert {one.family.id: one.worst for one in result.regrets} == pytest.approx(expected)
    assert [one.worst for one in result.regrets] == sorted(one.worst for one in result.regrets)


def test_jobs_change_nothing() -> None:
    loads = loads_of(("x1", "spike"))

    def told(jobs: int) -> str:
        result = robust(loads, jobs)
        joint = replace(result.joint, search_s=0.0)
        alone = [replace(one, search_s=0.0) for one in result.alone]
        return repr((joint, alone, result.served))

    assert told(1) == told(2)


def test_no_design_for_all_loads() -> None:
    result = robust(loads_of(("x1", "x20")), 2)
    assert result.answer is None
    assert best_of(result.alone[0]) is not None
    assert best_of(result.alone[1]) is None
    assert result.regret(0) is None


def test_one_load_is_a_search() -> None:
    result = robust(loads_of(("x1",), method="exhaustive"), 2)
    joint, alone = (best_of(one) for one in (result.joint, result.alone[0]))
    assert joint == alone
    for one, other in zip(result.joint.families, result.alone[0].families, strict=True):
        assert one.certificate == other.certificate


def test_the_most_demanding_load_is_looked_at_first() -> None:
    loads = loads_of(("x1", "x2", "spike"))
    evaluators = [Evaluator(one.scenario) for one in loads.loads]
    joint = MultiLoadEvaluator(loads.base, evaluators)
    assert sorted(map(demand, evaluators), reverse=True) == [demand(one) for one in joint.parts]
    assert joint.parts[-1].scenario is loads.loads[0].scenario


def test_a_bound_of_any_load_excludes_only_what_misses() -> None:
    loads = loads_of(("x1", "x6"), prompt_machines="1:6")
    evaluators = [Evaluator(one.scenario) for one in loads.loads]
    joint = MultiLoadEvaluator(loads.base, evaluators)
    space = loads.base.spaces[0]
    bounds = Bounds(space, joint)
    out = [design for design in designs(space) if not bounds.can_carry(design)]
    assert out
    assert all(joint.judge(design).verdict in ("misses", "unstable") for design in out)


def test_when_designs_run_out() -> None:
    loads = load_loads(
        Catalog(),
        None,
        {**SMALL, "families": ["splitwise-hh"], "machines": None},
        words=("x1",),
        growth=("50 %/year", "2026-01-01"),
    )
    result = robust(loads, 2)
    [one] = result.run_outs

    def verdict(rate: float) -> str:
        arrivals = replace(loads.base.arrivals, rate_rps=rate)
        return Evaluator(replace(loads.base, arrivals=arrivals)).judge(one.design).verdict

    step = loads.rate_step_rps
    assert step == pytest.approx(4 / 50)
    assert one.low_rps >= 4.0 - 1e-9
    assert verdict(one.low_rps) == "meets"
    assert verdict((round(one.low_rps / step) + 1) * step) != "meets"
    assert one.high_rps is not None
    assert verdict(one.high_rps) in ("misses", "unstable")
    assert loads.growth is not None
    assert one.first == loads.growth.reaches(one.low_rps, 4.0)
    assert one.first is not None
    assert one.last is not None
    assert one.first <= one.last
