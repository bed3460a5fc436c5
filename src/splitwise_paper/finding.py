"""What an item comes to: lines that set our numbers beside the paper's, a figure, and why they
differ where they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from splitwise_paper.claims import Answered
from splitwise_paper.quoted import Quoted
from splitwise_paper.study import Study
from splitwise_plan.report.figures.style import Figure


@dataclass(frozen=True, slots=True)
class Value:
    """A number of ours: the mean over seeds, the least and the most of them."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far ours may be from the paper's: a share of it, or a difference in its unit."""

    share: float = 0.0
    step: float = 0.0

    def holds(self, value: Value, paper: Quoted) -> bool:
        """Whether the mean is as near as that to the paper's number, or to its range."""
        low = paper.low - abs(paper.low) * self.share - self.step
        high = paper.high + abs(paper.high) * self.share + self.step
        slack = 1e-9 * max(abs(low), abs(high))
        return low - slack <= value.mean <= high + slack


@dataclass(frozen=True, slots=True)
class Line:
    """One quantity. `ours` by stack; None: the stack has no such number.

    `paper` None: it prints none. `within` None: not a number to be compared.
    `why`: what a difference comes from in the stack that should give the paper's numbers,
    `elsewhere`: in another; told only where there is one.
    """

    what: str
    unit: str
    paper: Quoted | None
    ours: Mapping[str, Value | None]
    within: Tolerance | None = None
    why: str = ""
    elsewhere: str = ""
    digits: int = 3

    def same(self, stack: str) -> bool | None:
        """Whether a stack gives the paper's number; None where there is nothing to compare."""
        value = self.ours.get(stack)
        if self.paper is None or self.within is None or value is None:
            return None
        return self.within.holds(value, self.paper)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of an item.

    `notes`: how it was made, what it says. `answers`: of items that are about sentences.
    """

    lines: tuple[Line, ...]
    figure: Figure
    notes: tuple[str, ...] = ()
    answers: tuple[Answered, ...] = ()

    def compared(self, stack: str) -> tuple[int, int]:
        """How many lines can be compared with the paper's, and how many are the same."""
        same = [line.same(stack) for line in self.lines]
        return sum(one is not None for one in same), sum(one is True for one in same)

    def reasons(self, stack: str, item: Item) -> dict[str, list[str]]:
        """Why lines miss in a stack, each reason once, with the quantities that it is about."""
        about: dict[str, list[str]] = {}
        for line in self.missed(stack):
            why = line.why if stack == item.basis else line.elsewhere or item.elsewhere
            about.setdefault(why, []).append(line.what)
        return about

    def missed(self, stack: str) -> list[Line]:
        """Lines in which a stack does not give the paper's number."""
        return [line for line in self.lines if line.same(stack) is False]


@dataclass(frozen=True, slots=True)
class Item:
    """A table or figure of the paper.

    `basis`: the stack that should give its numbers: `measured` where the paper measured machines,
    `splitwisesim` where it simulated clusters. `gap`: why some are not the same there, if any are
    not, in a few words. `elsewhere`: why they are not in another stack.
    """

    id: str
    title: str
    about: str
    basis: str
    run: Callable[[Study], Finding]
    gap: str = ""
    elsewhere: str = ""


def value(numbers: float | Iterable[float]) -> Value:
    """Of a number, or of one a seed."""
    many = [float(numbers)] if isinstance(numbers, int | float) else [float(n) for n in numbers]
    return Value(fmean(many), min(many), max(many))


def ratio(above: Sequence[float], below: Sequence[float]) -> Value:
    """Of two quantities, seed by seed."""
    return value(a / b if b else float("inf") for a, b in zip(above, below, strict=True))
