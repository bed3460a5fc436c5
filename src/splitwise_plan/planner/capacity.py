"""The largest rate under a budget: iso-power and iso-cost throughput.

Rates are multiples of the scenario's `rate_step_rps`. The space is the designs of a family that
use up the budget: within it, and adding a machine of either type would exceed it or the family's
range. A rate is feasible if one of them meets the SLOs there. The answer is a feasible rate whose
next step is not: every design of every family was judged at that next step, and none meets.

Two things are assumed, not proven. That no higher rate is feasible again, as in any capacity found
by bisection: it held on steps of 1 request/s, and failed by up to 0.75 requests/s in 2 of 12 cases
on steps of 0.25, finer than what seeds tell apart. And that a design which leaves machines of the
budget unused meets no rate that those which use it up do not: no case was found. Both are measured
in tests/test_more_machines.py.

With `method = "exhaustive"` each family's own rate is found in that way. Otherwise only the best of
all: of other families it is the largest rate at which a design was found that meets.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from splitwise_plan.planner.budget import rate_rank
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.journal import Journal
from splitwise_plan.planner.outcome import FamilyResult, SearchResult
from splitwise_plan.planner.progress import ProgressCallback
from splitwise_plan.planner.rate_search import RateSearch
from splitwise_plan.planner.rates import RateLevels
from splitwise_plan.scenario.scenario import Scenario


def maximize_rate(
    scenario: Scenario,
    jobs: Jobs,
    report: ProgressCallback | None = None,
    journal: Journal | None = None,
) -> SearchResult:
    """For each family the largest rate that meets the SLOs within the scenario's budgets.

    `journal`: to go on from.
    """
    start = time.perf_counter()
    rates = RateLevels(scenario)
    searches = [RateSearch(scenario, space, rates, jobs, journal) for space in scenario.spaces]
    each = scenario.method == "exhaustive" or len(searches) == 1
    results = tuple(one.run(report) for one in searches) if each else _best_of_all(searches, report)
    found = [result for result in results if result.best is not None]
    best = min(found, key=lambda result: rate_rank(scenario, result), default=None)
    simulations = sum(one.simulations for one in searches)
    return SearchResult(results, best, simulations, time.perf_counter() - start)


def _best_of_all(
    searches: Sequence[RateSearch], report: ProgressCallback | None
) -> tuple[FamilyResult, ...]:
    """The largest rate of all, proven; of families that do not reach it what they were found at."""
    levels = [one.settle(report) for one in searches]
    proven: dict[int, FamilyResult] = {}
    most = -1
    while max(levels) > most or levels.count(most) > len(proven):
        most = max(levels)
        proven = {at: searches[at].run(report) for at, level in enumerate(levels) if level == most}
        for at, one in enumerate(searches):
            if at not in proven and not one.rises_to(most + 1, report):
                one.rises_to(most, report)  # as good in rate, it may be better in all else
        levels = [one.level or 0 for one in searches]
    for at, one in enumerate(searches):
        if at not in proven:
            single = len(one.candidates) == 1
            proven[at] = one.run(report) if single else one.found(most, report)
    return tuple(proven[at] for at in range(len(searches)))
