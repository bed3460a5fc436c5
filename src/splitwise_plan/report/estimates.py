"""How an SLO's measured value is told: a percentile in its unit, a goodput as a share of requests.

`1.21x of 1.25x (1.19x to 1.23x)`; `92.1 % of 90 % (91.0 % to 93.2 %)`, where more is better.
"""

from __future__ import annotations

from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.report.numbers import beside_limit, measured, percent, significant

MOST_DECIMALS = 6


def value(estimate: Estimate) -> str:
    """`1.21x`, `92.1 %`"""
    if estimate.attained is None:
        return measured(estimate.mean, estimate.target.unit)
    return _share(estimate.attained.mean, estimate.target)


def limit(target: SLOTarget) -> str:
    """`1.25x`, `90 %`"""
    if target.metric == "goodput":
        return f"{target.percentile:g} %"
    return measured(target.limit, target.unit)


def beside(estimate: Estimate) -> tuple[str, str]:
    """A value and its limit, told so that they look different where they are."""
    target = estimate.target
    if estimate.attained is None:
        return beside_limit(estimate.mean, target.limit, target.unit)
    return value(estimate), limit(target)


def interval(estimate: Estimate) -> str:
    """`1.19x to 1.23x`"""
    target = estimate.target
    if estimate.attained is None:
        low, high = measured(estimate.low, target.unit), measured(estimate.high, target.unit)
    else:
        low, high = (_share(end, target) for end in estimate.attained[1:])
    return f"{low} to {high}"


def text(estimate: Estimate) -> str:
    """`1.21x of 1.25x (1.19x to 1.23x)`"""
    told = f"{value(estimate)} of {limit(estimate.target)}"
    if estimate.low < estimate.high:
        told += f" ({interval(estimate)})"
    return told


def worst(estimate: Estimate) -> str:
    """The unfavourable end of the interval: what the limit would have to be."""
    if estimate.attained is None:
        return beside_limit(estimate.high, estimate.target.limit, estimate.target.unit)[0]
    return _share(estimate.attained.low, estimate.target)


def room(estimate: Estimate) -> str:
    """What is left of the limit, or beyond it: `19 %`, `2.1 points`."""
    if estimate.attained is None:
        return percent(abs(1.0 - estimate.mean / estimate.target.limit))
    return f"{significant(abs(_points(estimate)), 2)} points"


def is_spare(estimate: Estimate) -> bool:
    """Whether there is room left."""
    if estimate.attained is None:
        return estimate.mean <= estimate.target.limit
    return _points(estimate) >= 0.0


def _points(estimate: Estimate) -> float:
    attained = estimate.attained.mean if estimate.attained else 0.0
    return 100.0 * attained - estimate.target.percentile


def _share(share: float, target: SLOTarget) -> str:
    """A share with as many decimals as it takes to tell it from the one wanted."""
    decimals = 1
    while (
        decimals < MOST_DECIMALS
        and 100.0 * share != target.percentile
        and float(f"{100.0 * share:.{decimals}f}") == target.percentile
    ):
        decimals += 1
    return f"{100.0 * share:.{decimals}f} %"
