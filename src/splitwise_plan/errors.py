"""What can go wrong, as values.

SplitwisePlanError
├── InputError        bad input: every problem found, at once (exit code 2)
└── OutputError       a result could not be written (exit code 2)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with the input: where, what, and what to do about it.

    `where` is a file, flag or table name; `line` is 1-based, None where there is none.
    """

    where: str
    what: str
    fix: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        return f"{place}: {self.what}" + (f" ({self.fix})" if self.fix else "")


class SplitwisePlanError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(SplitwisePlanError):
    """The input cannot be used; `problems` lists everything wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class OutputError(SplitwisePlanError):
    """A result could not be written; nothing half-written is left behind."""


def raise_if_any(problems: Iterable[Problem]) -> None:
    """Raise `InputError` with all `problems` unless there are none."""
    found = tuple(problems)
    if found:
        raise InputError(found)
