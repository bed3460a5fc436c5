"""The process by which requests arrive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from splitwise_plan.scenario.arrivals.shapes import Shape

STATIONARY = ("poisson", "gamma", "mmpp")
"""Processes with a steady state: bursts come and go, but at the same rate for ever."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """How requests arrive: `poisson`, `gamma` at `rate_rps`, or `trace`: the trace's own times.

    The other processes are Poisson with a rate that changes: `shape`, relative to `rate_rps`.
    """

    process: Literal["poisson", "gamma", "mmpp", "diurnal", "spike", "piecewise", "trace"]
    rate_rps: float | None
    duration_s: float
    """How long requests arrive; in a steady state the least that is measured of a run."""
    burstiness: float = 1.0
    """Squared coefficient of variation of the gaps (`gamma`); 1 is Poisson."""
    cut: bool = False
    """Whether a replayed trace was cut at `duration_s`."""
    shape: Shape | None = None
    speed: float = 1.0
    """How many times as fast as drawn, or as recorded, the same requests arrive."""
    window_s: float | None = None
    """Of a trace: the length of its busiest window, which is all that was kept of it."""

    @property
    def mean_rps(self) -> float:
        """Requests per second in the long run, of those that are drawn."""
        if self.rate_rps is None:
            raise ValueError("drawn arrivals need a rate")
        return self.rate_rps * self.speed

    @property
    def is_stationary(self) -> bool:
        """Whether they go on for ever in the same way: drawn, at a rate without a trend."""
        return self.process in STATIONARY
