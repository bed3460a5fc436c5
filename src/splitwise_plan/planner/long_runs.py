"""Long runs of a design in the steady state, and what they say together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.planner.batch_means import (
    Pooled,
    batch_loads,
    percentile_interval,
    share_interval,
)
from splitwise_plan.planner.confidence import Estimate, decide
from splitwise_plan.planner.details import RunSummary, summary_of
from splitwise_plan.planner.outcome import Replication
from splitwise_plan.sim.metrics import Latencies, attained, backlogs, latencies, value_of
from splitwise_plan.sim.records import STUCK, Run
from splitwise_plan.sim.simulator import Simulator
from splitwise_plan.sim.verdict import TargetResult, Verdict, verdict

About = tuple[object, ...]
"""See `SLOTarget.about`."""

HOPE = 0.25
"""A limit so near the middle of the interval that the last look would have is left undecided."""

GROWING, GROWS = 1.25, 1.5
"""The mean backlog of the second half of what is measured, over that of the first: where it may be
growing, and where it grows. One that grows in proportion to time has 1.7."""


@dataclass(frozen=True, slots=True, eq=False)
class LongRun:
    """What a decision needs of a run. `loads`: see `batch_loads`; `backlogs`: see `sim.metrics`.

    `values`: what targets are about.
    """

    loads: NDArray[np.float64]
    replication: Replication
    latencies: Latencies
    values: Mapping[About, Pooled]
    summary: RunSummary
    backlogs: tuple[float, float]
    stuck: bool

    @classmethod
    def of(cls, simulator: Simulator, design: Design, run: Run) -> LongRun:
        """Of a run of a design."""
        found, values = latencies(simulator, run), {}
        for target in simulator.scenario.slos.all_targets:
            if target.about not in values:
                values[target.about] = Pooled.of([found.of(target)])
        return cls(
            loads=batch_loads(simulator.requests.where(simulator.counted)),
            replication=_replication(simulator, run, found, values),
            latencies=found,
            values=values,
            summary=summary_of(simulator, design, run),
            backlogs=backlogs(simulator, run),
            stuck=run.stop in STUCK,
        )


def _replication(
    simulator: Simulator, run: Run, found: Latencies, values: Mapping[About, Pooled]
) -> Replication:
    """What the run says by itself, of values that are sorted."""
    results = [
        TargetResult(
            target, value_of(target, values[target.about].ordered), attained(found, target)
        )
        for target in simulator.scenario.slos.all_targets
    ]
    said = verdict(run, results, found, simulator.scenario.arrivals)
    return Replication(simulator.replication, said, tuple(results))


def estimates_of(
    runs: Sequence[LongRun],
    slos: SLOSet,
    expected_loads: NDArray[np.float64],
    error: float,
    wider: float = 1.0,
) -> Iterator[Estimate]:
    """Of every target of which there are values; `error`, `wider`: see `percentile_interval`.

    `expected_loads`: what `batch_loads` are in the long run, (3,).
    """
    loads = np.concatenate([run.loads for run in runs]) / expected_loads - 1.0
    pooled: dict[About, Pooled] = {}
    for target in slos.all_targets:
        about = target.about
        if about not in pooled:
            pooled[about] = Pooled.together([run.values[about] for run in runs])
        values = pooled[about]
        if len(values.ordered):
            attained = None
            if target.metric == "goodput":
                within = [run <= target.limit for run in values.runs]
                attained = share_interval(within, values, loads, error, wider)
            interval = percentile_interval(values, loads, target.percentile, error, wider)
            yield Estimate(target, *interval, attained)


def verdict_of(runs: Sequence[LongRun], estimates: Sequence[Estimate]) -> Verdict:
    """What runs say, of which those are the estimates; see `steady`."""
    grown = growth(runs)
    rises = all(later > earlier for earlier, later in (run.backlogs for run in runs))
    if any(run.stuck for run in runs) or (rises and grown >= GROWS):
        return "unstable"
    verdict = decide(estimates)
    return "undecided" if verdict == "meets" and grown > GROWING else verdict


def growth(runs: Sequence[LongRun]) -> float:
    """The mean backlog in the second half of what is measured, over that in the first."""
    earlier, later = (sum(halves) for halves in zip(*(run.backlogs for run in runs), strict=True))
    return later / earlier if earlier > 0.0 else 1.0


def misses(estimates: Sequence[Estimate]) -> bool:
    """Whether a target is surely over its limit."""
    return any(one.low > one.target.limit for one in estimates)


def may_decide(estimates: Sequence[Estimate], narrower: float) -> bool:
    """Whether intervals that are so many times as wide would be likely to decide.

    Not where one target stays too close to call, unless another is over its limit by enough.
    """
    near = [
        one.mean - HOPE * narrower * (one.mean - one.low)
        <= one.target.limit
        < one.mean + HOPE * narrower * (one.high - one.mean)
        for one in estimates
    ]
    over = [one.mean > one.target.limit for one in estimates]
    return not any(near) or any(o and not n for o, n in zip(over, near, strict=True))
