"""Do more machines, or fewer requests, ever hurt? Found by trying: yes, they may, in single runs.

The assignment of every request depends on all before it, so another machine, or another rate, gives
another run, not the same one with more room. That no search relies on it follows from this:

- One list of requests: a design that meets the nine SLOs misses one of them with a machine more in
  19 of 7,448 pairs of small clusters (0.3 %), and in 16 of 1,088 around the boundary of the paper's
  spaces (1.5 %), under both assumption sets. All are of Splitwise families, none of 1,730 pairs of
  baselines. A P99 that rests on a handful of requests may grow by half, or fourfold.
- The verdict over seeds: of 1,123 small designs that meet, none misses with a machine more, and one
  is too close to call; around the paper's spaces none of 341. The test asks for room that has not
  been seen to be lost, but no proof rests on that.
- Rates: of 12 largest rates, on steps of 1 request/s no higher one was met; on steps of 0.25, finer
  than what seeds tell apart, in 2 a rate up to 0.75 requests/s higher was met, beyond one that was
  too close to call. None was met above one at which every design surely misses.
- Budgets: of designs that leave a machine's worth of a budget unused none met a rate that those
  which use it up did not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from scenes import BOTH

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.budget import frontier, within_budget
from splitwise_plan.planner.capacity import maximize_rate
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.rates import RateLevels
from splitwise_plan.planner.replications import replicate
from splitwise_plan.planner.space import designs
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario


def question(**given: Any) -> Scenario:
    return load_scenario(Catalog(), None, {"duration": 60, "horizon": "window", **given})


class Example(NamedTuple):
    """A design, and the one machine that makes it miss a target on the same requests."""

    family: str
    workload: str
    rate: float
    seed: int
    fewer: tuple[int, int]
    more: tuple[int, int]
    target: str


EXAMPLES = {
    "measured": (
        Example("splitwise-hh", "coding", 4, 0, (2, 2), (3, 2), "ttft 99"),
        Example("splitwise-hh", "conversation", 9, 0, (2, 2), (2, 3), "tbt 90"),
        Example("splitwise-ha", "coding", 7, 1, (5, 3), (5, 4), "tbt 99"),
    ),
    "splitwisesim": (
        Example("splitwise-hh", "coding", 4, 0, (2, 2), (3, 2), "ttft 99"),
        Example("splitwise-ha", "coding", 9, 2, (5, 1), (6, 1), "tbt 99"),
        Example("splitwise-ha", "coding", 6, 5, (4, 4), (4, 5), "tbt 99"),
    ),
}


@pytest.mark.parametrize("assumptions", BOTH)
def test_one_machine_more_may_make_a_run_miss(assumptions: str) -> None:
    for one in EXAMPLES[assumptions]:
        asked = {"family": one.family, "workload": one.workload, "rate": one.rate}
        scenario = question(
            assumptions=assumptions, **{**asked, "duration": 30, "horizon": "window"}
        )
        simulator = Evaluator(scenario).simulator(one.seed)
        family = scenario.spaces[0].family
        before, after = (
            replicate(simulator, 0, simulator.run(Design(family, *counts)))
            for counts in (one.fewer, one.more)
        )
        assert (before.verdict, after.verdict) == ("meets", "misses"), one
        missed = {f"{r.target.metric} {r.target.percentile:g}" for r in after.results if not r.met}
        assert one.target in missed


class Space(NamedTuple):
    """A family, a workload, rates, and counts of machines around what they need."""

    family: str
    workload: str
    rates_rps: tuple[int, int]
    """First and last."""
    prompt: range
    token: range
    duration_s: int = 60
    seeds: int = 6


SMALL = (
    Space("splitwise-hh", "coding", (5, 9), range(2, 6), range(1, 4)),
    Space("splitwise-hh", "conversation", (5, 11), range(1, 5), range(1, 6)),
    Space("splitwise-ha", "coding", (5, 9), range(2, 7), range(1, 6)),
    Space("splitwise-aa", "conversation", (3, 5), range(2, 6), range(1, 7)),
    Space("baseline-h100", "coding", (3, 8), range(3, 13), range(1)),
    Space("baseline-h100", "conversation", (4, 13), range(1, 9), range(1)),
)
STEP_RPS = 0.5

PAPER = (
    Space("splitwise-hh", "coding", (70, 70), range(20, 30), range(3, 12), 120, 3),
    Space("splitwise-ha", "coding", (70, 70), range(20, 28), range(12, 24), 120, 3),
)
"""Around the boundary of the paper's spaces."""


def neighbours(designs: Iterable[tuple[int, int]]) -> Iterator[tuple[Any, Any]]:
    """Pairs that differ by one machine."""
    known = set(designs)
    for prompt, token in sorted(known):
        for more in ((prompt + 1, token), (prompt, token + 1)):
            if more in known:
                yield (prompt, token), more


def studied(space: Space, assumptions: str) -> Counter[str]:
    """Pairs of which the smaller design meets, and those of which the larger does not."""
    found: Counter[str] = Counter()
    low, high = space.rates_rps
    for rate in np.arange(low, high + STEP_RPS, STEP_RPS).tolist():
        asked = {"family": space.family, "workload": space.workload, "rate": rate}
        asked |= {"assumptions": assumptions, "duration": space.duration_s}
        scenario = question(**asked)
        evaluator, family = Evaluator(scenario), scenario.spaces[0].family
        counts = list(product(space.prompt, space.token))
        verdicts = {one: evaluator.judge(Design(family, *one)).verdict for one in counts}
        for fewer, more in neighbours(counts):
            if verdicts[fewer] == "meets":
                found["judged"] += 1
                found[f"judged, then {verdicts[more]}"] += 1
        for simulator in evaluator.simulators(space.seeds):
            met = {
                one: replicate(
                    simulator, 0, simulator.run(Design(family, *one), stop_when_missed=True)
                ).verdict
                == "meets"
                for one in counts
            }
            for fewer, more in neighbours(counts):
                if met[fewer]:
                    found["runs"] += 1
                    found["runs, then miss"] += not met[more]
    return found


@pytest.mark.verify
@pytest.mark.parametrize("spaces", [SMALL, PAPER], ids=["small", "paper"])
def test_how_often_one_machine_more_hurts(spaces: tuple[Space, ...]) -> None:
    total: Counter[str] = Counter()
    for assumptions in BOTH:
        found: Counter[str] = sum((studied(one, assumptions) for one in spaces), Counter())
        assert found["runs, then miss"] > 0
        total += found
    assert total["runs, then miss"] / total["runs"] < 0.02
    assert total["judged, then misses"] + total["judged, then unstable"] == 0
    assert total["judged, then undecided"] / total["judged"] < 0.01


BUDGETS = (
    ("splitwise-hh", "coding", "4xdgx-h100"),
    ("splitwise-hh", "conversation", "4xdgx-h100"),
    ("splitwise-ha", "coding", "4xdgx-h100"),
    ("splitwise-aa", "conversation", "5xdgx-a100"),
    ("baseline-h100", "coding", "5xdgx-h100"),
    ("baseline-h100", "conversation", "4xdgx-h100"),
)


def budgeted(family: str, workload: str, budget: str, assumptions: str, step: float) -> Scenario:
    asked = {"family": family, "workload": workload, "cost_budget": budget, "rate_step": step}
    return question(assumptions=assumptions, maximize="throughput", **asked)


def met_at(rates: RateLevels, level: int, some: Iterable[Design]) -> str:
    """`meets` if one does, `misses` if all do for sure, else `undecided`."""
    verdicts = {rates.evaluator(level).judge(one).verdict for one in some}
    if "meets" in verdicts:
        return "meets"
    return "undecided" if "undecided" in verdicts else "misses"


@pytest.mark.verify
@pytest.mark.parametrize(("step", "holes"), [(1.0, 0), (0.25, 2)])
def test_how_often_a_rate_is_met_above_one_that_is_not(step: float, holes: int) -> None:
    found = 0
    for assumptions, asked in product(BOTH, BUDGETS):
        scenario = budgeted(*asked, assumptions, step)
        rate = maximize_rate(scenario, 1).families[0].rate_rps or 0.0
        candidates, rates = frontier(scenario, scenario.spaces[0]), RateLevels(scenario)
        answer = round(rate / step)
        beyond = [
            met_at(rates, level, candidates) for level in range(answer + 1, int(1.6 * answer) + 4)
        ]
        assert beyond[0] != "meets"
        found += "meets" in beyond
        if "misses" in beyond:
            assert "meets" not in beyond[beyond.index("misses") :]
    assert found <= holes


@pytest.mark.verify
@pytest.mark.parametrize("assumptions", BOTH)
def test_what_leaves_some_of_a_budget_unused_meets_no_higher_rate(assumptions: str) -> None:
    for asked in BUDGETS:
        scenario = budgeted(*asked, assumptions, 1.0)
        result = maximize_rate(scenario, 1).families[0]
        rates, space = RateLevels(scenario), scenario.spaces[0]
        level = round(result.rate_rps or 0.0) + 1
        inside = [one for one in designs(space) if within_budget(scenario, one)]
        assert met_at(rates, level, inside) != "meets"
