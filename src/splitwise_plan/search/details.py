"""All that is told of one design, from the records of its runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.slo import METRICS
from splitwise_plan.search.outcome import (
    Details,
    Evaluation,
    FailureCounts,
    LatencySummary,
    RequestCounts,
)
from splitwise_plan.sim.beyond import beyond_profile
from splitwise_plan.sim.metrics import Energy, Latencies, Pool, energy, percentiles, pools
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator


def details_of(
    evaluation: Evaluation,
    simulators: Sequence[Simulator],
    runs: Sequence[Run],
    found: Sequence[Latencies],
) -> Details:
    """The details of a design, over its replications: of each its simulator, run and latencies."""
    design, failures = evaluation.design, simulators[0].scenario.failures
    of_pools = [pools(s, design, run) for s, run in zip(simulators, runs, strict=True)]
    energies = [energy(*each) for each in zip(simulators, runs, of_pools, strict=True)]
    prompt_rate, output_rate = np.mean([*map(_tokens_per_s, simulators, runs)], axis=0)
    arrived = sum(len(simulator.requests) for simulator in simulators)
    finished = sum(run.finished for run in runs)
    return Details(
        evaluation=evaluation,
        requests=RequestCounts(arrived, finished, arrived - finished, 0),
        throughput_rps=float(np.mean([*map(_throughput_rps, simulators, runs)])),
        latency_s={m: _summary([f.seconds[m] for f in found]) for m in METRICS},
        slowdown={m: _summary([f.slowdown[m] for f in found]) for m in METRICS},
        kv_transfer_s=_summary([_moved(run) for run in runs]),
        pools=tuple(_average_pools(of_pools)),
        energy=Energy(
            float(np.mean([e.average_power_w for e in energies])),
            float(np.mean([e.wh_per_request for e in energies])),
        ),
        pool_moves=sum(run.pool_moves for run in runs),
        mixed_requests=sum(run.mixed_requests for run in runs),
        prompt_tokens_per_s=float(prompt_rate),
        output_tokens_per_s=float(output_rate),
        beyond=beyond_profile(simulators[0], design, runs[0]),
        failures=_failures(runs) if failures else None,
    )


def _throughput_rps(simulator: Simulator, run: Run) -> float:
    last_arrival_s = simulator.last_arrival_s
    span_s = last_arrival_s - simulator.start_s
    finished = int(np.count_nonzero(run.requests.last_token_s <= last_arrival_s))
    return finished / span_s if span_s > 0 else float("nan")


def _tokens_per_s(simulator: Simulator, run: Run) -> tuple[float, float]:
    """Prompt and output tokens of the requests, per second from the start to the last arrival."""
    requests = simulator.requests
    span_s = simulator.last_arrival_s - simulator.start_s
    if run.finished < len(requests) or span_s <= 0:
        return float("nan"), float("nan")
    return float(requests.prompt_tokens.sum()) / span_s, float(
        requests.output_tokens.sum()
    ) / span_s


def _failures(runs: Sequence[Run]) -> FailureCounts:
    return FailureCounts(
        restarts=sum(run.restarts for run in runs),
        lost_prompt_tokens=sum(run.lost_prompt_tokens for run in runs),
        lost_output_tokens=sum(run.lost_output_tokens for run in runs),
    )


def _summary(parts: Sequence[NDArray[np.float64]]) -> LatencySummary:
    values = np.concatenate(parts)
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return LatencySummary(*[float("nan")] * 4)
    return LatencySummary(float(np.mean(values)), *percentiles(values, (50.0, 90.0, 99.0)))


def _moved(run: Run) -> NDArray[np.float64]:
    return run.requests.kv_transfer_s[run.requests.kv_transfer_s > 0.0]


def _average_pools(replications: Sequence[Sequence[Pool]]) -> list[Pool]:
    return [
        Pool(
            pool=same[0].pool,
            machine=same[0].machine,
            machines=same[0].machines,
            utilisation=float(np.mean([p.utilisation for p in same])),
            prompt_share=float(np.mean([p.prompt_share for p in same])),
            peak_memory_bytes=max(p.peak_memory_bytes for p in same),
            average_power_w=float(np.mean([p.average_power_w for p in same])),
            availability=float(np.mean([p.availability for p in same])),
        )
        for same in zip(*replications, strict=True)
    ]
