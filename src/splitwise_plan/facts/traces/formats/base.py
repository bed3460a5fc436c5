"""What a format is: how it is recognised, and where a request's arrival and lengths are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.clock import TimeUnit

Record = tuple[Any, Any, Any]
"""Arrival, prompt tokens and output tokens of a request, as the file has them."""


@dataclass(frozen=True, slots=True)
class TableFormat:
    """Columns by their names, in CSV or Parquet.

    `also`: further columns that tell it from others. `failed`: why rows without output tokens are
    failures, where the format says so. `note`: what is not taken over.
    """

    id: str
    name: str
    columns: Names
    time_unit: TimeUnit | None
    also: tuple[str, ...] = ()
    failed: str = ""
    note: str = ""

    @property
    def needs(self) -> str:
        """`TIMESTAMP,ContextTokens,GeneratedTokens`"""
        return ",".join((*self.also, *self.columns))

    def missing(self, header: Iterable[str]) -> list[str]:
        """Columns that a header lacks."""
        known = set(header)
        return [name for name in (*self.also, *self.columns) if name not in known]


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """Objects, one a line, or inside one document.

    `recognises`: whether the first object (of a list: its first element) is of this format.
    `requests`: the requests of a document; None: every line is one. Raises `InputError`.
    `record`: of one request, or why it is left out. `in_order`: written as requests arrive.
    `latencies`: of a request that has a record: seconds to its first and to its last token, or why
    it is left out. Raises `TypeError` where they are no numbers.
    """

    id: str
    name: str
    columns: Names
    time_unit: TimeUnit
    needs: str
    recognises: Callable[[Any], bool]
    record: Callable[[Any], Record | str]
    requests: Callable[[Any, str], Iterable[Any]] | None = None
    in_order: bool = False
    note: str = ""
    latencies: Callable[[Any], tuple[Any, Any] | str] | None = None
    program: str = ""
    """What measured them."""


Format = TableFormat | JsonFormat


def inside(value: Any, *keys: str) -> Any:
    """What is at a path of keys; None if there is nothing."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def first_of(value: Any, *keys: str) -> Any:
    """The value of the first key that there is; None if there is none."""
    return next((found for key in keys if (found := inside(value, key)) is not None), None)


def has(value: Any, *keys: str) -> bool:
    """Whether an object has all these keys."""
    return isinstance(value, Mapping) and all(key in value for key in keys)
