"""Runs side by side: the kernel holds no lock."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from benchmarks.clusters import MIDDLE, Runner
from benchmarks.table import Row, seconds, times
from splitwise_plan.planner.driver import in_order

RUNS = 16


def rows(requests: int, repeats: int) -> Iterator[Row]:
    """One row a workload, under the default assumptions."""
    for cluster in MIDDLE:
        runner = cluster.runner("measured", requests)
        runner.seconds()
        one, two = (median(wall_s(runner, jobs) for _ in range(repeats)) for jobs in (1, 2))
        yield cluster.name, str(RUNS), seconds(one), seconds(two), times(one / two)


def wall_s(runner: Runner, jobs: int) -> float:
    """Of all runs together."""
    start = perf_counter()
    list(in_order(lambda _: runner.seconds(), range(RUNS), jobs))
    return perf_counter() - start
