"""What becomes of the rows of a trace: read, kept, dropped and why, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from splitwise_plan.errors import InputError, ManyProblems, Problem

Numbering = Literal["line", "row", "request"]
"""What rows are counted in: lines of text, rows of a Parquet file, requests of a JSON document."""


class Fault(NamedTuple):
    """What is wrong with a cell, what to do about it, and the same without the cell's value."""

    what: str
    fix: str
    reason: str


@dataclass(slots=True)
class Dropped:
    """Rows left out for one reason, and the number of the first of them."""

    rows: int
    first: int


@dataclass(slots=True)
class Account:
    """Gathered while a file is read. `where` names it in problems.

    `drop_bad`: rows that cannot be used are left out and counted, rather than being problems.
    """

    where: str
    drop_bad: bool = False
    counted_in: Numbering = "line"
    read: int = 0
    kept: int = 0
    dropped: dict[str, Dropped] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What may make the requests others than they seem."""
    remarks: list[str] = field(default_factory=list)
    """What is worth a look, and changes nothing."""
    problems: ManyProblems = field(init=False)

    def __post_init__(self) -> None:
        self.problems = ManyProblems(self.where)

    def fault(self, number: int, what: str, fix: str = "") -> None:
        """Something wrong with a row."""
        if self.counted_in == "line":
            self.problems.add(Problem(self.where, what, fix, number))
        else:
            self.problems.add(Problem(self.where, f"{self.place(number)}: {what}", fix))

    def bad_row(self, number: int, faults: Sequence[Fault]) -> None:
        """A row that cannot be used."""
        if self.drop_bad:
            self.drop(faults[0].reason, number)
            return
        for fault in faults:
            self.fault(number, fault.what, fault.fix)

    def short_row(self, number: int, columns: int, needed: int) -> None:
        """A row that ends before the columns that are needed."""
        self.read += 1
        what = f"only {columns} of at least {needed} columns"
        self.bad_row(number, [Fault(what, "complete the row", "too few columns")])

    def drop(self, reason: str, first: int, rows: int = 1) -> None:
        """Rows that are left out; `first` is the number of the first of them."""
        if reason in self.dropped:
            self.dropped[reason].rows += rows
        else:
            self.dropped[reason] = Dropped(rows, first)

    def place(self, number: int) -> str:
        """`line 17`"""
        return f"{self.counted_in} {number:,}"

    @property
    def dropped_lines(self) -> tuple[str, ...]:
        """`12 rows dropped: no response tokens, which marks a failure (first: line 7)`"""
        return tuple(
            f"{one.rows:,} of {self.read:,} requests left out: {reason} "
            f"(first: {self.place(one.first)})"
            for reason, one in self.dropped.items()
        )

    @property
    def told(self) -> tuple[str, ...]:
        """What a report on these requests must say."""
        return (*self.dropped_lines, *self.notes)

    def close(self) -> None:
        """Raise `InputError` with everything that is wrong, or where nothing is left."""
        if not self.problems and not self.read:
            self.problems.add(
                Problem(self.where, "has no requests", "add one row a request, below a header")
            )
        if not self.problems and not self.kept:
            why = "; ".join(self.dropped_lines)
            self.problems.add(Problem(self.where, f"none of its requests can be used: {why}"))
        if self.problems:
            raise InputError(self.problems)
