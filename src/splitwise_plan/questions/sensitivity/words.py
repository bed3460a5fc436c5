"""The sentences and the table of a sensitivity analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from splitwise_plan.questions.sensitivity.analysis import Change, SensitivityResult, Threshold
from splitwise_plan.questions.sensitivity.knobs import Knob, counts
from splitwise_plan.questions.sensitivity.thresholds import MOST
from splitwise_plan.report import wording
from splitwise_plan.report.numbers import kilowatts, measured, percent, significant, usd
from splitwise_plan.report.page import Cell, Column, Sheet, Statement, words
from splitwise_plan.report.proof import answer, proof

SAME = 5e-4
"""Ratios of objectives closer to 1 than this are as good."""


def facts(result: SensitivityResult) -> Iterator[Statement]:
    """The winner, what it is most sensitive to, and what the thresholds rest on."""
    scenario = result.scenario
    yield Statement("Question", (wording.question(scenario, objective=True),))
    yield answer(scenario, result.found)
    yield Statement("Proof", proof(scenario, result.found)[:2])
    if not result.thresholds:
        return
    first = ordered(result)[0]
    if first:
        yield Statement("Sensitive", (_first(first),))
    yield Statement("Method", _method(result))


def ordered(result: SensitivityResult) -> list[list[Threshold]]:
    """The thresholds that count of each number, the nearest first; numbers without any last."""
    knobs = list(dict.fromkeys(one.knob for one in result.thresholds))
    by_knob = [[one for one in result.thresholds if one.knob is knob] for knob in knobs]
    counting = [[one for one in pair if one.counts] for pair in by_knob]
    return sorted(counting, key=lambda pair: min(map(distance, pair), default=MOST))


def pairs(result: SensitivityResult) -> list[tuple[Threshold, Threshold]]:
    """Of each number the thresholds down and up: the one that the winner fails at first on top."""
    down = [one for one in result.thresholds if one.way == "down"]
    up = [one for one in result.thresholds if one.way == "up"]
    both = list(zip(down, up, strict=True))
    return sorted(both, key=lambda pair: min(distance(one) for one in pair))


def distance(one: Threshold) -> float:
    """How far from 1, as a ratio; the end of what was looked at where nothing changes."""
    if one.outside is None:
        return MOST
    return max(one.outside, 1.0 / one.outside)


def _first(thresholds: Sequence[Threshold]) -> str:
    """`most to the load: from +4.1 % on it misses TBT P90`"""
    told = [f"from {shift(one)} on {what(one)}" for one in sorted(thresholds, key=distance)]
    return f"most to the {thresholds[0].knob.name}: {'; '.join(told)}"


def _method(result: SensitivityResult) -> tuple[str, ...]:
    enough = f" by {percent(result.savings)}" if result.savings else ""
    change = {
        "design": "a change is that this design no longer meets the SLOs for sure, or that one "
        f"that is better{enough} does",
        "family": f"a change is that the best design is of another family{enough}, each family's "
        "counts following the facts",
    }[result.of]
    far = f"factors of 1/{MOST:g} to {MOST:g} were looked at, on the same requests"
    limits = "limits stay as promised: what slowdowns are relative to is not scaled"
    proven = "every better design was looked at"
    if not all(one.proven for one in result.thresholds):
        proven = "what misses is taken to miss where times or the load grow"
        if not all(one.proven for one in result.thresholds if one.way == "down"):
            proven += ", else designs near the edge of what meets were looked at"
        proven += " (--method exhaustive: all)"
    return (f"{change}; {far}", f"{limits}; {proven}")


def shift(one: Threshold) -> str:
    """`+4.1 %`, `-12 %`; for a load, a price or a power what it is then."""
    if one.outside is None:
        return "any"
    told = percent(one.outside - 1.0, sign=True)
    return f"{told} ({amount(one.knob, one.outside)})" if one.knob.value is not None else told


def amount(knob: Knob, factor: float) -> str:
    """The number at a factor, in its unit."""
    if knob.value is None:
        return f"x{factor:.3g}"
    value = knob.value * factor
    if knob.unit == "USD/h":
        return f"{usd(round(value, 2))}/h"
    return f"{kilowatts(value)} kW" if knob.unit == "W" else f"{significant(value)} requests/s"


def what(one: Threshold) -> str:
    """What happens at a threshold."""
    change = one.change
    if change is None:
        return ""
    if change.what == "better" and change.best is not None:
        design = f"{change.best.family.name} {change.best.label}"
        if one.knob.is_money:
            return f"{design} becomes better"
        return f"{design} is best{_price(change)}"
    if change.what == "nothing meets":
        return "no design meets the SLOs"
    of = ""
    if change.target is not None and change.value is not None:
        limit = measured(change.target.limit, change.target.unit)
        value = measured(change.value, change.target.unit)
        of = f" {wording.target_name(change.target)} ({value} of {limit})"
        if change.target.metric == "goodput":
            of = f" {wording.target_name(change.target)}"
    told = f"misses{of}" if change.what == "misses" else f"not sure of{of}"
    if change.best is None:
        return f"{told}; none found that meets"
    return f"{told}; then {change.best.family.name} {change.best.label}{_price(change)}"


def _price(change: Change) -> str:
    """`, +0.8 %`: against the winner."""
    if change.ratio is None or abs(change.ratio - 1.0) < SAME:
        return ", as good" if change.ratio is not None else ""
    return f", {percent(change.ratio - 1.0, sign=True)}"


def threshold_sheet(result: SensitivityResult) -> Sheet:
    """A row a number: how far it may fall and rise, and what happens there."""
    columns = (
        words("if it is wrong"),
        Column("now", optional=1),
        Column("down to"),
        words("then"),
        Column("up to"),
        words("then"),
    )
    rows = []
    for down, up in pairs(result):
        knob = down.knob
        cells = [Cell(_told(down)), _event(result, down), Cell(_told(up)), _event(result, up)]
        now = amount(knob, 1.0) if knob.value is not None else "x1"
        rows.append((Cell(knob.name), Cell(now), *cells))
    return Sheet(columns, tuple(rows))


def _told(one: Threshold) -> str:
    return "any" if one.outside is None else percent(one.outside - 1.0, sign=True)


def _event(result: SensitivityResult, one: Threshold) -> Cell:
    if one.change is None:
        return Cell(_indifferent(result, one), "dim")
    harmful = one.change.what in ("misses", "undecided", "nothing meets")
    return Cell(what(one), "bad" if harmful else "")


def _indifferent(result: SensitivityResult, one: Threshold) -> str:
    """Why nothing changes, where that is plain."""
    if one.knob.is_money and not counts(result.scenario, one.knob):
        return f"{result.scenario.minimize} does not count it"
    return f"no change to x{one.inside:g}"
