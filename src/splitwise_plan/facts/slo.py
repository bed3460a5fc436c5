"""Service-level objectives: limits on percentiles of TTFT, TBT and E2E."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Metric = Literal["ttft", "tbt", "e2e"]
METRICS: tuple[Metric, ...] = ("ttft", "tbt", "e2e")


Limit = tuple[Metric, float, Literal["slowdown", "s"]]
"""A bound on a request's own metric: (metric, value, unit)."""


@dataclass(frozen=True, slots=True)
class SLOTarget:
    """`metric` at `percentile` (0..100) must not exceed `limit`, in `unit`.

    `goodput` is the largest ratio of a request's latencies to its `joint_limits`: at most 1 where
    it meets them all.
    """

    metric: Metric | Literal["goodput"]
    percentile: float
    limit: float
    unit: Literal["slowdown", "s", "ratio"] = "slowdown"
    joint_limits: tuple[Limit, ...] = ()

    @property
    def about(self) -> tuple[object, ...]:
        """The same of all targets that are percentiles of the same values."""
        return self.metric, self.unit, self.joint_limits


@dataclass(frozen=True, slots=True)
class Attainment:
    """Goodput: at least `share` (0..1) of the requests meet all `limits` together."""

    share: float
    limits: tuple[Limit, ...]

    @property
    def target(self) -> SLOTarget:
        """The same as a target: that percentile of the requests' goodput ratio is at most 1."""
        return SLOTarget("goodput", 100.0 * self.share, 1.0, "ratio", self.limits)


@dataclass(frozen=True, slots=True)
class SLOSet:
    """All must hold together. Slowdowns are relative to `reference_machine` running alone."""

    id: str
    targets: tuple[SLOTarget, ...]
    reference_machine: str
    attainments: tuple[Attainment, ...] = ()

    @property
    def all_targets(self) -> tuple[SLOTarget, ...]:
        """Targets and attainments."""
        return (*self.targets, *(attainment.target for attainment in self.attainments))
