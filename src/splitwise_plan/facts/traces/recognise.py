"""Which format a trace is of: told by the user, or by its header or first object."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.traces.account import Account
from splitwise_plan.facts.traces.cells import Names, Rows
from splitwise_plan.facts.traces.clock import TimeUnit
from splitwise_plan.facts.traces.csv_rows import CsvTable
from splitwise_plan.facts.traces.formats import registry
from splitwise_plan.facts.traces.formats.base import Format, JsonFormat, TableFormat
from splitwise_plan.facts.traces.json_rows import JsonText
from splitwise_plan.facts.traces.parquet_rows import ParquetTable
from splitwise_plan.facts.traces.stream import Stream
from splitwise_plan.suggest import did_you_mean

SHOWN = 80


@dataclass(frozen=True, slots=True)
class ReadAs:
    """What the user says of a trace. `format`: an id; `columns`: of a table of their own.

    `drop_bad`: leave out rows that cannot be used. `sort`: sort what is not in order.
    """

    format: str | None = None
    columns: Names | None = None
    time_unit: TimeUnit | None = None
    drop_bad: bool = False
    sort: bool = False


def recognised(stream: Stream, read_as: ReadAs, account: Account) -> tuple[Format, Iterator[Rows]]:
    """The format of a trace, and its rows. Raises `InputError` where it is none that we know."""
    if stream.is_parquet:
        return _table(ParquetTable.of(stream.raw, stream.where), stream.where, read_as, account)
    if stream.is_json and read_as.columns is None:
        text = JsonText(stream.lines(), stream.where)
        format_ = _json_format(text, read_as)
        return format_, text.rows(format_, account)
    needs = "; or ".join(one.needs for one in registry.TABLES)
    table = CsvTable.of(stream.lines(), stream.where, needs)
    return _table(table, stream.where, read_as, account)


def _table(
    table: CsvTable | ParquetTable, where: str, read_as: ReadAs, account: Account
) -> tuple[Format, Iterator[Rows]]:
    format_ = _table_format(table, where, read_as)
    twice = [name for name in format_.columns if table.header.count(name) > 1]
    if twice:
        what = f"column {', '.join(dict.fromkeys(twice))} is there more than once"
        raise InputError([Problem(where, what, "keep one of each", table.line)])
    return format_, table.rows(format_.columns, account)


def _table_format(table: CsvTable | ParquetTable, where: str, read_as: ReadAs) -> TableFormat:
    """The first format whose columns are all there; the problem names what the nearest lacks."""
    if read_as.columns is not None:
        own = TableFormat(registry.PLAIN, "a table of your own", read_as.columns, None)
        candidates: tuple[TableFormat, ...] = (own,)
    elif read_as.format is not None:
        candidates = tuple(one for one in registry.TABLES if one.id == read_as.format)
        if not candidates:
            raise _another(where, read_as.format, "a table of rows and columns")
    else:
        candidates = registry.TABLES
    header = table.header
    for format_ in candidates:
        if not format_.missing(header):
            return format_
    nearest = min(candidates, key=lambda one: len(one.missing(header)))
    missing = nearest.missing(header)
    shown = repr(_joined(header))
    if len(candidates) == 1 or len(missing) < len(nearest.columns):
        what = f"column {', '.join(missing)} is missing"
        fix = f"the header is {shown}"
        if read_as.columns is not None:
            fix = did_you_mean(missing[0], header)
        raise InputError([Problem(where, what, fix, table.line)])
    needs = "; or ".join(one.needs for one in candidates)
    fix = f"needs {needs}; or say --columns arrival=…,prompt=…,output=…"
    raise InputError([Problem(where, f"unknown columns {shown}", fix, table.line)])


def _json_format(text: JsonText, read_as: ReadAs) -> JsonFormat:
    first = text.first
    if read_as.format is not None:
        format_ = next((one for one in registry.JSON if one.id == read_as.format), None)
        if format_ is None:
            raise _another(text.where, read_as.format, "JSON")
        return format_
    for format_ in registry.JSON:
        if format_.recognises(first):
            return format_
    keys = ", ".join(map(str, first)) if isinstance(first, dict) else f"no keys: {first!r}"
    needs = "; or ".join(one.needs for one in registry.JSON)
    what = f"JSON of no known format, with {keys[:SHOWN]}"
    raise InputError([Problem(text.where, what, f"needs {needs}", text.number)])


def _another(where: str, format_id: str, looks: str) -> InputError:
    return InputError([Problem(where, f"is not {format_id}: it is {looks}", "drop --from")])


def _joined(header: list[str]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow(header)
    return written.getvalue()[:SHOWN]
