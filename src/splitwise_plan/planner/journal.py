"""Results kept in a file as they are finished: an interrupted run goes on from them.

A line a result: the name of what was asked, what came of it, and a checksum of both. A result
depends on the question and on that name alone, so a run that finds some written down comes to the
same end, to the bit, as one that works all of them out. Lines are appended whole: of a process that
was killed all but its last line count.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Callable, Generator, Iterable
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import tee
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from splitwise_plan.errors import InputError, ManyProblems, OutputError, Problem, raise_if_any
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.locks import locked
from splitwise_plan.planner.driver import Jobs, in_order
from splitwise_plan.planner.grid import name_of
from splitwise_plan.planner.outcome import Details, Evaluation
from splitwise_plan.planner.serialize import (
    details_from_json,
    details_to_json,
    evaluation_from_json,
    evaluation_to_json,
)

FORMAT = 3
"""Of lines; those of another cannot be read."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Kind(Generic[Item, Result]):
    """Results of one kind: `write` gives None for those that are not worth keeping."""

    name: Callable[[Item], str]
    write: Callable[[Result], Any]
    read: Callable[[Item, Any], Result]


class Journal:
    """A file of results, open for more; a context. Safe to use from several threads."""

    def __init__(self, path: Path, question: str, *, resume: bool) -> None:
        """Begin a file anew, or with `resume` go on from what is there, if anything is.

        Raises `InputError` where that is about another question, or another run writes it;
        `OutputError` if it cannot write.
        """
        self.path = path
        self._lock = Lock()
        self._part = ""
        first = {"splitwise-plan": "journal", "question": question, "format": FORMAT}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{path} was not opened: {error.strerror or error}") from None
        try:
            self._known = self._begin(first, resume=resume)
        except BaseException:
            self._file.close()
            raise
        if not self._known:
            self._append(first)

    def _begin(self, first: object, *, resume: bool) -> dict[str, Any]:
        """What is known already, of a file that nobody else writes."""
        if not locked(self._file, wait=False):
            what = "another run is writing into this folder"
            raise InputError([Problem(str(self.path), what, "wait for it, or name another folder")])
        try:
            known = _read(self.path, first) if resume else {}
            if not known:
                self._file.truncate(0)
        except OSError as error:
            raise OutputError(f"{self.path} was not read: {error.strerror or error}") from None
        return known

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # told when it was written
            self._file.close()

    def part(self, name: str) -> Journal:
        """The same file for a part of the question: its results are not taken for others'."""
        part = copy(self)
        part._part = f"{self._part}{name}: "
        return part

    def in_order(
        self,
        kind: Kind[Item, Result],
        function: Callable[[Item], Result],
        items: Iterable[Item],
        jobs: Jobs,
    ) -> Generator[Result, None, None]:
        """As `driver.in_order`, but for what is written down; the rest is, as it is finished."""
        known = self._known.copy()
        for_work, for_order = tee(items)
        unknown = (item for item in for_work if self._name(kind, item) not in known)
        done = in_order(function, unknown, jobs, partial(self._note, kind))
        try:
            for item in for_order:
                name = self._name(kind, item)
                yield kind.read(item, known[name]) if name in known else next(done)
        finally:
            done.close()

    def _note(self, kind: Kind[Item, Result], item: Item, result: Result) -> None:
        name, written = self._name(kind, item), kind.write(result)
        if written is None:
            return
        with self._lock:
            if name not in self._known:
                self._known[name] = written
                self._append([name, written, _checksum(name, written)])

    def _name(self, kind: Kind[Item, Result], item: Item) -> str:
        return self._part + kind.name(item)

    def _append(self, line: object) -> None:
        try:
            self._file.write(_text(line) + "\n")
            self._file.flush()
        except OSError as error:
            message = f"{self.path} was not written: {error.strerror or error}"
            raise OutputError(message) from None


def kept_in_order(
    journal: Journal | None,
    kind: Kind[Item, Result],
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: Jobs,
) -> Generator[Result, None, None]:
    """`driver.in_order`, with a journal if there is one."""
    if journal is None:
        return in_order(function, items, jobs)
    return journal.in_order(kind, function, items, jobs)


def part_of(journal: Journal | None, name: str) -> Journal | None:
    """The journal of a part of the question, if there is one of all."""
    return None if journal is None else journal.part(name)


def evaluations(about: str, slos: SLOSet) -> Kind[Design, Evaluation]:
    """Designs judged."""
    return Kind(
        lambda design: f"{about}: {name_of(design)}",
        evaluation_to_json,
        partial(evaluation_from_json, slos),
    )


def or_none(kind: Kind[Item, Result]) -> Kind[Item, Result | None]:
    """The same where there may be no result: for that nothing is kept, it is soon found again."""
    return Kind(kind.name, lambda result: None if result is None else kind.write(result), kind.read)


def details(about: str, slos: SLOSet) -> Kind[Design, Details]:
    """Designs and all that is known of them."""
    return Kind(
        lambda design: f"{about}: {name_of(design)}",
        details_to_json,
        partial(details_from_json, slos),
    )


def quick_looks(about: str) -> Kind[Design, bool]:
    """Designs that seem to meet the SLOs, or not."""
    return Kind(lambda design: f"{about}: {name_of(design)}", bool, lambda _, seems: bool(seems))


def _read(path: Path, first: object) -> dict[str, Any]:
    """Results by name. A last line that is not whole is cut off, so that more can follow."""
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    lines = whole.decode(errors="replace").split("\n")[:-1]
    if not lines:
        return {}
    begun = _parsed(lines[0])
    if not isinstance(begun, dict) or "splitwise-plan" not in begun:
        fix = "drop --resume, or name another folder"
        raise InputError([Problem(str(path), "is not a journal of results", fix)])
    if begun != first:
        what = "was kept for another question, or by another version"
        raise InputError([Problem(str(path), what, "drop --resume, or ask the same again")])
    known: dict[str, Any] = {}
    problems = ManyProblems(str(path))
    for number, line in enumerate(lines[1:], start=2):
        match _parsed(line):
            case [str(name), written, checksum] if checksum == _checksum(name, written):
                known[name] = written
            case _:
                fix = "remove the line, or drop --resume"
                problems.add(Problem(str(path), "is a damaged result", fix, line=number))
    raise_if_any(problems)
    if len(whole) < len(content):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return known


def _parsed(line: str) -> Any:
    """What a line says; None where it says nothing."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _checksum(name: str, written: object) -> int:
    return zlib.crc32(_text([name, written]).encode())


def _text(line: object) -> str:
    return json.dumps(line, separators=(",", ":"))
