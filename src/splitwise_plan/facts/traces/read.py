"""Request traces of every format, read as a stream: see `formats/` for what is known.

A chunk of rows is read fast as a whole; only where something is wrong with it is it gone through
row by row, to say where.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.traces.account import Account
from splitwise_plan.facts.traces.cells import Chunk, Rows, checked
from splitwise_plan.facts.traces.clock import Clock
from splitwise_plan.facts.traces.formats.base import Format, TableFormat
from splitwise_plan.facts.traces.order import Order, in_order
from splitwise_plan.facts.traces.recognise import ReadAs, recognised
from splitwise_plan.facts.traces.stream import Stream, opened


@dataclass(slots=True)
class Trace:
    """A trace while it is read. `account` and `clock` are complete when `chunks` is through."""

    format: Format
    account: Account
    clock: Clock
    read_as: ReadAs
    rows: Iterator[Rows]
    stream: Stream
    sha256: str = field(default="", init=False)
    span_s: float = field(default=0.0, init=False)
    """From the first to the last arrival."""

    def chunks(self) -> Iterator[Chunk]:
        """Requests in order of arrival. Raises `InputError` with everything wrong, at the end."""
        failed = self.format.failed if isinstance(self.format, TableFormat) else ""
        names, account, clock = self.format.columns, self.account, self.clock
        found: Iterator[Chunk] = (
            checked(rows, names, clock, account, failed) for rows in self.rows
        )
        ordered = isinstance(self.format, TableFormat) or self.format.in_order
        if self.read_as.sort or not ordered:
            found = _in_order(found, account)
        order = Order(account, clock)
        try:
            for chunk in _from_the_first(found, clock):
                order.check(chunk)
                account.kept += len(chunk.numbers)
                if not account.problems:
                    yield chunk
        except InputError as error:
            raise InputError([*account.problems, *error.problems]) from None
        order.close()
        self.span_s = order.last_s - order.first_s
        account.close()
        self.sha256 = self.stream.sha256()
        if self.format.note:
            account.notes.append(self.format.note)


class TraceRead(NamedTuple):
    """All requests of a trace, and how they were read."""

    requests: Requests
    trace: Trace


@contextmanager
def open_trace(path: Path, read_as: ReadAs | None = None) -> Iterator[Trace]:
    """Open a trace and recognise its format. Raises `InputError`."""
    with opened(path) as raw:
        yield _trace(raw, str(path), read_as or ReadAs())


def read_trace(path: Path, read_as: ReadAs | None = None) -> TraceRead:
    """Read all of a trace. Raises `InputError` with everything wrong in it."""
    with open_trace(path, read_as) as trace:
        return _collected(trace)


def parse_trace(data: bytes, where: str, read_as: ReadAs | None = None) -> TraceRead:
    """Read a trace that is in memory; `where` names it in problems. Raises `InputError`."""
    return _collected(_trace(io.BytesIO(data), where, read_as or ReadAs()))


def _trace(raw: BinaryIO, where: str, read_as: ReadAs) -> Trace:
    stream = Stream(raw, where)
    account = Account(where, read_as.drop_bad)
    format_, rows = recognised(stream, read_as, account)
    unit = read_as.time_unit or format_.time_unit
    if read_as.time_unit and format_.time_unit == "date":
        what = f"has no effect: {format_.columns.arrival} of {format_.name} holds dates"
        raise InputError([Problem("--time-unit", what, "drop it")])
    from_first = not isinstance(format_, TableFormat) and not format_.in_order
    clock = Clock(format_.columns.arrival, unit, where, from_first)
    return Trace(format_, account, clock, read_as, rows, stream)


def _in_order(chunks: Iterable[Chunk], account: Account) -> Iterator[Chunk]:
    """One chunk, sorted when it is asked for."""
    yield in_order(chunks, account)


def _from_the_first(chunks: Iterable[Chunk], clock: Clock) -> Iterator[Chunk]:
    """Chunks that hold requests; where arrivals count from the first request, it is at 0."""
    held = (chunk for chunk in chunks if len(chunk.numbers))
    first = next(held, None)
    if first is not None:
        arrival_s = clock.restarted(first.arrival_s) if clock.shifted else first.arrival_s
        yield first._replace(arrival_s=arrival_s)
        yield from held


def _collected(trace: Trace) -> TraceRead:
    columns = zip(*(chunk[:3] for chunk in trace.chunks()), strict=True)
    arrays = [np.concatenate(column) for column in columns]
    return TraceRead(Requests(*arrays), trace)
