"""The two kinds of CSV we ship: profiles and length tables. Lines with `#` are comments."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import numpy as np

from splitwise_plan.errors import InputError, ManyProblems, Problem, raise_if_any
from splitwise_plan.facts.profile import Curve, Floats, Profile
from splitwise_plan.facts.workload import LengthTable
from splitwise_plan.suggest import did_you_mean

CURVES = (
    "prompt_time",
    "token_time_by_batch_tokens",
    "token_time_by_batch",
    "token_time_by_context",
    "prompt_power",
    "token_power",
)
EXTENDED = ("prompt_time", "token_time_by_batch_tokens", "token_time_by_batch")
"""Curves that are used beyond what was measured."""
PROFILE_COLUMNS = ("tensor_parallel", "curve", "x", "median", "measurements")
LENGTH_COLUMNS = ("prompt_tokens", "output_tokens", "count")

MIN_POINTS = 2
MAX_TOKENS = 10_000_000


def parse_profile(text: str, where: str, machine: str, llm: str) -> dict[int, Profile]:
    """Parse a profile CSV into one `Profile` a tensor parallelism. Raises `InputError`."""
    points: dict[int, dict[str, list[tuple[float, float]]]] = {}
    problems = ManyProblems(where)
    for line, row in _rows(text, where, PROFILE_COLUMNS):
        gpus, curve, x, median = (row[name] for name in PROFILE_COLUMNS[:4])
        found = [
            _not_a_number("tensor_parallel", gpus, low=1, whole=True),
            _not_a_number("x", x, low=1),
            _not_a_number("median", median, low=0),
        ]
        if curve not in CURVES:
            found.append((f"unknown curve {curve!r}", did_you_mean(curve, CURVES)))
        wrong = [fault for fault in found if fault]
        problems.add_all(Problem(where, what, fix, line) for what, fix in wrong)
        if not wrong:
            of_degree = points.setdefault(int(float(gpus)), {name: [] for name in CURVES})
            of_degree[curve].append((float(x), float(median)))
    raise_if_any(problems)
    profiles: dict[int, Profile] = {}
    for degree, curves_of_degree in sorted(points.items()):
        faults = {name: _curve_fault(name, curves_of_degree[name]) for name in CURVES}
        problems.add_all(
            Problem(where, f"tensor_parallel {degree}: {name} {fault}", "see the profiles we ship")
            for name, fault in faults.items()
            if fault
        )
        if not any(faults.values()):
            curves = {name: Curve(*_columns(curves_of_degree[name])) for name in CURVES}
            profiles[degree] = Profile(machine, llm, degree, **curves)
    if not points:
        problems.add(Problem(where, "has no rows", f"needs {','.join(PROFILE_COLUMNS)}"))
    raise_if_any(problems)
    return profiles


def parse_lengths(text: str, where: str) -> LengthTable:
    """Parse a length table. Raises `InputError`."""
    columns: list[list[int]] = [[], [], []]
    problems = ManyProblems(where)
    for line, row in _rows(text, where, LENGTH_COLUMNS):
        found = [
            _not_a_number(name, row[name], low=1, high=MAX_TOKENS, whole=True)
            for name in LENGTH_COLUMNS
        ]
        problems.add_all(Problem(where, fault[0], fault[1], line) for fault in found if fault)
        if not any(found):
            for column, name in zip(columns, LENGTH_COLUMNS, strict=True):
                column.append(int(float(row[name])))
    if not columns[0] and not problems:
        problems.add(Problem(where, "has no rows", f"needs {','.join(LENGTH_COLUMNS)}"))
    raise_if_any(problems)
    prompt, output, count = (np.array(column, dtype=np.int64) for column in columns)
    return LengthTable(prompt, output, count)


def _curve_fault(name: str, points: list[tuple[float, float]]) -> str | None:
    """What is wrong with a curve, None if nothing. Times must stay above 0 however far extended."""
    if len(points) < MIN_POINTS:
        return f"has {len(points)} points, needs two or more"
    x, y = _columns(points)
    if np.any(np.diff(x) <= 0):
        return "has x values that do not increase"
    if np.any(y <= 0):
        return "has medians that are not above 0"
    if name in EXTENDED and (y[-1] < y[-2] or Curve(x, y)(1.0) <= 0):
        return "goes to 0 beyond what was measured: its ends must rise"
    return None


def _columns(points: list[tuple[float, float]]) -> tuple[Floats, Floats]:
    table = np.array(points, dtype=np.float64)
    return table[:, 0], table[:, 1]


def _rows(text: str, where: str, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line, row) below the comments and the header. Raises `InputError` on a bad shape."""
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]
    try:
        rows = list(csv.reader(line for _, line in lines))
    except csv.Error as error:
        raise InputError([Problem(where, f"not a CSV file: {error}")]) from None
    if not rows or tuple(rows[0]) != columns or len(rows) != len(lines):
        line = lines[0][0] if lines else None
        raise InputError([Problem(where, "has another header", f"needs {','.join(columns)}", line)])
    for (number, _), row in zip(lines[1:], rows[1:], strict=True):
        if len(row) != len(columns):
            what = f"{len(row)} columns instead of {len(columns)}"
            raise InputError([Problem(where, what, f"needs {','.join(columns)}", number)])
        yield number, dict(zip(columns, row, strict=True))


def _not_a_number(
    name: str, cell: str, *, low: float, high: float = 1e12, whole: bool = False
) -> tuple[str, str] | None:
    """What is wrong with a cell that should be a number, and the fix; None if nothing."""
    kind = "a whole number" if whole else "a number"
    try:
        value = float(cell)
    except ValueError:
        return f"{name} {cell!r} is not {kind}", ""
    if not low <= value <= high or (whole and value != int(value)):
        return f"{name} {cell} must be {kind} of {low:g} to {high:g}", ""
    return None
