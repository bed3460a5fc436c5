"""The report on an import: what was read, what was kept, and why anything was not."""

from __future__ import annotations

from pathlib import Path

from splitwise_plan.facts.traces.read import Trace
from splitwise_plan.facts.traces.timestamps import date_text
from splitwise_plan.report.formats.csvfmt import Value
from splitwise_plan.report.formats.jsonfmt import Json
from splitwise_plan.report.numbers import count, significant
from splitwise_plan.report.page import Column, Page, Sheet, Statement, plain, words
from splitwise_plan.report.report import Report

IMPORT = "splitwise-plan/trace-import/1"


def imported(path: Path, trace: Trace, to: Path | None) -> Report:
    """The report on a trace that was read to its end, and written `to` a file if not None."""
    account, span_s = trace.account, trace.span_s
    start_ns = trace.clock.start_ns
    kept = f"{account.kept:,} of {count(account.read, 'request')} kept"
    rate = f", {significant((account.kept - 1) / span_s)} requests/s" if span_s > 0 else ""
    when = f", from {date_text(start_ns)}" if start_ns is not None else ""
    read_as = f"{trace.format.name}; {_stamps(trace)}"
    top = [
        Statement("Trace", (str(path),)),
        Statement("Format", (read_as,)),
        Statement("Requests", (f"{kept}, over {significant(span_s)} s{rate}{when}",)),
    ]
    remarks = (*account.notes, *account.remarks)
    if remarks:
        top.append(Statement("Notes", remarks))
    top.append(
        Statement("Written", (str(to),))
        if to
        else Statement("Written", ("nothing: add --to FILE.csv",))
    )
    sheets: tuple[Sheet, ...] = ()
    if account.dropped:
        rows = tuple(
            plain(reason, f"{one.rows:,}", account.place(one.first))
            for reason, one in account.dropped.items()
        )
        columns = (words("left out because"), Column("requests"), Column("first"))
        sheets = (Sheet(columns, rows),)
    table: list[tuple[Value, ...]] = [("what", "requests", "first")]
    table += [("read", account.read, None), ("kept", account.kept, None)]
    table += [(f"left out: {why}", one.rows, one.first) for why, one in account.dropped.items()]
    return Report(Page("Import", tuple(top), sheets), _document(path, trace, to), table)


def _document(path: Path, trace: Trace, to: Path | None) -> Json:
    account, start_ns = trace.account, trace.clock.start_ns
    dropped = [
        {"reason": why, "rows": one.rows, "first": one.first}
        for why, one in account.dropped.items()
    ]
    return {
        "schema": IMPORT,
        "source": {"path": str(path), "sha256": trace.sha256, "format": trace.format.id},
        "time_unit": trace.clock.unit,
        "counted_in": account.counted_in,
        "rows": {"read": account.read, "kept": account.kept, "dropped": dropped},
        "duration_s": trace.span_s,
        "first_request": None if start_ns is None else date_text(start_ns),
        "notes": [*account.notes, *account.remarks],
        "to": None if to is None else str(to),
    }


def _stamps(trace: Trace) -> str:
    """`TIMESTAMP read as dates`"""
    units = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
    return f"{trace.clock.name} read as {units.get(trace.clock.unit or '', 'dates')}"
