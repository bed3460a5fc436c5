"""Rows of a Parquet file, chunk by chunk. Needs pyarrow, the extra `[parquet]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.traces.account import Account
from splitwise_plan.facts.traces.cells import Cells, Names, Rows
from splitwise_plan.facts.traces.csv_rows import CHUNK

EXTRA = "pip install 'splitwise-plan[parquet]'"


@dataclass(slots=True)
class ParquetTable:
    """A Parquet file whose schema was read. Its columns are found as those of a CSV file are."""

    file: Any
    header: list[str]
    line: int | None = None

    @classmethod
    def of(cls, raw: BinaryIO, where: str) -> ParquetTable:
        """Read the schema. Raises `InputError` where pyarrow is absent or the file is broken."""
        try:
            from pyarrow import ArrowException
            from pyarrow.parquet import ParquetFile
        except ImportError:
            what = "is a Parquet file, and pyarrow is not installed"
            raise InputError([Problem(where, what, EXTRA)]) from None
        try:
            file = ParquetFile(raw)
        except (ArrowException, OSError, ValueError) as error:
            what = f"not a Parquet file: {str(error).splitlines()[0]}"
            raise InputError([Problem(where, what, "copy it again")]) from None
        return cls(file, list(file.schema_arrow.names))

    def rows(self, names: Names, account: Account) -> Iterator[Rows]:
        """The cells of three columns. Raises `InputError` where they cannot be read."""
        from pyarrow import ArrowException

        account.counted_in = "row"
        before = 0
        try:
            for batch in self.file.iter_batches(batch_size=CHUNK, columns=list(names)):
                numbers = np.arange(before + 1, before + 1 + batch.num_rows)
                before += batch.num_rows
                yield Rows(numbers, *(_cells(batch.column(name)) for name in names))
        except (ArrowException, OSError) as error:
            what = f"cannot be read: {str(error).splitlines()[0]}"
            raise InputError([Problem(account.where, what, "copy it again")]) from None


def _cells(column: Any) -> Cells:
    """Numbers as float64 (nothing is NaN), times as int64 nanoseconds, else texts."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind) and not column.null_count:
        at_ns: NDArray[np.int64] = (
            column.cast(pa.timestamp("ns", kind.tz)).cast(pa.int64()).to_numpy()
        )
        return at_ns
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers: NDArray[np.float64] = column.cast(pa.float64(), safe=False).to_numpy(
            zero_copy_only=False
        )
        return numbers
    return ["" if cell is None else str(cell) for cell in column.to_pylist()]
