"""Curves over arrays: linear between the points, and beyond the ends linear or held."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def extended(x: Floats, y: Floats, at: ArrayLike) -> Floats:
    """Interpolate linearly, going on beyond the ends with the slope of the outermost two points.

    `x`: (M,) strictly increasing, M >= 2. `at`: any shape, which is the result's.
    """
    at = np.asarray(at, dtype=np.float64)
    right = np.clip(np.searchsorted(x, at), 1, len(x) - 1)
    slope = (y[right] - y[right - 1]) / (x[right] - x[right - 1])
    value: Floats = y[right - 1] + slope * (at - x[right - 1])
    return value


def held(x: Floats, y: Floats, at: ArrayLike) -> Floats:
    """Interpolate linearly, holding the first and the last value beyond the ends."""
    value: Floats = np.interp(np.asarray(at, dtype=np.float64), x, y)
    return value
