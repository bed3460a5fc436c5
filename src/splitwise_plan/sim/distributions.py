"""How latencies are spread over requests: quantiles, close enough together to draw a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splitwise_plan.facts.slo import METRICS, Metric
from splitwise_plan.sim.metrics import Latencies, percentiles

PERCENTILES = (*map(float, range(100)), 99.25, 99.5, 99.75, 99.9, 100.0)


@dataclass(frozen=True, slots=True)
class Distribution:
    """One metric over the counted requests of all runs together; inf where some did not finish.

    `seconds[k]`, `slowdown[k]` at `PERCENTILES[k]`. `requests`: those that have the metric: of one
    output token there is no TBT.
    """

    metric: Metric
    requests: int
    mean_s: float
    mean_slowdown: float
    seconds: tuple[float, ...]
    slowdown: tuple[float, ...]


def distributions(runs: Sequence[Latencies]) -> tuple[Distribution, ...]:
    """One entry a metric that any request has."""
    found = []
    for metric in METRICS:
        seconds, slowdown = (
            np.concatenate([of[metric] for of in parts])
            for parts in ([one.seconds for one in runs], [one.slowdown for one in runs])
        )
        some = ~np.isnan(seconds)
        if some.any():
            seconds, slowdown = seconds[some], slowdown[some]
            means = float(np.mean(seconds)), float(np.mean(slowdown))
            curves = [tuple(percentiles(of, PERCENTILES)) for of in (seconds, slowdown)]
            found.append(Distribution(metric, int(some.sum()), *means, *curves))
    return tuple(found)
