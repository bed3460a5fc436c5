"""From the cells of rows to numbers: as a whole, and one by one where something is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.traces.account import Account, Fault
from splitwise_plan.facts.traces.clock import Clock, Stamps, number

MAX_TOKENS = 10_000_000
"""More tokens than this in one request is taken for a mistake."""

Cells = Sequence[Any] | NDArray[Any]


class Rows(NamedTuple):
    """Rows as they are in a file: their numbers, int64 (N,), and the cells of three columns.

    Stamps that are int64 are nanoseconds since 1970; everything else is a number or a text.
    """

    numbers: NDArray[np.int64]
    arrival: Stamps
    prompt: Cells
    output: Cells


class Names(NamedTuple):
    """What the three columns are called in the file."""

    arrival: str
    prompt: str
    output: str


class Chunk(NamedTuple):
    """Requests that can be used, all (N,); `arrival_s` is negative before the first request."""

    arrival_s: NDArray[np.float64]
    prompt_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    numbers: NDArray[np.int64]
    stamps: Stamps


def empty() -> Chunk:
    """No requests."""
    none = np.empty(0, dtype=np.int64)
    return Chunk(np.empty(0), none, none, none, ())


def checked(rows: Rows, names: Names, clock: Clock, account: Account, failed: str = "") -> Chunk:
    """The rows that can be used; the others are accounted for.

    `failed`: what 0 output tokens mean where the format says so; such rows are dropped.
    """
    account.read += len(rows.numbers)
    chunk = _as_a_whole(rows, clock, account, failed)
    return chunk if chunk is not None else _one_by_one(rows, names, clock, account, failed)


def _as_a_whole(rows: Rows, clock: Clock, account: Account, failed: str) -> Chunk | None:
    """All rows at once; None if anything at all is unusual about them."""
    try:
        arrival = clock.seconds(rows.arrival)
        prompt, output = (np.array(c, dtype=np.float64) for c in (rows.prompt, rows.output))
    except (ValueError, OverflowError, TypeError):
        return None
    useful = output != 0 if failed else np.ones(len(output), dtype=bool)
    fine = all(
        bool(np.all((tokens >= 1) & (tokens <= MAX_TOKENS) & (tokens == np.floor(tokens))))
        for tokens in (prompt[useful], output[useful])
    )
    in_time = np.isfinite(arrival) & ((arrival >= 0) | clock.shifted)
    if not fine or not bool(np.all(in_time)) or bool(np.any(clock.absolute(arrival) < 0)):
        return None
    chunk = Chunk(
        arrival, prompt.astype(np.int64), output.astype(np.int64), rows.numbers, rows.arrival
    )
    if useful.all():
        return chunk
    dropped = rows.numbers[~useful]
    account.drop(failed, int(dropped[0]), len(dropped))
    return selected(chunk, np.flatnonzero(useful))


def selected(chunk: Chunk, rows: NDArray[np.intp]) -> Chunk:
    """Some rows of a chunk, by their positions."""
    stamps = chunk.stamps
    kept = stamps[rows] if isinstance(stamps, np.ndarray) else [stamps[i] for i in rows]
    return Chunk(
        chunk.arrival_s[rows],
        chunk.prompt_tokens[rows],
        chunk.output_tokens[rows],
        chunk.numbers[rows],
        kept,
    )


def _one_by_one(rows: Rows, names: Names, clock: Clock, account: Account, failed: str) -> Chunk:
    """Row by row, with a problem for each cell that cannot be used."""
    kept: list[tuple[float, int, int, int]] = []
    stamps = []
    for row, stamp, *cells in zip(*rows, strict=True):
        texts = [str(cell).strip() for cell in cells]
        if failed and number(texts[1]) == 0:
            account.drop(failed, int(row))
            continue
        arrival, fault = clock.second(stamp)
        faults = [fault] if fault else []
        for name, text in zip(names[1:], texts, strict=True):
            faults += _token_faults(name, text)
        if faults or arrival is None:
            account.bad_row(int(row), faults)
            continue
        kept.append((arrival, int(float(texts[0])), int(float(texts[1])), int(row)))
        stamps.append(stamp)
    if not kept:
        return empty()
    arrivals, *counts = zip(*kept, strict=True)
    prompt, output, numbers = (np.array(column, dtype=np.int64) for column in counts)
    return Chunk(np.array(arrivals, dtype=np.float64), prompt, output, numbers, stamps)


def _token_faults(name: str, text: str) -> Iterator[Fault]:
    value = number(text)
    if not text:
        yield Fault(
            f"{name} '' is not a finite number", "a whole number of tokens", f"{name} is missing"
        )
    elif value is None or not math.isfinite(value):
        what = f"{name} {text[:40]!r} is not a finite number"
        yield Fault(what, "a whole number of tokens", f"{name} is not a number")
    elif value < 1:
        fix = "`trace import --drop-bad-rows` leaves such requests out"
        yield Fault(f"{name} {text} is below 1", fix, f"{name} is below 1")
    elif value != int(value):
        reason = f"{name} is not a whole number"
        yield Fault(f"{name} {text} is not a whole number", "tokens are counted", reason)
    elif value > MAX_TOKENS:
        what = f"is more than {MAX_TOKENS:,}"
        yield Fault(f"{name} {text} {what}", "check the column", f"{name} {what}")
