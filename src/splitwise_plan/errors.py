"""What can go wrong, as values.

SplitwisePlanError
├── InputError        bad input: every problem found, at once (exit code 2)
└── OutputError       a result could not be written (exit code 2)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

MAX_TOLD = 20
"""Problems of one file that are told one by one."""


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


@dataclass(slots=True)
class ManyProblems:
    """Problems of one file that may have very many: the first ones, and how many more there are."""

    where: str
    told: list[Problem] = field(default_factory=list)
    untold: int = 0

    def add(self, problem: Problem) -> None:
        """Keep a problem, or count it."""
        if len(self.told) < MAX_TOLD:
            self.told.append(problem)
        else:
            self.untold += 1

    def add_all(self, problems: Iterable[Problem]) -> None:
        """Keep or count each."""
        for problem in problems:
            self.add(problem)

    def __len__(self) -> int:
        return len(self.told) + self.untold

    def __iter__(self) -> Iterator[Problem]:
        """Those that are told; then, on the line of the last, how many are not."""
        yield from self.told
        if self.untold:
            what = f"and {self.untold:,} more problems like these"
            yield Problem(self.where, what, "", self.told[-1].line)


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
