"""Run all benchmarks and print what they measure."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numba
import numpy

from benchmarks import kernel, memory, processes, threads
from benchmarks.clusters import CLUSTERS, Cluster
from benchmarks.table import Row, show


@dataclass(frozen=True)
class Effort:
    """How much to run."""

    clusters: Sequence[Cluster]
    requests: int
    slow_requests: int
    repeats: int
    everything: bool
    """The slow commands and the first run ever too."""


FULL = Effort(CLUSTERS, requests=1_000_000, slow_requests=3_000, repeats=3, everything=True)
QUICK = Effort(CLUSTERS, requests=50_000, slow_requests=300, repeats=1, everything=False)


def sections(effort: Effort) -> Iterator[tuple[str, tuple[str, ...], Iterator[Row]]]:
    """Title, columns and rows of each table, measured as they are asked for."""
    yield (
        "Requests a second of processor time, and how many times that of plain Python",
        ("cluster", "assumptions", "requests", "requests/s", "x not compiled", "x slow simulator"),
        kernel.rows(effort.clusters, effort.requests, effort.slow_requests, effort.repeats),
    )
    yield (
        "Memory of a process that simulates 1,000 machines",
        ("assumptions", "requests", "peak", "before the run"),
        memory.rows(effort.requests),
    )
    yield (
        "Whole processes, median wall time",
        ("command", "compile cache", "runs", "seconds"),
        processes.rows(
            processes.ALL if effort.everything else processes.QUICK,
            effort.repeats,
            cold=effort.everything,
        ),
    )
    yield (
        "Threads: the same runs, one after the other and side by side",
        ("cluster", "runs", "1 thread", "2 threads", "speed-up"),
        threads.rows(effort.requests // 10, effort.repeats),
    )


def main() -> None:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="small runs, once each; no search, no first run"
    )
    effort = QUICK if parser.parse_args().quick else FULL
    print(
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, "
        f"numba {numba.__version__}, numpy {numpy.__version__}"
    )
    for title, columns, rows in sections(effort):
        show(title, columns, rows)


if __name__ == "__main__":
    main()
