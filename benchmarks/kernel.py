"""Speed of the compiled kernel, beside the same kernel not compiled and the slow simulator.

In processor time, so that other work on the machine disturbs little.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import thread_time

from benchmarks.clusters import ASSUMPTIONS, CLUSTERS, Cluster
from benchmarks.table import Row, rate, times
from splitwise_plan.models.memory import instance_memory_bytes, kv_bytes_per_token
from splitwise_plan.models.performance import phase_times

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))  # the slow simulator is a test's oracle

import slow_simulator as slow  # noqa: E402


def rows(
    clusters: Sequence[Cluster], requests: int, slow_requests: int, repeats: int
) -> Iterator[Row]:
    """One row a cluster and assumption set."""
    for cluster in clusters:
        for assumptions in ASSUMPTIONS:
            runner = cluster.runner(assumptions, requests)
            runner.seconds()  # compiles, or loads what was compiled
            took = median(runner.seconds() for _ in range(repeats))
            compiled = len(runner.requests) / took
            plain = not_compiled_per_s(cluster, assumptions, slow_requests)
            against_slow = "-"  # the slow simulator knows the rules of `measured`
            if assumptions == "measured":
                against_slow = times(compiled / slow_per_s(cluster, slow_requests))
            yield (
                cluster.name,
                assumptions,
                rate(len(runner.requests)),
                rate(compiled),
                times(compiled / plain),
                against_slow,
            )


def not_compiled_per_s(cluster: Cluster, assumptions: str, requests: int) -> float:
    """Requests a second of the kernel as plain Python, in a process of its own."""
    script = (
        "from benchmarks.clusters import CLUSTERS; "
        f"runner = CLUSTERS[{CLUSTERS.index(cluster)}].runner({assumptions!r}, {requests}); "
        "print(len(runner.requests) / runner.seconds())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def slow_per_s(cluster: Cluster, requests: int) -> float:
    """Requests a second of the slow simulator, under the assumptions `measured`."""
    runner = cluster.runner("measured", requests)
    scenario, design = runner.simulator.scenario, runner.design
    options, machine = scenario.scheduler, design.family.prompt_machine
    times_of = phase_times(
        scenario.profile(machine, scenario.tensor_parallel), scenario.assumptions
    )
    model = slow.MachineTimes(
        prompt_x=times_of.prompt_x.tolist(),
        prompt_y=times_of.prompt_y.tolist(),
        token_x=times_of.token_x.tolist(),
        token_y=times_of.token_y.tolist(),
        context_slope_s=times_of.context_slope_s,
        memory_bytes=instance_memory_bytes(machine, scenario.tensor_parallel),
        weights_bytes=scenario.llm.weights_bytes,
        bandwidth_bytes_per_s=machine.link.bandwidth_bytes_per_s,
        layerwise_visible_s=machine.link.layerwise_visible_s,
    )
    rules = slow.Rules(
        kv_bytes=kv_bytes_per_token(scenario.llm, scenario.assumptions),
        layers=scenario.llm.layers,
        prompt_queue_limit_tokens=options.prompt_queue_limit_tokens,
        max_batch_size=options.max_batch_size,
        max_batch_tokens=options.max_batch_tokens,
        max_passes=options.max_passes,
        mixing_factor=options.mixing_factor,
    )
    given = runner.requests
    columns = (given.arrival_s.tolist(), given.prompt_tokens.tolist(), given.output_tokens.tolist())
    listed = list(zip(*columns, strict=True))
    prompt, token = [model] * design.prompt_machines, [model] * design.token_machines
    start = thread_time()
    slow.simulate(listed, prompt, token, False, rules)
    return len(listed) / (thread_time() - start)
