"""Numbers as people read them. Never rounded so far that two which differ look the same limit."""

from __future__ import annotations

import math

WORDS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
NONE = "-"
NEVER = "inf"
"""A latency that rests on requests which did not finish."""


def count(number: int, one: str, many: str = "") -> str:
    """`1 design`, `1,234 designs`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def in_words(number: int) -> str:
    """Small numbers as words."""
    return WORDS[number] if number < len(WORDS) else f"{number:,}"


def usd(value: float) -> str:
    """Dollars, with cents only where there are some."""
    whole = abs(value - round(value)) < 0.005
    return f"${value:,.0f}" if whole else f"${value:,.2f}"


def kilowatts(watts: float) -> str:
    """Watts, told in kW."""
    return significant(watts / 1e3)


def significant(value: float, digits: int = 3) -> str:
    """`0.0521`, `4.31`, `15.8`, `1,064`: `digits` digits, more before the point if need be."""
    if math.isnan(value):
        return NONE
    if math.isinf(value):
        return NEVER if value > 0 else "-" + NEVER
    if value == 0:
        return "0"
    before = math.floor(math.log10(abs(value))) + 1
    return f"{value:,.{min(max(digits - before, 0), 9)}f}"


def percent(share: float, *, sign: bool = False) -> str:
    """`11 %`; a decimal below 10 %; `sign`: with plus or minus."""
    value = 100 * share
    decimals = 0 if abs(value) >= 10 or value == 0 else 1
    return f"{value:{'+' if sign else ''}.{decimals}f} %"


def gib(value_bytes: float) -> str:
    """Bytes, told in GiB."""
    return f"{value_bytes / 2**30:,.0f}"


def percentile_name(percentile: float) -> str:
    """`P50`, `P99.9`"""
    return f"P{percentile:g}"


def measured(value: float, unit: str) -> str:
    """A latency with its unit: `1.21x`, `0.052 s`."""
    if not math.isfinite(value):
        return significant(value)
    return f"{significant(value)} s" if unit == "s" else f"{value:,.2f}x"


def beside_limit(value: float, limit: float, unit: str) -> tuple[str, str]:
    """A value and its limit; digits are added until a value off its limit looks so."""
    suffix = " s" if unit == "s" else "x"
    told = f"{limit:,g}{suffix}"
    shown = measured(value, unit)
    decimals = 3
    while shown != NONE and value != limit and _number(shown) == limit and decimals < 9:
        shown = f"{value:,.{decimals}f}{suffix}"
        decimals += 1
    return shown, told


def _number(shown: str) -> float:
    return float(shown.rstrip("xs ").replace(",", ""))
