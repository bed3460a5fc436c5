"""Rows of a CSV file, chunk by chunk, with the line that each begins or ends in."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.traces.account import Account
from splitwise_plan.facts.traces.cells import Names, Rows

CHUNK = 1 << 16
"""Rows that are worked on together."""


@dataclass(slots=True)
class CsvTable:
    """A CSV file whose header was read. `reader`: of the module `csv`."""

    reader: Any
    header: list[str]
    line: int
    """Of the header."""

    @classmethod
    def of(cls, lines: Iterable[str], where: str, needs: str) -> CsvTable:
        """Read the header. Raises `InputError` where there is none."""
        reader = csv.reader(lines, strict=True)
        try:
            header = next((row for row in reader if any(map(str.strip, row))), None)
        except csv.Error as error:
            what = f"not a CSV file: {error}"
            raise InputError([Problem(where, what, "", reader.line_num)]) from None
        if header is None:
            raise InputError([Problem(where, "the file is empty", f"needs {needs}")])
        return cls(reader, [name.strip() for name in header], reader.line_num)

    def rows(self, names: Names, account: Account) -> Iterator[Rows]:
        """The cells of three columns; rows that are too short are problems."""
        at = [self.header.index(name) for name in names]
        for batch, numbers in self._batches(account):
            whole = np.array([len(row) > max(at) for row in batch], dtype=bool)
            for i in np.flatnonzero(~whole).tolist():
                account.short_row(int(numbers[i]), len(batch[i]), max(at) + 1)
            long_enough = whole.tolist()
            arrival, prompt, output = (
                [row[column] for row, long in zip(batch, long_enough, strict=True) if long]
                for column in at
            )
            yield Rows(numbers[whole], arrival, prompt, output)

    def _batches(self, account: Account) -> Iterator[tuple[list[list[str]], NDArray[np.int64]]]:
        """Rows that are not blank, and the last line of each."""
        fault, ended = "", False
        while not ended:
            before = self.reader.line_num
            batch: list[list[str]] = []
            try:
                for row in self.reader:
                    batch.append(row)
                    if len(batch) == CHUNK:
                        break
                else:
                    ended = True
            except csv.Error as error:
                fault, ended = f"not a CSV file: {error}", True
            numbers = _line_numbers(batch, before, self.reader.line_num)
            kept = [i for i, row in enumerate(batch) if row]
            if len(kept) < len(batch):
                batch, numbers = [batch[i] for i in kept], numbers[kept]
            if batch:
                yield batch, numbers
        if fault:
            account.fault(self.reader.line_num, fault)


def _line_numbers(batch: list[list[str]], before: int, after: int) -> NDArray[np.int64]:
    """The last line of each row; cells in quotes may go on over several."""
    if after - before == len(batch):
        return np.arange(before + 1, after + 1)
    lines = [1 + sum(cell.count("\n") for cell in row) for row in batch]
    return before + np.cumsum(np.array(lines, dtype=np.int64))
