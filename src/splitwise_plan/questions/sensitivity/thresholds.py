"""Where something changes as a factor moves away from 1: a bracket, by steps and bisection.

That it does not change and change back within a step is assumed, as of any threshold found so.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Generic, Literal, NamedTuple, TypeVar

Way = Literal["down", "up"]
WAYS: tuple[Way, ...] = ("down", "up")
Found = TypeVar("Found")

MOST = 4.0
"""Factors beyond this, or below one over it, are not looked at."""

FIRST = 0.02
"""The first step away from 1; each is twice the one before, up to a stride."""

STRIDE = 1.1

PRECISION = 0.005
"""The ends of a bracket differ by no more, as a share."""


class Bracket(NamedTuple, Generic[Found]):
    """Nothing has changed at `inside`; at `outside` `change` has. None: not up to the last."""

    inside: float
    outside: float | None
    change: Found | None


def bracket(
    changed: Callable[[float], Found | None], way: Way, stride: float = STRIDE
) -> Bracket[Found]:
    """Look for the first change in a direction; `changed(1)` is taken to be None."""
    inside, step = 1.0, FIRST
    while True:
        outside = min(inside * min(1.0 + step, stride), MOST)
        found = changed(_factor(outside, way))
        if found is not None:
            break
        inside, step = outside, 2 * step
        if outside == MOST:
            return Bracket(_factor(MOST, way), None, None)
    while outside / inside > 1.0 + PRECISION:
        middle = sqrt(inside * outside)
        between = changed(_factor(middle, way))
        if between is None:
            inside = middle
        else:
            outside, found = middle, between
    return Bracket(_factor(inside, way), _factor(outside, way), found)


def _factor(ratio: float, way: Way) -> float:
    return ratio if way == "up" else 1.0 / ratio
