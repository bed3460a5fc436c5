"""What is known of designs, kept so that nothing is simulated twice: not after a kill either.

Results are asked for in batches. Those of the notebook (an Optuna storage, `study.Notebook`) are
read, the rest is worked out, shared with any other process that has the same batch before it, and
written down one by one. A result depends on its design alone, so it does not matter whose it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.driver import Jobs, in_order, threads
from splitwise_plan.planner.grid import name_of, point_of
from splitwise_plan.planner.study import Domain, Notebook


class Result(Protocol):
    """What a trial holds: its objectives, its constraint, and all else."""

    @property
    def values(self) -> tuple[float, ...]: ...

    @property
    def excess(self) -> float | None: ...

    def to_json(self) -> Any:
        """As numbers and words, exactly."""


R = TypeVar("R", bound=Result)


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where results are kept: a storage of Optuna (a file, a URL, None: in memory) and its study.

    `study_name` None: named after the question, so that the same question goes on where it was.
    """

    storage: str | None = None
    study_name: str | None = None

    @contextmanager
    def notebook(self, question: str, domain: Domain, objectives: int) -> Iterator[Notebook]:
        """Open it. Raises `InputError` where the study is about something else."""
        name = self.study_name or f"splitwise-plan-{question[:16]}"
        try:
            notebook = Notebook(self.storage, name, question, domain, objectives)
        except LookupError as error:
            fix = "leave the name out, or choose another"
            raise InputError([Problem("study", str(error), fix)]) from None
        with closing(notebook):
            yield notebook


@dataclass(slots=True)
class Records(Generic[R]):
    """Results of `work` on designs, by design."""

    notebook: Notebook
    work: Callable[[Design], R]
    from_json: Callable[[Design, Any], R]
    jobs: Jobs
    known: dict[Design, R] = field(default_factory=dict)
    """Everything asked for so far, in the order asked."""
    _written: dict[str, Any] = field(default_factory=dict)

    def of(self, designs: Sequence[Design]) -> list[R]:
        """Their results, in order."""
        new = {name_of(design): design for design in designs if design not in self.known}
        begun: set[str] = set()
        while missing := [key for key in new if not self._has(key)]:
            found, begun = self.notebook.read()
            self._written |= found
            missing = [key for key in missing if not self._has(key)]
            free = [key for key in missing if key not in begun]
            for part in _parts(free or missing, 2 * threads(self.jobs)):
                self._work_on({key: new[key] for key in part}, take_over=not free)
                if not free:
                    break
        for key, design in new.items():
            self.known[design] = self.from_json(design, self._written.pop(key))
        return [self.known[design] for design in designs]

    def _has(self, key: str) -> bool:
        return key in self._written

    def _work_on(self, part: dict[str, Design], *, take_over: bool) -> None:
        points = {key: point_of(design) for key, design in part.items()}
        ours = self.notebook.claim(points, take_over=take_over)
        done = in_order(self.work, [part[key] for key in ours], self.jobs)
        for key, result in zip(ours, done, strict=True):
            written = result.to_json()
            self.notebook.write(key, result.values, result.excess, written)
            self._written[key] = written


def _parts(items: list[str], size: int) -> Iterator[list[str]]:
    remaining = iter(items)
    while part := list(islice(remaining, size)):
        yield part
