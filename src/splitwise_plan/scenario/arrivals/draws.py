"""Arrival times, drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.scenario.arrivals.process import Arrivals


def draw_arrivals(arrivals: Arrivals, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw arrival times, increasing, below the duration: float64 (N,), N random.

    `poisson`: exponential gaps. `gamma`: gamma gaps with the same mean whose squared coefficient of
    variation is `burstiness`. With a shape, exponential gaps in the time in which its rate is
    constant: the integral of the rate, whose inverse gives the arrivals.
    """
    if arrivals.rate_rps is None:
        raise ValueError("drawn arrivals need a rate")
    spread = arrivals.burstiness if arrivals.process == "gamma" else None
    if arrivals.shape is None:
        return _renewal(arrivals.rate_rps, arrivals.duration_s, spread, rng)
    times_s, through_s = arrivals.shape.knots(arrivals.duration_s, rng)
    end = float(np.interp(arrivals.duration_s, times_s, through_s))
    found = np.interp(_renewal(arrivals.rate_rps, end, spread, rng), through_s, times_s)
    return found[found < arrivals.duration_s]


def _renewal(
    rate_rps: float, duration_s: float, spread: float | None, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Arrivals whose gaps are independent.

    `spread`: the squared coefficient of variation of gamma gaps; None: exponential gaps.
    """
    mean_gap = 1.0 / rate_rps
    expected = duration_s * rate_rps
    batch = int(expected + 4.0 * np.sqrt(expected * max(1.0, spread or 1.0))) + 16
    parts: list[NDArray[np.float64]] = []
    now = 0.0
    while now < duration_s:
        if spread is not None:
            gaps = rng.gamma(1.0 / spread, mean_gap * spread, batch)
        else:
            gaps = rng.exponential(mean_gap, batch)
        parts.append(now + np.cumsum(gaps))
        now = float(parts[-1][-1])
    times = np.concatenate(parts)
    return times[times < duration_s]
