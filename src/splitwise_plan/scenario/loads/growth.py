"""How a load grows, and when it will have reached a rate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from math import inf, log

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.units import UnitError, to_si

DAYS = {"day": 1.0, "week": 7.0, "month": 365.25 / 12, "year": 365.25}
EXAMPLE = "e.g. '30 %/year', or '5 rps/month'"
MOST_PERCENT = 10_000.0
LAST = date(2200, 1, 1)
"""What lies later is not told as a date."""

_GROWTH = re.compile(
    r"\s*\+?(\d{1,7}(?:\.\d{1,9})?)\s*([A-Za-z%][A-Za-z/%]*)\s*/\s*([a-z]+)\s*", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Growth:
    """`percent` of the load, compounded, or `rps` more requests per second: every `days`.

    `start`: the day on which the load is what the scenario says.
    """

    percent: float
    rps: float
    days: float
    start: date
    text: str
    """As it was given."""

    def days_to(self, rate_rps: float, start_rps: float) -> float:
        """Days from the start until the load is at a rate; 0 where it is there already."""
        if rate_rps <= start_rps:
            return 0.0
        if self.percent:
            return self.days * log(rate_rps / start_rps) / log(1.0 + self.percent / 100.0)
        return self.days * (rate_rps - start_rps) / self.rps

    def reaches(self, rate_rps: float, start_rps: float) -> date | None:
        """The day on which the load reaches a rate; None beyond `LAST`."""
        days = self.days_to(rate_rps, start_rps)
        if days == inf or days >= (LAST - self.start).days:
            return None
        return self.start + timedelta(days=int(days))


def parse_growth(text: str, start: date) -> Growth:
    """`30 %/year`, `5 rps/month`. Raises `InputError`."""
    match = _GROWTH.fullmatch(text)
    if match is None or match[3] not in DAYS:
        periods = ", ".join(DAYS)
        raise InputError(
            [Problem("growth", f"{text[:60]!r} is no growth", f"{EXAMPLE}; periods: {periods}")]
        )
    amount, unit = float(match[1]), match[2]
    percent = unit == "%"
    try:
        rps = 0.0 if percent else to_si(amount, unit, "rate")
    except UnitError as error:
        raise InputError([Problem("growth", str(error), EXAMPLE)]) from None
    if amount == 0.0 or (percent and amount > MOST_PERCENT):
        fix = f"must be above 0 and at most {MOST_PERCENT:,.0f} %"
        raise InputError([Problem("growth", f"{text.strip()!r} cannot be planned for", fix)])
    return Growth(amount if percent else 0.0, rps, DAYS[match[3]], start, text.strip())


def parse_day(text: str) -> date:
    """`2026-11-30`. Raises `InputError`."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        what = f"{text[:60]!r} is no day"
        raise InputError([Problem("from", what, "e.g. 2026-11-30")]) from None
