"""What arrival times look like: gaps, dispersion, the rate over time and over the day, peaks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.trace_window import busiest

Floats = NDArray[np.float64]

HOUR_S, DAY_S = 3600.0, 86400.0
DISPERSION_S = (1.0, 10.0, 60.0, 600.0)
BUSIEST_S = (1.0, 60.0, 600.0, 3600.0)
BINS_S = (
    0.01,
    0.1,
    1.0,
    2.0,
    5.0,
    10.0,
    30.0,
    60.0,
    300.0,
    600.0,
    1800.0,
    3600.0,
    21600.0,
    86400.0,
)
MOST_BINS = 240
FEWEST_WINDOWS = 10
"""A variance of fewer counts says nothing."""


class Busiest(NamedTuple):
    """The window of a length in which most requests arrive."""

    length_s: float
    start_s: float
    requests: int
    rate_rps: float


class Series(NamedTuple):
    """Requests per second in bins of `bin_s`; `start_s`: float64 (B,), where each begins."""

    bin_s: float
    start_s: Floats
    rate_rps: Floats


def gap_variation(arrival_s: Floats) -> float | None:
    """Coefficient of variation of the gaps, 1 for Poisson; None where there are fewer than two."""
    gaps = np.diff(arrival_s)
    if len(gaps) < 2 or gaps.mean() == 0:
        return None
    return float(gaps.std() / gaps.mean())


def dispersion(arrival_s: Floats, window_s: float) -> float | None:
    """Index of dispersion: variance over mean of the counts in windows, 1 for Poisson.

    None where fewer than ten windows fit.
    """
    start_s = float(arrival_s[0])
    windows = int((arrival_s[-1] - start_s) // window_s)
    if windows < FEWEST_WINDOWS:
        return None
    counts = _counts(arrival_s - start_s, window_s, windows)
    return float(counts.var() / counts.mean()) if counts.any() else None


def rate_series(arrival_s: Floats) -> Series:
    """The rate over time, in bins of a round length; the last is as long as is left."""
    start_s, end_s = float(arrival_s[0]), float(arrival_s[-1])
    span_s = end_s - start_s
    bin_s = next((one for one in BINS_S if span_s / one <= MOST_BINS), span_s / MOST_BINS)
    bins = int(span_s / bin_s) + 1
    counts = _counts(arrival_s - start_s, bin_s, bins)
    starts: Floats = start_s + bin_s * np.arange(bins, dtype=np.float64)
    lasting = np.minimum(bin_s, np.maximum(end_s - starts, np.finfo(float).tiny))
    if bins > 1 and lasting[-1] < bin_s / 2:  # too short to tell a rate
        counts, starts, lasting = counts[:-1], starts[:-1], lasting[:-1]
    elif bins == 1:
        lasting[:] = bin_s
    return Series(bin_s, starts, counts / lasting)


def day_shape(arrival_s: Floats, start_of_day_s: float) -> Floats | None:
    """Mean rate in each hour of the day, float64 (24,); None for less than a day.

    `start_of_day_s`: the time of day at which `arrival_s` is 0.
    """
    first, last = (float(arrival_s[at]) + start_of_day_s for at in (0, -1))
    if last - first < DAY_S:
        return None
    hours = np.arange(int(first // HOUR_S), int(last // HOUR_S) + 1)
    begun = np.maximum(hours * HOUR_S, first)
    seen_s = np.minimum((hours + 1) * HOUR_S, last) - begun
    counts = np.bincount(((arrival_s + start_of_day_s) // HOUR_S).astype(np.int64) - hours[0])
    of_day = hours % 24
    requests = np.bincount(of_day, weights=counts[: len(hours)], minlength=24)
    rates: Floats = requests / np.bincount(of_day, weights=seen_s, minlength=24)
    return rates


def busiest_windows(arrival_s: Floats) -> tuple[Busiest, ...]:
    """The busiest second, minute, ten minutes and hour, as far as they are shorter than all."""
    found = []
    for length_s in BUSIEST_S:
        if length_s < arrival_s[-1] - arrival_s[0]:
            first, end = busiest(arrival_s, length_s)
            start_s, requests = float(arrival_s[first]), end - first
            found.append(Busiest(length_s, start_s, requests, requests / length_s))
    return tuple(found)


def _counts(since_start_s: Floats, window_s: float, windows: int) -> NDArray[np.int64]:
    """Requests in each of so many windows; those after the last are left out."""
    at = np.minimum(since_start_s / window_s, windows).astype(np.int64)
    return np.bincount(at, minlength=windows)[:windows]


class Times(NamedTuple):
    """Everything about the arrivals of a trace. `dispersion`: by the length of windows."""

    gap_variation: float | None
    dispersion: dict[float, float]
    series: Series
    day_rps: Floats | None
    busiest: tuple[Busiest, ...]


def times_of(arrival_s: Floats, start_of_day_s: float) -> Times:
    """What arrival times, at least one, look like."""
    of_windows = {window_s: dispersion(arrival_s, window_s) for window_s in DISPERSION_S}
    return Times(
        gap_variation(arrival_s),
        {window_s: value for window_s, value in of_windows.items() if value is not None},
        rate_series(arrival_s),
        day_shape(arrival_s, start_of_day_s),
        busiest_windows(arrival_s),
    )
