"""From the stamps of a trace to seconds: dates, and numbers in a unit that is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.traces.account import Fault
from splitwise_plan.facts.traces.timestamps import NS, parse_date, parse_dates

TimeUnit = Literal["s", "ms", "us", "ns", "date"]
NUMBERS = ("s", "ms", "us", "ns")
PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}

CLOCK_TIME_S = 1e8
"""Arrivals that begin later than this (three years) are times since 1970."""

Stamps = Sequence[Any] | NDArray[Any]


@dataclass(slots=True)
class Clock:
    """Reads the column `name`. `unit` None: dates, or numbers whose unit the column's name tells.

    `origin`: the stamp that is 0, in nanoseconds of a date, else in seconds; None before the first
    stamp was read. Dates and times since 1970 count from the first request, all others if
    `from_first`; else stamps are taken as they are.
    """

    name: str
    unit: TimeUnit | None
    where: str
    from_first: bool = False
    origin: float | None = None
    origin_ns: int = 0

    @property
    def shifted(self) -> bool:
        """Whether arrivals count from the first request, so that earlier ones are negative."""
        return self.unit == "date" or self.from_first or bool(self.origin)

    @property
    def start_ns(self) -> int | None:
        """Nanoseconds since 1970 of arrival 0; None if that is not known."""
        if self.origin is None:
            return None
        if self.unit == "date":
            return self.origin_ns
        return int(self.origin * NS) if self.origin >= CLOCK_TIME_S else None

    def seconds(self, stamps: Stamps) -> NDArray[np.float64]:
        """Arrivals in seconds, float64 (N,). Raises `ValueError` where a stamp is none."""
        if len(stamps) == 0:
            return np.empty(0)
        unit = self._unit(stamps[0])
        if unit == "date":
            if isinstance(stamps, np.ndarray) and stamps.dtype == np.int64:
                at_ns = stamps
            else:
                at_ns = parse_dates(stamps)
            self._start(float(at_ns[0]) / NS, int(at_ns[0]))
            elapsed: NDArray[np.float64] = (at_ns - self.origin_ns) / NS
            return elapsed
        values = np.array(stamps, dtype=np.float64) / PER_SECOND[unit]
        if self.origin is None and not math.isfinite(values[0]):
            raise ValueError("not a number")
        self._start(float(values[0]))
        return values - (self.origin or 0.0)

    def second(self, stamp: object) -> tuple[float | None, Fault | None]:
        """Seconds of one stamp, or None, and what is wrong with it."""
        text = str(stamp).strip()
        unit = self._unit(stamp)
        if unit == "date":
            at_ns = int(stamp) if isinstance(stamp, np.integer) else parse_date(text)
            if at_ns is None:
                what = f"{self.name} {text!r} is not a date and time"
                return None, Fault(what, "e.g. 2023-11-16 18:15:46.68", f"{self.name} is no date")
            self._start(at_ns / NS, at_ns)
            return (at_ns - self.origin_ns) / NS, None
        value = number(text)
        if value is None or not math.isfinite(value):
            what = f"{self.name} {text!r} is not a finite number"
            reason = f"{self.name} is not a number"
            return None, Fault(what, _words(unit), reason)
        if value < 0:
            what = f"{self.name} {text} is negative"
            return None, Fault(what, "arrivals count from 0", f"{self.name} is negative")
        self._start(value / PER_SECOND[unit])
        return value / PER_SECOND[unit] - (self.origin or 0.0), None

    def restarted(self, arrival_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Arrivals counted from the first of them, which now is the origin."""
        start_s = float(arrival_s[0])
        self.origin = (self.origin or 0.0) + start_s
        self.origin_ns += round(start_s * NS)
        return arrival_s - start_s if start_s else arrival_s

    def absolute(self, arrival_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Stamps in seconds, as the file has them."""
        return arrival_s + (self.origin or 0.0)

    def _start(self, first_s: float, first_ns: int = 0) -> None:
        if self.origin is None:
            from_first = self.from_first or self.unit == "date" or first_s >= CLOCK_TIME_S
            self.origin, self.origin_ns = (first_s, first_ns) if from_first else (0.0, 0)

    def _unit(self, stamp: object) -> TimeUnit:
        """The unit of the stamps; told by the first of them where nothing else does."""
        if self.unit is None:
            date = isinstance(stamp, np.integer) or parse_date(str(stamp)) is not None
            self.unit = "date" if date else _unit_of_name(self.name)
        if self.unit is None:
            what = f"{self.name} {str(stamp)[:40]!r} is a number without a unit, or not a date"
            raise InputError([Problem(self.where, what, f"say --time-unit {', '.join(NUMBERS)}")])
        return self.unit


def number(text: str) -> float | None:
    """A cell as a number; None if it is none."""
    try:
        return float(text)
    except (ValueError, OverflowError):
        return None


def _unit_of_name(name: str) -> TimeUnit | None:
    """`ms` of `sent_ms`; None where the name says nothing."""
    endings: tuple[TimeUnit, ...] = ("ms", "us", "ns", "s")
    return next((unit for unit in endings if name.lower().endswith(f"_{unit}")), None)


def _words(unit: TimeUnit) -> str:
    words = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
    return f"{words[unit]} from the start"
