"""A part of a trace, and a trace at another speed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import PydanticCustomError

from splitwise_plan.facts.requests import Requests
from splitwise_plan.units import UNITS

_BUSIEST = re.compile(
    r"\s*busiest\s+(\d+(?:\.\d*)?(?:[eE][-+]?\d{1,2})?)\s*([A-Za-z]+)\s*", re.ASCII
)
MAX_WINDOW_S = 1e7


@dataclass(frozen=True, slots=True)
class Window:
    """The busiest `length_s` of a trace: the first of those in which most requests arrive."""

    length_s: float


def parsed_window(value: Any) -> Window:
    """`"busiest 10 min"`, for pydantic."""
    example = {"example": "such as 'busiest 10 min', of at most 10,000,000 s"}
    refused = PydanticCustomError("window", "must be {example}", example)
    if isinstance(value, Window):
        return value
    match = _BUSIEST.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[2] not in UNITS["time"]:
        raise refused
    length_s = float(match[1]) * UNITS["time"][match[2]]
    if not 0 < length_s <= MAX_WINDOW_S:
        raise refused
    return Window(length_s)


def busiest(arrival_s: NDArray[np.float64], length_s: float) -> tuple[int, int]:
    """First request of the busiest window, and the one after its last. It begins with a request."""
    ends = np.searchsorted(arrival_s, arrival_s + length_s, side="left")
    first = int(np.argmax(ends - np.arange(len(ends))))
    return first, int(ends[first])


def in_window(requests: Requests, window: Window) -> Requests:
    """The requests of a window, counted from its beginning."""
    first, end = busiest(requests.arrival_s, window.length_s)
    kept = slice(first, end)
    return Requests(
        requests.arrival_s[kept] - requests.arrival_s[first],
        requests.prompt_tokens[kept],
        requests.output_tokens[kept],
    )


def sped_up(requests: Requests, speed: float) -> Requests:
    """The same requests, arriving `speed` times as fast."""
    if speed == 1.0:
        return requests
    return Requests(requests.arrival_s / speed, requests.prompt_tokens, requests.output_tokens)
