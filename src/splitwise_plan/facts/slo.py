"""Service-level objectives: limits on percentiles of TTFT, TBT and E2E."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Metric = Literal["ttft", "tbt", "e2e"]
METRICS: tuple[Metric, ...] = ("ttft", "tbt", "e2e")


@dataclass(frozen=True, slots=True)
class SLOTarget:
    """`metric` at `percentile` (0..100) must not exceed `limit` (slowdown, or seconds)."""

    metric: Metric
    percentile: float
    limit: float
    unit: Literal["slowdown", "s"] = "slowdown"


@dataclass(frozen=True, slots=True)
class Attainment:
    """Goodput: at least `share` (0..1) of the requests meet all `limits` together.

    A limit is (metric, value, unit) and bounds that request's own metric.
    """

    share: float
    limits: tuple[tuple[Metric, float, Literal["slowdown", "s"]], ...]


@dataclass(frozen=True, slots=True)
class SLOSet:
    """All must hold together. Slowdowns are relative to `reference_machine` running alone."""

    id: str
    targets: tuple[SLOTarget, ...]
    reference_machine: str
    attainments: tuple[Attainment, ...] = ()
