"""Rows of JSON: an object a line, or a document with a list of requests."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.text import MOST_BYTES, too_large
from splitwise_plan.facts.traces.account import Account
from splitwise_plan.facts.traces.cells import Rows
from splitwise_plan.facts.traces.formats.base import JsonFormat

CHUNK = 1 << 13
Numbered = Iterator[tuple[int, Any]]


class JsonText:
    """JSON whose first value was read: the first line, or all of it if that is no value."""

    def __init__(self, lines: Iterable[str], where: str) -> None:
        """Raises `InputError` where it is not JSON."""
        self.where = where
        numbered = ((n, line) for n, line in enumerate(lines, start=1) if line.strip())
        number, line = next(numbered)
        self.rest: Iterator[tuple[int, str]] = numbered
        try:
            value = loads(line)
        except ValueError as error:
            rest = list(self._bounded(numbered))
            if not rest:
                raise self._not_json(number, error) from None
            text = "\n" * (number - 1) + line + "".join(line for _, line in rest)
            try:
                value = loads(text)
            except ValueError as all_of_it:
                lines_of = getattr(all_of_it, "lineno", number)
                raise self._not_json(lines_of, all_of_it) from None
            self.rest = iter(())
        self.number, self.value = number, value

    def _bounded(self, numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Lines of one document, which is held whole."""
        held = 0
        for number, line in numbered:
            held += len(line)
            if held > MOST_BYTES:
                raise too_large(self.where, "document", MOST_BYTES)
            yield number, line

    @property
    def first(self) -> Any:
        """What a format is recognised by."""
        return self.value[0] if isinstance(self.value, list) and self.value else self.value

    def requests(self, format_: JsonFormat, account: Account) -> Numbered:
        """The requests as the file has them, by their numbers."""
        if format_.requests is None:
            return self._each_line(account)
        account.counted_in = "request"
        return enumerate(format_.requests(self._document(), self.where), start=1)

    def rows(self, format_: JsonFormat, account: Account) -> Iterator[Rows]:
        """The requests, those that the format marks as failures left out."""
        found = self.requests(format_, account)
        while batch := list(itertools.islice(found, CHUNK)):
            yield _rows(batch, format_, account)

    def _document(self) -> Any:
        another = next(self.rest, None)
        if another is not None:
            what = "a second document begins here"
            raise InputError([Problem(self.where, what, "keep one result a file", another[0])])
        return self.value

    def _each_line(self, account: Account) -> Numbered:
        yield self.number, self.value
        for number, line in self.rest:
            try:
                yield number, loads(line)
            except ValueError as error:
                account.fault(number, f"not JSON: {error}", "one object a line")

    def _not_json(self, number: int, error: ValueError) -> InputError:
        told = getattr(error, "msg", None) or str(error)
        return InputError([Problem(self.where, f"not JSON: {told}", "copy it again", number)])


def loads(text: str) -> Any:
    """Parse JSON. Raises `ValueError`, also where it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _rows(batch: Iterable[tuple[int, Any]], format_: JsonFormat, account: Account) -> Rows:
    numbers, records = [], []
    for number, request in batch:
        record = format_.record(request)
        if isinstance(record, str):
            account.read += 1
            account.drop(record, number)
            continue
        numbers.append(number)
        records.append([_cell(value) for value in record])
    columns = list(zip(*records, strict=True)) or [(), (), ()]
    return Rows(np.array(numbers, dtype=np.int64), *columns)


def _cell(value: Any) -> Any:
    """A number as it is; anything else as a text, which is a number only if it was one in JSON."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)[:60]
