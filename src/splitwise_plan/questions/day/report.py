"""The report of a day: what following the load saves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from splitwise_plan.facts.design import Design
from splitwise_plan.questions.day.analysis import DayResult, Hour
from splitwise_plan.questions.day.figure import Point, day_figure
from splitwise_plan.questions.day.totals import ON, SWITCHED, WAYS, Total, switches, totals, watts
from splitwise_plan.report import wording
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.folder import Drawn, in_folder
from splitwise_plan.report.formats import csvfmt, html, jsonfmt, page_html
from splitwise_plan.report.numbers import NONE, count, kilowatts, percent, significant, usd
from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement, words
from splitwise_plan.report.proof import answer, proof
from splitwise_plan.report.provenance import own_facts
from splitwise_plan.report.report import Report

SCHEMA = "splitwise-plan/day/1"


def report(
    result: DayResult,
    timing: Mapping[str, float],
    next_steps: Sequence[str] = (),
    *,
    files: bool = False,
) -> Report:
    """The report; `files`: with those of a folder of results."""
    base = result.day.base
    parts = count(len(result.day.periods), "part")
    top = [
        Statement("Question", (f"{wording.question(base, objective=True)} · a day of {parts}",)),
        answer(base, result.fixed),
        Statement("Proof", proof(base, result.fixed)[:2]),
    ]
    if result.cluster is not None:
        top += _saved(result)
    top += [*wording.trace_facts(base), *own_facts(base)]
    sheets = (_total_sheet(result), _hour_sheet(result)) if result.hours else ()
    page = Page("A day", tuple(top), sheets)
    told = Report(page, _document(result, timing), list(_rows(result)))
    if files:
        told = in_folder(told, base, "day.csv", _drawn(result, page))
    return told.then(next_steps)


def _saved(result: DayResult) -> Iterator[Statement]:
    """What powering down, and switching, saves of a day."""
    all_on, idle, off, *switched = totals(result)
    told = (
        f"machines that are not needed off: {_energy_saved(all_on, off)}, "
        f"{_hours_saved(all_on, off)}",
        f"idle instead of off: {_energy_saved(all_on, idle)}",
    )
    yield Statement("Saved", told)
    if not switched:
        yield Statement(
            "Switched", ("no: the pools are of different machines, or there is one pool",)
        )
        return
    if not switches(result):
        yield Statement(
            "Switched", ("machines in the other pool would save none, in no part of the day",)
        )
        return
    one = switched[0]
    fewer = all_on.machines - one.machines
    size = f"{count(one.machines, 'machine')} in all, {fewer or 'no'} fewer"
    if fewer:
        size += f" ({usd(round(all_on.rent_usd - one.rent_usd))} of rent a day)"
    told_switched = f"machines that change pools with the load: {size}; the rest idle"
    yield Statement("Switched", (f"{told_switched}, {_energy_saved(all_on, one)}",))


def _energy_saved(before: Total, after: Total) -> str:
    saved_kwh = (before.wh - after.wh) / 1e3
    share = percent(1.0 - after.wh / before.wh) if before.wh else NONE
    money = ""
    if before.electricity_usd is not None and after.electricity_usd is not None:
        money = f", {usd(before.electricity_usd - after.electricity_usd)} of electricity"
    return f"{significant(saved_kwh)} kWh a day less ({share}{money})"


def _hours_saved(before: Total, after: Total) -> str:
    hours = before.machine_hours - after.machine_hours
    rent = usd(round(before.rent_usd - after.rent_usd))
    return f"{significant(hours)} machine-hours ({rent} if those are not paid for)"


def _total_sheet(result: DayResult) -> Sheet:
    columns = (
        words("the day"),
        Column("machines"),
        Column("machine-hours"),
        Column("kWh"),
        Column("electricity, $", optional=1),
        Column("rent, $"),
    )
    rows = tuple(
        (
            Cell(one.way),
            Cell(f"{one.machines:,}"),
            Cell(significant(one.machine_hours)),
            Cell(significant(one.wh / 1e3)),
            Cell(NONE if one.electricity_usd is None else f"{one.electricity_usd:,.0f}"),
            Cell(f"{one.rent_usd:,.0f}"),
        )
        for one in totals(result)
    )
    return Sheet(columns, rows)


def _hour_sheet(result: DayResult) -> Sheet:
    switched = result.switched_machines is not None
    columns = [
        *(words("part"), Column("requests/s"), words("needs")),
        *([words("switched")] if switched else []),
        *(Column("kW, all on"), Column("rest idle"), Column("rest off")),
    ]
    rows = []
    for one in result.hours:
        own = one.sized
        extra = [Cell(own.switched.label)] if own.switched is not None else []
        drawn = (one.all_on_w, one.rest_idle_w, one.rest_off_w)
        rows.append(
            (
                Cell(one.period.name),
                Cell(_rate(one)),
                Cell(own.least.label),
                *extra,
                *(Cell(kilowatts(each)) for each in drawn),
            )
        )
    return Sheet(tuple(columns), tuple(rows), "Part by part")


def _rate(hour: Hour) -> str:
    rate = hour.period.rate_rps
    return NONE if rate is None else significant(rate)


def _document(result: DayResult, timing: Mapping[str, float]) -> jsonfmt.Json:
    base = result.day.base
    fixed = jsonfmt.search(base, result.fixed, {})
    return {
        "schema": SCHEMA,
        **jsonfmt.origin(base),
        "objective": jsonfmt.objective_document(base),
        "best": fixed["best"],
        "families": fixed["families"],
        "totals": [one._asdict() for one in totals(result)],
        "switched_machines": result.switched_machines,
        "parts": [_hour(result, one) for one in result.hours],
        "timing": {**timing, "simulations": result.simulations},
    }


def _hour(result: DayResult, one: Hour) -> jsonfmt.Json:
    base, own = result.day.base, one.sized
    return {
        "name": one.period.name,
        "hours": one.period.hours,
        "rate_rps": one.period.rate_rps,
        "busiest_rate_rps": one.period.busiest.arrivals.rate_rps,
        "least": jsonfmt.design(base, own.least),
        "switched": jsonfmt.design(base, own.switched) if own.switched else None,
        "all_on_w": one.all_on_w,
        "rest_idle_w": one.rest_idle_w,
        "rest_off_w": one.rest_off_w,
        "switched_off_w": one.switched_off_w,
    }


def _rows(result: DayResult) -> Iterator[Sequence[csvfmt.Value]]:
    yield (
        *("part", "hours", "rate_rps", "busiest_rate_rps", "prompt_machines", "token_machines"),
        *("switched_prompt_machines", "switched_token_machines"),
        *("all_on_w", "rest_idle_w", "rest_off_w", "switched_off_w"),
    )
    for one in result.hours:
        own, period = one.sized, one.period
        yield (
            *(period.name, period.hours, period.rate_rps, period.busiest.arrivals.rate_rps),
            *(own.least.prompt_machines, own.least.token_machines, *_counts(own.switched)),
            *(one.all_on_w, one.rest_idle_w, one.rest_off_w, one.switched_off_w),
        )


def _counts(design: Design | None) -> tuple[int | None, int | None]:
    return (design.prompt_machines, design.token_machines) if design else (None, None)


def _drawn(result: DayResult, page: Page) -> Drawn:
    figures = _figures(result)
    told = page.top[1]
    badge = "meets the SLOs all day" if told.tone == "good" else "no cluster serves the day"
    parts = [
        page_html.header(told, badge, [page.top[0], *page.top[2:]]),
        *(html.section("The day", html.figure(one), name="day") for one in figures),
        page_html.sheet_section("The numbers", "numbers", *page.sheets),
    ]
    return Drawn(parts, figures)


def _figures(result: DayResult) -> list[Figure]:
    shown = WAYS if switches(result) else WAYS[:3]
    points = [point for way in shown for point in _points(result, way)]
    return [day_figure(points)] if points else []


def _points(result: DayResult, way: str) -> Iterator[Point]:
    cluster = result.cluster
    if cluster is None or (way == SWITCHED and result.switched_machines is None):
        return
    ends = list(accumulate(one.period.hours for one in result.hours))
    for one, end in zip(result.hours, ends, strict=True):
        own = one.sized
        design = {ON: cluster, SWITCHED: own.switched or cluster}.get(way, own.least)
        told = f"{_rate(one)} requests/s"
        start = end - one.period.hours
        kw = watts(way, result, one) / 1e3
        yield Point(one.period.name, start, end, way, design.machines, kw, told)
