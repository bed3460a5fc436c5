"""Batch work: the most requests per dollar where no SLO has to be met.

Every design of a family that uses up the budget is simulated under more load than it can carry.
Its throughput is what it finishes in the second half of the time in which requests arrive: by then
its machines have as much to do as they can hold.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, stdev

import numpy as np

from splitwise_plan.facts.design import Design, Family, FamilySpace
from splitwise_plan.planner.budget import frontier
from splitwise_plan.planner.confidence import t_quantile
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exclusion import PromptCapacity
from splitwise_plan.planner.grid import name_of
from splitwise_plan.planner.journal import Journal, Kind, kept_in_order
from splitwise_plan.planner.outcome import Details
from splitwise_plan.planner.progress import Progress, ProgressCallback
from splitwise_plan.planner.rates import likely_rate_rps
from splitwise_plan.planner.widen import within_budgets
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

OVERLOAD = 2.0
"""Offered load over the likely one, which is half of what prompts alone would allow: all of it."""

COUNTED_FROM = 0.5
"""Share of the arrivals' time after which finished requests are counted."""

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Saturated:
    """A design under more load than it carries. `throughput_rps`: of each replication."""

    design: Design
    throughput_rps: tuple[float, ...]

    @property
    def requests_per_usd(self) -> tuple[float, ...]:
        """Of each replication."""
        hourly = self.design.cost_usd_per_hour
        return tuple(
            3600.0 * rate / hourly if hourly else float("inf") for rate in self.throughput_rps
        )


KIND: Kind[Design, Saturated] = Kind(
    lambda design: f"saturated: {name_of(design)}",
    lambda one: list(one.throughput_rps),
    lambda design, told: Saturated(design, tuple(told)),
)


@dataclass(frozen=True, slots=True)
class FamilySaturation:
    """A family's best design; `ties` are not distinguishable from it on these requests."""

    space: FamilySpace
    looked_at: int
    best: Saturated | None
    details: Details | None
    ties: tuple[Saturated, ...]

    @property
    def family(self) -> Family:
        return self.space.family


@dataclass(frozen=True, slots=True)
class SaturationResult:
    """Families in the order asked for; `best` is the winner, None if nothing fits the budget."""

    offered_rps: float
    families: tuple[FamilySaturation, ...]
    best: FamilySaturation | None
    simulations: int
    search_s: float


def search_saturated(
    scenario: Scenario,
    jobs: Jobs,
    report: ProgressCallback | None = None,
    journal: Journal | None = None,
) -> SaturationResult:
    """For each family the design within the budgets that does most requests per dollar.

    `journal`: to go on from.
    """
    start = time.perf_counter()
    spaces = [within_budgets(scenario, space) for space in scenario.spaces]
    candidates = [frontier(scenario, space) for space in spaces]
    offered = scenario.arrivals.rate_rps or _more_than_enough(scenario, spaces, candidates)
    arrivals = replace(scenario.arrivals, rate_rps=offered)
    overloaded = replace(
        scenario,
        arrivals=arrivals,
        asked_horizon="window",
        warm_up_s=COUNTED_FROM * arrivals.duration_s / arrivals.speed,
    )
    evaluator = Evaluator(overloaded, scenario.seeds)
    families = [
        _search_family(evaluator, space, some, jobs, report, journal)
        for space, some in zip(spaces, candidates, strict=True)
    ]
    found = [one for one in families if one.best is not None]
    best = max(found, key=lambda one: mean_per_usd(one.best), default=None)
    simulations = evaluator.looks[0] * sum(len(some) for some in candidates)
    return SaturationResult(
        offered, tuple(families), best, simulations, time.perf_counter() - start
    )


def mean_per_usd(one: Saturated | None) -> float:
    """Requests per dollar, the mean over replications; 0 where there is no design."""
    return fmean(one.requests_per_usd) if one is not None else 0.0


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Student's t interval of a mean; of one value that value."""
    mean = fmean(values)
    if len(values) < 2:
        return mean, mean
    quantile = t_quantile(0.5 + CONFIDENCE / 2, len(values) - 1)
    half = quantile * stdev(values) / sqrt(len(values))
    return mean - half, mean + half


def _more_than_enough(
    scenario: Scenario, spaces: Sequence[FamilySpace], candidates: Sequence[Sequence[Design]]
) -> float:
    """One load for all families, so that they are compared on the same requests."""
    likely = [
        likely_rate_rps(scenario, PromptCapacity(scenario, space), some)
        for space, some in zip(spaces, candidates, strict=True)
        if some
    ]
    return OVERLOAD * max(likely, default=1.0)


def _search_family(  # noqa: PLR0913, PLR0917
    evaluator: Evaluator,
    space: FamilySpace,
    candidates: Sequence[Design],
    jobs: Jobs,
    report: ProgressCallback | None,
    journal: Journal | None,
) -> FamilySaturation:
    def saturate(design: Design) -> Saturated:
        simulators = evaluator.simulators(evaluator.looks[0])
        runs = ((simulator, simulator.run(design)) for simulator in simulators)
        return Saturated(design, tuple(throughput_rps(*pair) for pair in runs))

    done: list[Saturated] = []
    for one in kept_in_order(journal, KIND, saturate, candidates, jobs):
        done.append(one)
        if report is not None:
            leader = max(done, key=mean_per_usd).design
            report(Progress(space.family.id, len(done), 0, len(candidates), leader))
    if not done:
        return FamilySaturation(space, 0, None, None, ())
    best = max(done, key=mean_per_usd)
    details = evaluator.detail(best.design, jobs=jobs)
    ties = [one for one in done if one is not best and _alike(one, best)]
    ties.sort(key=mean_per_usd, reverse=True)
    return FamilySaturation(space, len(done), best, details, tuple(ties))


def throughput_rps(simulator: Simulator, run: Run) -> float:
    """Requests finished per second in the second half of the time in which requests arrive."""
    last = simulator.last_arrival_s
    first = simulator.start_s + COUNTED_FROM * (last - simulator.start_s)
    if last <= first:
        return 0.0
    ends = run.requests.last_token_s
    return int(np.count_nonzero((ends > first) & (ends <= last))) / (last - first)


def _alike(one: Saturated, best: Saturated) -> bool:
    """Whether their difference, request list by request list, may be none."""
    pairs = zip(best.requests_per_usd, one.requests_per_usd, strict=True)
    low, _ = interval([own - other for own, other in pairs])
    return low <= 0.0
