"""The report on a trace: lengths, and how its requests arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from splitwise_plan.data.trace import figures, lengths
from splitwise_plan.data.trace.arrival_stats import DAY_S, Busiest, Times, times_of
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.traces.read import TraceRead
from splitwise_plan.facts.traces.timestamps import NS, date_text
from splitwise_plan.report.figures.files import writers
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.files import Writer, text_writer
from splitwise_plan.report.formats import html, jsonfmt, markdown
from splitwise_plan.report.formats.csvfmt import text
from splitwise_plan.report.numbers import count, significant
from splitwise_plan.report.page import Column, Page, Sheet, Statement, plain, words
from splitwise_plan.report.report import Report

UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))


def of_trace(name: str, read: TraceRead, *, drawn: bool) -> Report:
    """The report on a trace that was read; `drawn`: with the files of a folder of results."""
    clock, account = read.trace.clock, read.trace.account
    notes = (*account.told, *account.remarks)
    return of_requests(name, read.requests, read.trace.format.name, clock.start_ns, notes, drawn)


def of_requests(  # noqa: PLR0913, PLR0917
    name: str,
    requests: Requests,
    origin: str,
    start_ns: int | None,
    notes: Sequence[str],
    drawn: bool,
) -> Report:
    """The report on requests. `origin`: their format, or what they were drawn from."""
    of_day_s = 0.0 if start_ns is None else start_ns / NS % DAY_S
    times = times_of(requests.arrival_s, of_day_s)
    known = lengths.describe(name, lengths.shape_of_trace(requests))
    top = [*known.page.top[:1], Statement("Format", (origin,)), *known.page.top[1:]]
    top += [Statement("Burstiness", (_burstiness(times),))]
    if times.day_rps is not None:
        top.append(Statement("Day", (_day(times, dated=start_ns is not None),)))
    if notes:
        top.append(Statement("Notes", tuple(notes)))
    sheets = (*known.page.sheets, _busiest_sheet(times, start_ns)) if times.busiest else (
        known.page.sheets
    )  # fmt: skip
    page = Page("Requests", tuple(top), sheets)
    document = {**known.document, "format": origin, **_document(times, start_ns, notes)}
    report = Report(page, document, known.rows)
    if not drawn:
        return report
    plots = figures.trace_figures(requests, times, dated=start_ns is not None)
    return replace(report, files=_folder(report, plots))


def lasting(length_s: float) -> str:
    """`1 s`, `10 min`, `1 h`"""
    for unit_s, unit in UNITS:
        if length_s >= unit_s and length_s % unit_s == 0:
            return f"{length_s / unit_s:,.0f} {unit}"
    return f"{length_s:g} s"


def _burstiness(times: Times) -> str:
    told = []
    if times.gap_variation is not None:
        told.append(f"gaps vary by {times.gap_variation:.2f} of their mean")
    told += [
        f"counts in {lasting(window_s)}: dispersion {significant(value)}"
        for window_s, value in times.dispersion.items()
    ]
    return f"{'; '.join(told)} (Poisson: 1)" if told else "too few requests to tell"


def _day(times: Times, *, dated: bool) -> str:
    rates = np.array(times.day_rps)
    most, least, mean = int(np.argmax(rates)), int(np.argmin(rates)), float(rates.mean())
    zone = "UTC" if dated else "from the start of the trace"
    return (
        f"busiest from {most}:00 ({rates[most] / mean:.2f} of the mean rate), quietest from "
        f"{least}:00 ({rates[least] / mean:.2f}), {zone}"
    )


def _busiest_sheet(times: Times, start_ns: int | None) -> Sheet:
    columns = (words("busiest"), Column("begins"), Column("requests"), Column("requests/s"))
    rows = tuple(
        plain(
            lasting(one.length_s),
            _begins(one, start_ns),
            f"{one.requests:,}",
            significant(one.rate_rps),
        )
        for one in times.busiest
    )
    return Sheet(columns, rows)


def _begins(one: Busiest, start_ns: int | None) -> str:
    if start_ns is None:
        return f"{one.start_s:,.3f} s"
    return date_text(start_ns + int(one.start_s * NS))


def _document(times: Times, start_ns: int | None, notes: Sequence[str]) -> dict[str, Any]:
    dispersion = [
        {"window_s": window_s, "index": value} for window_s, value in times.dispersion.items()
    ]
    return {
        "first_request": None if start_ns is None else date_text(start_ns),
        "gap_variation": times.gap_variation,
        "dispersion": dispersion,
        "busiest": [one._asdict() for one in times.busiest],
        "rate": {
            "bin_s": times.series.bin_s,
            "start_s": times.series.start_s.tolist(),
            "rate_rps": times.series.rate_rps.tolist(),
        },
        "day_rate_rps": None if times.day_rps is None else times.day_rps.tolist(),
        "notes": list(notes),
    }


def _folder(report: Report, plots: Sequence[Figure]) -> dict[str, Writer]:
    """A folder of results, as every command makes one."""
    page = report.page
    shown = [
        html.tag("header", html.tag("h1", html.text(page.top[0].lines[0])) + html.facts(page.top)),
        html.section("Lengths and peaks", *map(html.sheet, page.sheets), name="tables"),
        html.section("How requests arrive", *map(html.figure, plots), name="figures"),
    ]
    title = f"Trace: {count(report.document['requests'], 'request')}"
    return {
        "result.json": text_writer(jsonfmt.dumps(report.document)),
        "lengths.csv": text_writer(text(report.rows)),
        "report.md": text_writer(markdown.render(page)),
        "report.html": text_writer(html.document(title, shown)),
        **writers(plots),
    }
