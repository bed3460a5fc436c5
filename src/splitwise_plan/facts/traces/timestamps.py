"""Dates and times of traces: `2023-11-16 18:15:46.6805900`, also with `T`, `Z`, `+00:00`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

NS = 1e9
_COLONS = 2
"""In a time of day; more would be another zone's offset."""
_UTC = ("+00:00", "Z")


def parse_dates(texts: Iterable[str]) -> NDArray[np.int64]:
    """Return nanoseconds since 1970, int64 (N,). Raises `ValueError` if one is no date."""
    plain = [_plain(text) for text in texts]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy warns of what it takes for a zone, and ignores it
        try:
            dates = np.array(plain, dtype="datetime64[ns]")
        except UserWarning as warning:
            raise ValueError(str(warning)) from None
    if np.isnat(dates).any():
        raise ValueError("not a date")
    return dates.astype(np.int64)


def parse_date(text: str) -> int | None:
    """Return nanoseconds since 1970, or None if `text` is no date and time."""
    try:
        return int(parse_dates([text])[0])
    except (ValueError, OverflowError):
        return None


def date_text(at_ns: int) -> str:
    """`2023-11-16 18:15:46 UTC`"""
    return f"{np.datetime64(at_ns, 'ns').astype('datetime64[s]')} UTC".replace("T", " ", 1)


def _plain(text: str) -> str:
    """`text` without the UTC mark, which numpy does not take. Other zones are refused."""
    text = text.strip()
    for mark in _UTC:
        text = text.removesuffix(mark)
    # Ten digits would be taken for a year.
    if text[4:5] != "-" or text[7:8] != "-" or text.count(":") > _COLONS:
        raise ValueError(f"not a date: {text!r}")
    return text
