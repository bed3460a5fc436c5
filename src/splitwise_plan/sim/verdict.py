"""Does a run meet its SLOs?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.slo import SLOSet, SLOTarget
from splitwise_plan.sim.metrics import Latencies, attained, values_at
from splitwise_plan.sim.records import Run, Stop

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


def verdict(run: Run, results: list[TargetResult], latencies: Latencies) -> Verdict:
    """What one run says: `unstable` is a miss whose backlog grew all the time."""
    if run.stop in (Stop.DEADLOCK, Stop.OVERLOAD):
        return "unstable"
    if run.stop == Stop.MISSES:
        return "misses"
    measured = [result for result in results if not np.isnan(result.value)]
    if not measured:
        return "undecided"
    if all(result.met for result in measured):
        return "meets"
    growing = any(is_growing(latencies.slowdown[metric]) for metric in ("ttft", "e2e"))
    return "unstable" if growing else "misses"


def is_growing(slowdown: NDArray[np.float64]) -> bool:
    """Whether slowdowns, in order of arrival, grow from quarter to quarter, `GROWTH` at least."""
    if len(slowdown) < 40:
        return False
    medians = [float(np.median(quarter)) for quarter in np.array_split(slowdown, 4)]
    rising = all(a < b for a, b in pairwise(medians))
    return rising and medians[3] >= GROWTH * medians[1]
