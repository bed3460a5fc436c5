"""Does a run meet its SLOs?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.slo import SLOSet, SLOTarget
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.sim.metrics import Latencies, attained, percentile, values_at
from splitwise_plan.sim.records import STUCK, Run, Stop

Verdict = Literal["meets", "misses", "undecided", "unstable"]
MISSED: tuple[Verdict, ...] = ("misses", "unstable")

GROWTH = 2.0
"""A backlog that at least doubles from the second to the last quarter of a run is growing."""


@dataclass(frozen=True, slots=True)
class TargetResult:
    """One SLO target: the measured value against its limit, both in the target's unit.

    `attained`: of a goodput, the share (0..1) of requests that meet its limits.
    """

    target: SLOTarget
    value: float
    attained: float | None = None

    @property
    def met(self) -> bool:
        return self.value <= self.target.limit

    @property
    def margin(self) -> float:
        """Room left, as a share of the limit; negative where it is missed."""
        return 1.0 - self.value / self.target.limit


def target_results(slos: SLOSet, latencies: Latencies) -> list[TargetResult]:
    """Every target, in the order of the SLO file, attainments last."""
    targets = slos.all_targets
    return [
        TargetResult(target, value, attained(latencies, target))
        for target, value in zip(targets, values_at(latencies, targets), strict=True)
    ]


def binding(results: list[TargetResult]) -> TargetResult:
    """The target with the least margin."""
    return min(results, key=lambda result: result.margin)


def verdict(
    run: Run, results: list[TargetResult], latencies: Latencies, arrivals: Arrivals
) -> Verdict:
    """What one run says.

    `unstable`: the backlog grew all the time, and the arrivals did not make it grow; whatever the
    limits are. Drawn requests that are too few for a percentile say nothing of it.
    """
    if run.stop in STUCK:
        return "unstable"
    if run.stop == Stop.MISSES:
        return "misses"
    measured = [result for result in results if not np.isnan(result.value)]
    meets = all(result.met for result in measured)
    if not meets or arrivals.is_stationary:
        if any(is_growing(latencies.slowdown[metric]) for metric in ("ttft", "e2e")):
            return "unstable"
    if not measured or (arrivals.process != "trace" and too_few(measured, latencies)):
        return "undecided"
    return "meets" if meets else "misses"


def too_few(results: Sequence[TargetResult], latencies: Latencies) -> TargetResult | None:
    """A target whose percentile would be one of the largest values for want of requests."""
    for result in results:
        values = latencies.of(result.target)
        if np.count_nonzero(~np.isnan(values)) < requests_for_percentile(result.target.percentile):
            return result
    return None


def requests_for_percentile(percentile: float) -> float:
    """The fewest requests that have one beyond a percentile (0..100): 100 for P99."""
    return 1.0 / (1.0 - percentile / 100.0) * (1.0 - 1e-9) if percentile < 100.0 else 1.0


def is_growing(slowdown: NDArray[np.float64]) -> bool:
    """Whether slowdowns, in order of arrival, grow from quarter to quarter, `GROWTH` at least."""
    if len(slowdown) < 40:
        return False
    medians = [percentile(quarter, 50.0) for quarter in np.array_split(slowdown, 4)]
    rising = all(a < b for a, b in pairwise(medians))
    return rising and medians[3] >= GROWTH * medians[1]
