"""Sound reasons why a design cannot meet the SLOs, found without simulating it."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.models.performance import PhaseTimes

CAPACITY = "prompt capacity"
"""Name of the bound of `prompt_work` and `prompt_rate` in certificates."""

Floats = NDArray[np.float64]


def prompt_rate(times: PhaseTimes, mixing_factor: float = 1.0) -> float:
    """Prompt tokens per second at which no iteration of an instance can do better.

    An iteration with B prompt tokens takes prompt_s(B), or with n token phases at least
    mixing_factor x prompt_s(B + n). With R the largest x / prompt_s(x), and f the factor or 1 if
    that is less, both are at least f B / R. prompt_s is piecewise linear, so x / prompt_s(x) is
    monotone between two points: its largest value over x >= 1 is at a point, at 1 or at infinity.
    """
    x, y = times.prompt_x, times.prompt_y
    last_slope = (y[-1] - y[-2]) / (x[-1] - x[-2])
    at_one = float(times.prompt_s(1.0))
    if last_slope <= 0.0 or at_one <= 0.0:
        return float("inf")
    inside = x >= 1
    best = max(float((x[inside] / y[inside]).max()), 1.0 / last_slope, 1.0 / at_one)
    return float(best / min(1.0, mixing_factor))


def prompt_work(
    requests: Requests, counted: NDArray[np.bool_], slos: SLOSet, alone_s: Floats
) -> float:
    """Prompt tokens per second that any design must process to meet the TTFT (and E2E) targets.

    Proof. Let a target allow m of n counted requests to exceed its limit (see `Simulator.
    target_counts`). At least n - m requests then have their first token by their deadline, arrival
    + limit. Order the deadlines: those up to time t, less m, must have been processed in [first
    arrival, t]; they hold at least the sum of their prompt tokens less that of the m longest
    prompts among all. Over t - first arrival that is a rate; the largest over all t must be within
    the instances' rates together, since prompts run whole and on one instance each.
    """
    if not counted.any():
        return 0.0
    arrival = requests.arrival_s[counted] - requests.arrival_s[0]
    prompts = requests.prompt_tokens[counted].astype(np.float64)
    longest = np.sort(prompts)[::-1]
    needed = 0.0
    for target in slos.targets:
        if target.metric not in ("ttft", "e2e"):
            continue
        alone = alone_s[0 if target.metric == "ttft" else 2][counted]
        limit_s = target.limit * (alone if target.unit == "slowdown" else 1.0)
        may_miss = len(arrival) - 1 - floor(target.percentile / 100 * (len(arrival) - 1))
        excused = float(longest[:may_miss].sum())
        deadline = arrival + limit_s
        order = np.argsort(deadline, kind="stable")
        span = deadline[order] - arrival[0]
        due = np.cumsum(prompts[order]) - excused
        needed = max(needed, float(np.max(due / np.maximum(span, 1e-12))))
    return needed


def can_carry(needed_per_s: float, rates_per_s: Iterable[float]) -> bool:
    """Whether instances of these prompt rates could do the needed work, with room for rounding."""
    return sum(rates_per_s) * (1.0 + 1e-9) >= needed_per_s
