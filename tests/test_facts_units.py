"""Units: each belongs to one dimension, and converts to SI."""

from __future__ import annotations

from collections import Counter

import pytest

from splitwise_plan.units import UNITS, UnitError, dimension_of, to_si


def test_a_unit_belongs_to_one_dimension() -> None:
    names = Counter(unit for units in UNITS.values() for unit in units)
    assert names.most_common(1)[0][1] == 1


@pytest.mark.parametrize(
    ("value", "unit", "si"),
    [
        (17.6, "USD/h", 17.6),
        (6.5, "kW", 6500.0),
        (80, "GiB", 80 * 2**30),
        (80, "GB", 80e9),
        (200, "GiB/s", 200 * 1024**3),
        (1600, "Gb/s", 200e9),
        (8, "ms", 0.008),
        (2, "min", 120.0),
        (1, "h", 3600.0),
        (70, "rps", 70.0),
        (90, "%", 0.9),
        (512, "tokens", 512.0),
        (1.25, "slowdown", 1.25),
    ],
)
def test_known_conversions(value: float, unit: str, si: float) -> None:
    assert to_si(value, unit) == pytest.approx(si, rel=1e-15)


def test_another_dimension_is_refused_with_the_units_that_would_do() -> None:
    with pytest.raises(UnitError, match=r"'kg' is not one of time; use 's', 'ms'"):
        to_si(1, "kg", "time")
    with pytest.raises(UnitError, match="'W' is not one of time"):
        to_si(1, "W", "time")


def test_an_unknown_unit_suggests_the_nearest() -> None:
    with pytest.raises(UnitError, match=r"did you mean 'USD/h'"):
        dimension_of("USD/hr")
