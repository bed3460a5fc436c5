"""Days on which a growing load reaches a rate, by hand."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splitwise_plan.errors import InputError
from splitwise_plan.scenario.loads.growth import parse_day, parse_growth

START = date(2026, 1, 1)


@pytest.mark.parametrize(
    ("text", "rate", "days"),
    [
        ("100 %/year", 20.0, 365.25),
        ("100 %/year", 40.0, 2 * 365.25),
        ("+10 % / month", 12.1, 2 * 365.25 / 12),
        ("5 rps/month", 20.0, 2 * 365.25 / 12),
        ("60 requests/min/week", 13.0, 21.0),
        ("1 rps/day", 12.5, 2.5),
    ],
)
def test_by_hand(text: str, rate: float, days: float) -> None:
    growth = parse_growth(text, START)
    assert growth.days_to(rate, 10.0) == pytest.approx(days)
    reached = growth.reaches(rate, 10.0)
    assert reached is not None
    assert (reached - START).days == int(days + 1e-9)


def test_a_rate_that_is_there_is_reached_at_once() -> None:
    assert parse_growth("1 %/year", START).reaches(9.0, 10.0) == START


def test_what_is_centuries_away_has_no_date() -> None:
    assert parse_growth("0.001 %/year", START).reaches(20.0, 10.0) is None


@given(st.floats(0.1, 500), st.floats(10.0, 1000.0), st.floats(1.0, 3.0))
def test_more_is_later(percent: float, rate: float, more: float) -> None:
    growth = parse_growth(f"{percent:.6f} %/year", START)
    assert growth.days_to(rate * more, 10.0) >= growth.days_to(rate, 10.0)


@pytest.mark.parametrize(
    "text", ["", "30 %", "%/year", "0 %/year", "-3 %/year", "30 %/decade", "3 W/year", "1e9 %/day"]
)
def test_what_is_no_growth_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_growth(text, START)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-02-30", "30.11.2026"])
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_day(text)
