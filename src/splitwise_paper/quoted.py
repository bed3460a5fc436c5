"""Numbers as the paper prints them, each with its unit and where it is printed (`paper/*.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.files import TomlFile, our_folder
from splitwise_plan.facts.problems import validate
from splitwise_plan.facts.quantity import Fact
from splitwise_plan.facts.toml_lines import KeyPath
from splitwise_plan.units import UnitError, dimension_of

Read = Literal["printed", "pixel", "inferred", "computed"]


@dataclass(frozen=True, slots=True)
class Quoted:
    """A number of the paper, or the ends of a range where it gives several. In `unit`."""

    low: float
    high: float
    unit: str
    source: str
    read: Read


class PaperFact(Fact):
    """A leaf of a paper file."""

    high: float | None = None
    read: Read = "printed"

    @model_validator(mode="after")
    def _sound(self) -> PaperFact:
        try:
            dimension_of(self.unit)
        except UnitError as error:
            raise PydanticCustomError("unit", "{why}", {"why": str(error)}) from None
        if self.high is not None and self.high < self.value:
            ends = {"low": self.value, "high": self.high}
            raise PydanticCustomError("order", "value {low} is above high {high}", ends)
        return self

    def quoted(self) -> Quoted:
        high = self.value if self.high is None else self.high
        return Quoted(self.value, high, self.unit, self.source, self.read)


@dataclass(frozen=True, slots=True)
class Paper:
    """All numbers of the paper by their key, e.g. `("fig18", "iso-cost", "splitwise-aa", …)`."""

    numbers: Mapping[tuple[str, ...], Quoted]

    def __call__(self, *key: str) -> Quoted:
        return self.numbers[key]

    def below(self, *key: str) -> list[str]:
        """The next parts of the keys that begin so, in the order of the files."""
        size = len(key)
        found = (one[size] for one in self.numbers if len(one) > size and one[:size] == key)
        return list(dict.fromkeys(found))


def paper(catalog: Catalog) -> Paper:
    """The numbers of the paper, all from our own folder `paper/`; the files become sources."""
    paths = sorted((our_folder() / "paper").glob("*.toml"))
    return read_paper([catalog.toml(path) for path in paths])


def read_paper(files: list[TomlFile]) -> Paper:
    """Gather the numbers of several files. Raises `InputError` with everything wrong in them."""
    numbers: dict[tuple[str, ...], Quoted] = {}
    problems: list[Problem] = []
    for file in files:
        for key, leaf in _leaves(file.data, ()):
            try:
                fact = validate(PaperFact, leaf, _placed(file, key))
            except InputError as error:
                problems += error.problems
                continue
            if key in numbers:
                problems.append(file.problem(key, f"{'.'.join(key)} is given twice"))
            numbers[key] = fact.quoted()
    if problems:
        raise InputError(problems)
    return Paper(numbers)


def _leaves(table: Any, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], Any]]:
    """Tables that hold a value, and whatever is no table, with their keys."""
    if not isinstance(table, dict) or "value" in table:
        return [(path, table)]
    return [leaf for key, inside in table.items() for leaf in _leaves(inside, (*path, key))]


def _placed(file: TomlFile, key: tuple[str, ...]) -> Any:
    def place(path: KeyPath, what: str, fix: str = "") -> Problem:
        return file.problem((*key, *path), what, fix)

    return place
