"""Dates and times of traces: `2023-11-16 18:15:46.6805900`, also with `T`, `Z`, `+00:00`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_COLONS = 2
"""In a time of day; more would be another zone's offset."""
_UTC = ("+00:00", "Z")


def parse_timestamps(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return seconds since the first, float64 (N,). Raises `ValueError` if one is no date."""
    dates = np.array([_plain(text) for text in texts], dtype="datetime64[ns]")
    if dates.size == 0 or np.isnat(dates).any():
        raise ValueError("not a date")
    elapsed: NDArray[np.float64] = (dates - dates[0]).astype(np.int64) / 1e9
    return elapsed


def parse_timestamp(text: str) -> int | None:
    """Return nanoseconds since 1970, or None if `text` is no date and time."""
    try:
        date = np.datetime64(_plain(text), "ns")
    except (ValueError, OverflowError):
        return None
    return None if np.isnat(date) else int(date.astype(np.int64))


def _plain(text: str) -> str:
    """`text` without the UTC mark, which numpy does not take. Other zones are refused."""
    text = text.strip()
    for mark in _UTC:
        text = text.removesuffix(mark)
    if len(text) < len("2023-11-16") or text.count(":") > _COLONS:
        raise ValueError(f"not a date: {text!r}")
    return text
