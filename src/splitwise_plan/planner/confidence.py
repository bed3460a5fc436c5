"""How sure a verdict on windows is: a sequential test on percentiles of independent replications.

At each look (the first `seeds` replications, then twice and four times as many, up to `max_seeds`)
every target's percentile has a Student-t interval over the replications. A design `meets` when all
upper ends are within their limits, `misses` when a lower end is beyond its limit; otherwise it gets
more replications, and is `undecided` at the last look. Both errors are at most `ERROR_RATE` a
target over all looks together (Bonferroni over the looks), as far as percentiles of independent
windows are normal around the one that is asked for: that of a window of this length, begun with an
empty cluster, not that of a service (`steady`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.sim.verdict import TargetResult, Verdict

ERROR_RATE = 0.05
LOOKS = 3


class Interval(NamedTuple):
    """A mean over replications and the ends of its interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A target's percentile over replications: its mean, and the interval of the current look.

    With one replication there is no interval: both ends are the value. `attained`: of a goodput,
    the share of requests that meet its limits, which is told; the verdict goes by the percentile.
    """

    target: SLOTarget
    mean: float
    low: float
    high: float
    attained: Interval | None = None


def looks(seeds: int, max_seeds: int) -> list[int]:
    """Numbers of replications at which the test looks, increasing."""
    return sorted({min(seeds * 2**look, max_seeds) for look in range(LOOKS)})


def estimates(replications: Sequence[Sequence[TargetResult]]) -> list[Estimate]:
    """One estimate a target, from the results of each replication."""
    found = []
    for results in zip(*replications, strict=True):
        values = [result.value for result in results if not isnan(result.value)]
        if values:
            shares = [result.attained for result in results if result.attained is not None]
            attained = _share_interval(shares) if shares else None
            found.append(Estimate(results[0].target, *_interval(values), attained))
    return found


def decide(found: Sequence[Estimate]) -> Verdict:
    """What a look says: `undecided` asks for more replications."""
    if not found:
        return "undecided"
    if any(estimate.low > estimate.target.limit for estimate in found):
        return "misses"
    if all(estimate.high <= estimate.target.limit for estimate in found):
        return "meets"
    return "undecided"


def t_quantile(probability: float, degrees_of_freedom: int) -> float:
    """Quantile of Student's t distribution."""
    from scipy.special import stdtrit  # 0.2 s to import: only where there is something to test

    return float(stdtrit(degrees_of_freedom, probability))


def _share_interval(shares: Sequence[float]) -> Interval:
    """Of shares from 0 to 1."""
    mean, low, high = _interval(shares)
    return Interval(mean, max(low, 0.0), min(high, 1.0))


def _interval(values: Sequence[float]) -> Interval:
    if inf in values:
        some = [value for value in values if value < inf]
        return Interval(inf, (min(some) if some else inf), inf)
    mean = fmean(values)
    if len(values) == 1:
        return Interval(mean, mean, mean)
    half = t_quantile(1 - ERROR_RATE / LOOKS, len(values) - 1) * stdev(values) / sqrt(len(values))
    return Interval(mean, max(mean - half, 0.0), mean + half)
