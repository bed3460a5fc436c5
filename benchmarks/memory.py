"""Peak memory of simulating a large cluster, in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.clusters import ASSUMPTIONS, CLUSTERS, LARGE
from benchmarks.kernel import ROOT
from benchmarks.table import Row, rate

MIB = 2.0**20


def rows(requests: int) -> Iterator[Row]:
    """One row an assumption set, the workload of long outputs."""
    cluster = CLUSTERS.index(LARGE[1])
    for assumptions in ASSUMPTIONS:
        call = f"report({cluster}, {assumptions!r}, {requests})"
        done = subprocess.run(
            [sys.executable, "-c", f"from benchmarks.memory import report; {call}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        before, peak, count = (float(word) for word in done.stdout.split())
        yield assumptions, rate(count), f"{peak / MIB:,.0f} MiB", f"{before / MIB:,.0f} MiB"


def report(cluster: int, assumptions: str, requests: int) -> None:
    """Print the peak before and after the run, in bytes, and how many requests it had."""
    warm = CLUSTERS[cluster].runner(assumptions, 1000)
    warm.seconds()  # the compiler's own memory is not the run's
    before = peak_bytes()
    runner = CLUSTERS[cluster].runner(assumptions, requests)
    runner.seconds()
    print(before, peak_bytes(), len(runner.requests))


def peak_bytes() -> float:
    """Most memory this process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: `getrusage` would begin with the peak of the parent process
        lines = dict(line.split(":", 1) for line in status.read_text("ascii").splitlines())
        return float(lines["VmHWM"].split()[0]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)
