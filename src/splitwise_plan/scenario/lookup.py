"""Looking facts up for a scenario: what is not there is a problem of the key that names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.toml_lines import KeyPath
from splitwise_plan.scenario.layers import Layers

Fact = TypeVar("Fact")

_FILES = (".toml", ".csv", ".gz", ".json", ".jsonl", ".parquet")


@dataclass(slots=True)
class Lookup:
    """Gathers problems, so that all of them can be told at once."""

    layers: Layers
    problems: list[Problem] = field(default_factory=list)

    def get(self, path: KeyPath, look_up: Callable[[], Fact]) -> Fact | None:
        """What `look_up` returns; None if it raises `InputError`, whose problems are kept."""
        try:
            return look_up()
        except InputError as error:
            self.problems += [self._placed(path, problem) for problem in error.problems]
            return None

    def add(self, path: KeyPath, what: str, fix: str = "") -> None:
        """A problem of the key at `path`."""
        self.problems.append(self.layers.place(path, what, fix))

    def _placed(self, path: KeyPath, problem: Problem) -> Problem:
        """Problems inside a fact's file stay there; the others go where the fact was named."""
        absent = problem.what.startswith(("no such f", "is a folder"))
        if not absent and (problem.line or problem.where.endswith(_FILES)):
            return problem
        what = f"{problem.where}: {problem.what}" if absent else problem.what
        return self.layers.place(path, what, problem.fix)
