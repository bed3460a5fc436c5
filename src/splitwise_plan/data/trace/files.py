"""Traces as files, written chunk by chunk: CSV, gzip if the name says so, or Parquet."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from splitwise_plan.errors import Problem
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.traces.formats.own import COLUMNS
from splitwise_plan.facts.traces.parquet_rows import EXTRA
from splitwise_plan.report.files import file_problem, write_file

ENDINGS = (".csv", ".csv.gz", ".parquet")
PACKED_LEVEL = 6


def trace_problem(flag: str, path: Path) -> Problem | None:
    """Why a trace cannot be written at `path`, as far as can be told before; None if nothing is."""
    if not path.name.endswith(ENDINGS):
        return Problem(flag, f"{path.name!r} has no known ending", f"use {', '.join(ENDINGS)}")
    if path.name.endswith(".parquet"):
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            return Problem(flag, "Parquet needs pyarrow, which is not installed", EXTRA)
    return file_problem(flag, path)


def write_trace(path: Path, chunks: Iterable[Requests]) -> None:
    """Write requests; nothing is left behind where `chunks` raises. Raises `OutputError`."""
    write_file(path, lambda stream: _write(path, stream, chunks))


def _write(path: Path, stream: TextIO, chunks: Iterable[Requests]) -> None:
    if path.name.endswith(".parquet"):
        _write_parquet(stream.buffer, chunks)
    elif path.name.endswith(".gz"):
        packed = gzip.GzipFile("", "wb", PACKED_LEVEL, stream.buffer, mtime=0)
        with packed, io.TextIOWrapper(packed, encoding="utf-8", newline="") as text:
            _write_csv(text, chunks)
    else:
        _write_csv(stream, chunks)


def _write_csv(stream: TextIO, chunks: Iterable[Requests]) -> None:
    stream.write(",".join(COLUMNS) + "\n")
    for chunk in chunks:
        columns = (chunk.arrival_s, chunk.prompt_tokens, chunk.output_tokens)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        stream.write(
            "".join([f"{arrival!r},{prompt},{output}\n" for arrival, prompt, output in rows])
        )


def _write_parquet(stream: Any, chunks: Iterable[Requests]) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    kinds = (pa.float64(), pa.int64(), pa.int64())
    schema = pa.schema(list(zip(COLUMNS, kinds, strict=True)))
    with ParquetWriter(stream, schema) as writer:
        for chunk in chunks:
            columns = [chunk.arrival_s, chunk.prompt_tokens, chunk.output_tokens]
            writer.write_batch(pa.record_batch(columns, schema=schema))
