"""All that is told of one design, from the records of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import METRICS
from splitwise_plan.planner.outcome import (
    Details,
    Evaluation,
    FailureCounts,
    LatencySummary,
    RequestCounts,
)
from splitwise_plan.sim.extrapolation import Extrapolation
from splitwise_plan.sim.metrics import (
    Energy,
    Latencies,
    Pool,
    energy,
    finished_meanwhile,
    measured_s,
    percentiles,
    pools,
)
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator


@dataclass(frozen=True, slots=True, eq=False)
class RunSummary:
    """One run without its records. `moved_s`: KV transfers of the requests whose cache moved."""

    arrived: int
    finished: int
    throughput_rps: float
    tokens_per_s: tuple[float, float]
    pools: tuple[Pool, ...]
    energy: Energy
    moved_s: NDArray[np.float64]
    pool_moves: int
    mixed_requests: int
    failures: FailureCounts | None


def summary_of(simulator: Simulator, design: Design, run: Run) -> RunSummary:
    """What is told of one run, beside its latencies."""
    of_pools, meanwhile = pools(simulator, design, run), finished_meanwhile(run)
    arrived, moved_s = int(simulator.counted.sum()), run.requests.kv_transfer_s
    finished = int(np.isfinite(run.requests.last_token_s[simulator.counted]).sum())
    return RunSummary(
        arrived=arrived,
        finished=finished,
        throughput_rps=meanwhile / measured_s(run),
        tokens_per_s=_tokens_per_s(simulator, run) if finished == arrived else (nan, nan),
        pools=tuple(of_pools),
        energy=energy(run, of_pools, meanwhile),
        moved_s=moved_s[moved_s > 0.0],
        pool_moves=run.pool_moves,
        mixed_requests=run.mixed_requests,
        failures=_failures(run) if simulator.scenario.failures else None,
    )


def details_of(
    evaluation: Evaluation,
    runs: Sequence[RunSummary],
    found: Sequence[Latencies],
    beyond: tuple[Extrapolation, ...],
) -> Details:
    """The details of a design, over its replications: of each its summary and latencies."""
    arrived, finished = sum(one.arrived for one in runs), sum(one.finished for one in runs)
    prompt_rate, output_rate = np.mean([one.tokens_per_s for one in runs], axis=0)
    return Details(
        evaluation=evaluation,
        requests=RequestCounts(arrived, finished, arrived - finished, 0),
        throughput_rps=float(np.mean([one.throughput_rps for one in runs])),
        latency_s={m: _summary([f.seconds[m] for f in found]) for m in METRICS},
        slowdown={m: _summary([f.slowdown[m] for f in found]) for m in METRICS},
        kv_transfer_s=_summary([one.moved_s for one in runs]),
        pools=tuple(_average_pools([one.pools for one in runs])),
        energy=Energy(
            float(np.mean([one.energy.average_power_w for one in runs])),
            float(np.mean([one.energy.wh_per_request for one in runs])),
        ),
        pool_moves=sum(one.pool_moves for one in runs),
        mixed_requests=sum(one.mixed_requests for one in runs),
        prompt_tokens_per_s=float(prompt_rate),
        output_tokens_per_s=float(output_rate),
        beyond=beyond,
        failures=_all_failures([one.failures for one in runs if one.failures]),
    )


def _tokens_per_s(simulator: Simulator, run: Run) -> tuple[float, float]:
    """Prompt and output tokens of the counted requests, per second of the measured window."""
    requests, counted, span_s = simulator.requests, simulator.counted, measured_s(run)
    if not np.isfinite(simulator.measured[1]):
        return nan, nan
    prompts, outputs = (
        float(of[counted].sum()) / span_s for of in (requests.prompt_tokens, requests.output_tokens)
    )
    return prompts, outputs


def _failures(run: Run) -> FailureCounts:
    return FailureCounts(
        restarts=run.restarts,
        lost_prompt_tokens=run.lost_prompt_tokens,
        lost_output_tokens=run.lost_output_tokens,
    )


def _all_failures(runs: Sequence[FailureCounts]) -> FailureCounts | None:
    if not runs:
        return None
    columns = zip(
        *((o.restarts, o.lost_prompt_tokens, o.lost_output_tokens) for o in runs), strict=True
    )
    return FailureCounts(*map(sum, columns))


def _summary(parts: Sequence[NDArray[np.float64]]) -> LatencySummary:
    values = np.concatenate(parts)
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return LatencySummary(*[float("nan")] * 4)
    return LatencySummary(float(np.mean(values)), *percentiles(values, (50.0, 90.0, 99.0)))


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
