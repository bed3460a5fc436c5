"""Benchmark measurements in the CSV format of SplitwiseSim's `perf_model.csv` (times in ms)."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np

from splitwise_plan.errors import InputError, ManyProblems, Problem, raise_if_any
from splitwise_plan.facts.measurements import Measurements
from splitwise_plan.facts.text import decode, read_bytes
from splitwise_plan.suggest import did_you_mean

WORDS = ("model", "hardware")
COUNTS = ("tensor_parallel", "prompt_size", "batch_size", "token_size")
NUMBERS = ("prompt_time", "token_time", "peak_power", "average_power")
OPTIONAL = NUMBERS[2:]
"""Power; taken as not measured where there is no such column."""
MAX_COUNT = 1_000_000_000
MS = 1e3


def read_measurements(path: Path) -> Measurements:
    """Read the measurements at `path`. Raises `InputError` with everything wrong in it."""
    return parse_measurements(read_bytes(path), str(path))


def parse_measurements(data: bytes, where: str) -> Measurements:
    """Parse measurements; `where` names them in problems. Raises `InputError`."""
    reader = csv.DictReader(io.StringIO(decode(data, where), newline=""))
    names = (*WORDS, *COUNTS, *NUMBERS)
    columns: dict[str, list[str]] = {name: [] for name in names}
    problems = ManyProblems(where)
    try:
        header = reader.fieldnames or []
        missing = [name for name in names if name not in header and name not in OPTIONAL]
        if missing:
            fix = did_you_mean(missing[0], header)
            raise InputError([Problem(where, f"column {', '.join(missing)} is missing", fix, 1)])
        for row in reader:
            cells = {name: row[name] if name in header else "0" for name in names}
            faults = [fault for name in names if (fault := _fault(name, cells[name]))]
            problems.add_all(Problem(where, fault, "", reader.line_num) for fault in faults)
            if not problems:
                for name in names:
                    columns[name].append(cells[name])
    except csv.Error as error:
        problems.add(Problem(where, f"not a CSV file: {error}", "", reader.line_num))
    if not columns["model"] and not problems:
        problems.add(Problem(where, "has a header but no measurements"))
    raise_if_any(problems)
    numbers = {name: np.array(columns[name], dtype=np.float64) for name in (*COUNTS, *NUMBERS)}
    counts = {name: numbers[name].astype(np.int64) for name in COUNTS}
    return Measurements(
        llm=np.array(columns["model"]),
        hardware=np.array(columns["hardware"]),
        tensor_parallel=counts["tensor_parallel"],
        prompt_tokens=counts["prompt_size"],
        batch_size=counts["batch_size"],
        output_tokens=counts["token_size"],
        prompt_s=numbers["prompt_time"] / MS,
        token_s=numbers["token_time"] / MS,
        peak_power=numbers["peak_power"],
        average_power=numbers["average_power"],
    )


def _fault(name: str, cell: str | None) -> str | None:
    """What is wrong with a cell, None if nothing."""
    if not cell:
        return f"{name} is missing"
    if name in WORDS:
        return None
    try:
        value = float(cell)
    except ValueError:
        return f"{name} {cell!r} is not a number"
    if not math.isfinite(value) or value < 0 or (name not in OPTIONAL and value == 0):
        return f"{name} {cell} must be a finite number above 0"
    if name in COUNTS and (value != int(value) or value > MAX_COUNT):
        return f"{name} {cell} must be a whole number"
    return None
