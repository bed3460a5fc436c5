"""Request traces in CSV, plain or gzip, told apart by their header.

    arrival_s, prompt_tokens, output_tokens             ours, what `--requests-out` writes
    arrival_timestamp, prompt_size, token_size          SplitwiseSim, seconds
    TIMESTAMP, ContextTokens, GeneratedTokens           Azure 2023, date and time
    arrived_at, num_prefill_tokens, num_decode_tokens   Vidur, seconds

Other columns are ignored. A file is read fast as a whole; only if something is wrong with it is it
gone through row by row, to say where.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.importers.text import decode, read_bytes
from splitwise_plan.facts.importers.timestamps import parse_timestamp, parse_timestamps
from splitwise_plan.facts.requests import Requests

MAX_TOKENS = 10_000_000
"""More tokens than this in one request is taken for a mistake."""
MAX_PROBLEMS = 20
CLOCK_TIME_S = 1e8
"""Arrivals in seconds that begin later than this (three years) are times since 1970."""

CLOCK_TIME_MS = 1e11
"""Later than this they can only be milliseconds."""

FORMATS = (
    ("arrival_s", "prompt_tokens", "output_tokens"),
    ("arrival_timestamp", "prompt_size", "token_size"),
    ("TIMESTAMP", "ContextTokens", "GeneratedTokens"),
    ("arrived_at", "num_prefill_tokens", "num_decode_tokens"),
)
_DATED = FORMATS[2]

Fault = tuple[str, str]
"""What is wrong with a cell, and what to do about it."""


class _Layout(NamedTuple):
    names: tuple[str, str, str]
    columns: tuple[int, int, int]

    @property
    def dated(self) -> bool:
        return self.names == _DATED


def read_requests(path: Path) -> Requests:
    """Read the request trace at `path`. Raises `InputError` with everything wrong in it."""
    return parse_requests(read_bytes(path), str(path))


def parse_requests(data: bytes, where: str) -> Requests:
    """Parse the bytes of a request trace; `where` names it in problems.

    Dates, and seconds since 1970, become seconds since the first request. Raises `InputError` with
    20 problems at most.
    """
    text = decode(data, where)
    layout = _layout(text, where)
    requests = _parse_whole(text, layout)
    if requests is None:
        requests = _parse_rowwise(text, layout, where)
    if requests.arrival_s[0] >= CLOCK_TIME_MS:
        what = f"arrivals begin at {requests.arrival_s[0]:.0f} s, in the year 5138 or later"
        raise InputError([Problem(where, what, "are these milliseconds? give seconds")])
    start_s = requests.arrival_s[0] if requests.arrival_s[0] >= CLOCK_TIME_S else 0.0
    return replace(requests, arrival_s=requests.arrival_s - start_s)


def _parse_rowwise(text: str, layout: _Layout, where: str) -> Requests:
    rows, problems = _parse_rows(text, layout, where)
    if problems:
        raise InputError(_capped(problems, where))
    arrival, prompt, output = (np.array(column) for column in zip(*rows, strict=True))
    return Requests(arrival, prompt.astype(np.int64), output.astype(np.int64))


def _layout(text: str, where: str) -> _Layout:
    """Find the format whose three columns the header has."""
    header_line = text.split("\n", 1)[0].strip()
    if not text.strip():
        raise InputError([Problem(where, "the file is empty", f"needs {_known_headers()}")])
    try:
        header = [name.strip() for name in next(csv.reader([header_line]), [])]
    except csv.Error as error:
        raise InputError([Problem(where, f"not a CSV file: {error}", "", 1)]) from None
    for names in FORMATS:
        if all(name in header for name in names):
            at = (header.index(names[0]), header.index(names[1]), header.index(names[2]))
            return _Layout(names, at)
    nearest = max(FORMATS, key=lambda names: sum(name in header for name in names))
    missing = [name for name in nearest if name not in header]
    if len(missing) < len(nearest):
        what, fix = (
            f"column {', '.join(missing)} is missing",
            f"the header is {header_line[:80]!r}",
        )
    else:
        what = f"unknown columns {header_line[:80]!r}"
        fix = f"needs {_known_headers()}"
    raise InputError([Problem(where, what, fix, 1)])


def _parse_whole(text: str, layout: _Layout) -> Requests | None:
    """Parse with numpy; None if anything at all is unusual about the file."""
    body = io.StringIO(text)
    body.readline()
    if not text[body.tell() :].strip():
        return None
    try:
        if layout.dated:
            cells = [[row[i] for i in layout.columns] for row in csv.reader(body) if row]
            arrival = parse_timestamps([row[0] for row in cells])
            prompt, output = (np.array([row[i] for row in cells], float) for i in (1, 2))
        else:
            table = np.loadtxt(
                body, delimiter=",", usecols=layout.columns, comments=None, quotechar='"', ndmin=2
            )
            arrival, prompt, output = table.T
    except (ValueError, OverflowError, IndexError, csv.Error):
        return None
    tokens_fine = all(
        np.all((tokens >= 1) & (tokens <= MAX_TOKENS) & (tokens == np.floor(tokens)))
        for tokens in (prompt, output)
    )
    in_order = arrival.size and bool(np.all(np.diff(arrival) >= 0))
    if not (tokens_fine and in_order and arrival[0] >= 0 and np.isfinite(arrival[-1])):
        return None
    return Requests(np.ascontiguousarray(arrival), prompt.astype(np.int64), output.astype(np.int64))


def _parse_rows(
    text: str, layout: _Layout, where: str
) -> tuple[list[tuple[float, float, float]], list[Problem]]:
    """Parse row by row, with a problem for each cell that cannot be used."""
    rows: list[tuple[float, float, float]] = []
    problems: list[Problem] = []
    reader = csv.reader(io.StringIO(text, newline=""))
    start_ns: int | None = None
    last = 0.0
    try:
        next(reader)
        for row in filter(None, reader):
            line = reader.line_num
            if len(row) <= max(layout.columns):
                what = f"only {len(row)} of at least {max(layout.columns) + 1} columns"
                problems.append(Problem(where, what, "complete the row", line))
                continue
            cells = [row[i].strip() for i in layout.columns]
            if layout.dated:
                at_ns, fault = _date(cells[0], layout.names[0])
                start_ns = at_ns if start_ns is None else start_ns
                arrival = None if at_ns is None or start_ns is None else (at_ns - start_ns) / 1e9
            else:
                arrival, fault = _arrival(cells[0], layout.names[0])
            if arrival is not None and arrival < last:
                fault = (
                    f"{layout.names[0]} {cells[0]} is earlier than the row before",
                    "sort the rows by arrival",
                )
            last = last if arrival is None else max(last, arrival)
            faults = [fault] if fault else []
            faults += _token_faults(cells[1:], layout.names[1:])
            problems += [Problem(where, what, fix, line) for what, fix in faults]
            if not faults and arrival is not None:
                rows.append((arrival, float(cells[1]), float(cells[2])))
    except csv.Error as error:
        problems.append(Problem(where, f"not a CSV file: {error}", "", reader.line_num))
    if not rows and not problems:
        problems.append(Problem(where, "has a header but no requests", "add one row a request"))
    return rows, problems


def _date(cell: str, name: str) -> tuple[int | None, Fault | None]:
    """Nanoseconds since 1970 of a dated arrival, or None, and what is wrong with it."""
    at_ns = parse_timestamp(cell)
    if at_ns is None:
        return None, (f"{name} {cell!r} is not a date and time", "e.g. 2023-11-16 18:15:46.68")
    return at_ns, None


def _arrival(cell: str, name: str) -> tuple[float | None, Fault | None]:
    """Seconds of an arrival cell, or None, and what is wrong with it."""
    value = _number(cell)
    if value is None or not np.isfinite(value):
        return None, (f"{name} {cell!r} is not a finite number", "seconds from the start")
    if value < 0:
        return None, (f"{name} {cell} is negative", "arrivals count from 0")
    return value, None


def _token_faults(cells: list[str], names: tuple[str, ...]) -> Iterator[Fault]:
    for name, cell in zip(names, cells, strict=True):
        value = _number(cell)
        if value is None or not np.isfinite(value):
            yield f"{name} {cell!r} is not a finite number", "a whole number of tokens"
        elif value < 1:
            yield f"{name} {cell} is below 1", "drop requests without tokens"
        elif value != int(value):
            yield f"{name} {cell} is not a whole number", "tokens are counted"
        elif value > MAX_TOKENS:
            yield f"{name} {cell} is more than {MAX_TOKENS:,}", "check the column"


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _capped(problems: list[Problem], where: str) -> list[Problem]:
    if len(problems) <= MAX_PROBLEMS:
        return problems
    more = Problem(where, f"and {len(problems) - MAX_PROBLEMS:,} more problems like these")
    return [*problems[:MAX_PROBLEMS], more]


def _known_headers() -> str:
    return "; or ".join(",".join(names) for names in FORMATS)
