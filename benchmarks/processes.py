"""Wall time of whole processes, as a user waits for them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.kernel import ROOT
from benchmarks.table import Row, seconds

SIMULATE = (
    *("simulate", "--family", "splitwise-hh"),
    *("--prompt-machines", "24", "--token-machines", "4"),
)
QUICK: tuple[Sequence[str], ...] = (("--help",), SIMULATE)
ALL: tuple[Sequence[str], ...] = (*QUICK, ("search",))
"""The last is the paper's question: six families, with repetitions."""


def rows(commands: Sequence[Sequence[str]], repeats: int, *, cold: bool) -> Iterator[Row]:
    """One row a command with a warm cache; the first run ever last."""
    for command in commands:
        wall_s(command)
        took = median(wall_s(command) for _ in range(repeats))
        yield " ".join(command), "warm", str(repeats), seconds(took)
    if cold:
        took = median(first_run_s(SIMULATE) for _ in range(repeats))
        yield " ".join(SIMULATE), "empty", str(repeats), seconds(took)


def first_run_s(command: Sequence[str]) -> float:
    """With nothing compiled yet."""
    with TemporaryDirectory() as folder:
        return wall_s(command, NUMBA_CACHE_DIR=folder)


def wall_s(command: Sequence[str], **environment: str) -> float:
    """From start to end of a process."""
    start = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "splitwise_plan", *command],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
    )
    return perf_counter() - start
