"""Statistics of a run, computed from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, nan

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import METRICS, Metric, SLOTarget
from splitwise_plan.models.power import instance_power
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator, instances_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Latencies:
    """Latencies of the M requests in the measured window, in order of arrival; inf: unfinished.

    `seconds[metric]`, `slowdown[metric]`: float64 (M,); TBT is nan where there is one output token.
    """

    seconds: Mapping[Metric, Floats]
    slowdown: Mapping[Metric, Floats]

    def of(self, target: SLOTarget) -> Floats:
        """What a target is about, in its unit: float64 (M,)."""
        if target.metric == "goodput":
            ratios = [self._in(metric, unit) / limit for metric, limit, unit in target.joint_limits]
            largest: Floats = np.fmax.reduce(ratios)
            return largest
        return self._in(target.metric, target.unit)

    def _in(self, metric: Metric, unit: str) -> Floats:
        return self.slowdown[metric] if unit == "slowdown" else self.seconds[metric]


@dataclass(frozen=True, slots=True)
class Pool:
    """What the machines of one pool did in the measured window."""

    pool: str
    machine: str
    machines: int
    utilisation: float
    """Share of the time that instances were running iterations."""
    prompt_share: float
    """Share of the time in iterations that held a prompt."""
    peak_memory_bytes: float
    """The most memory an instance held, weights included."""
    average_power_w: float
    availability: float = 1.0
    """Share of the time that machines were not down. Those that are down draw no power."""


@dataclass(frozen=True, slots=True)
class Energy:
    """Electricity of all machines, idle time included."""

    average_power_w: float
    wh_per_request: float


def request_latencies(simulator: Simulator, run: Run) -> dict[Metric, Floats]:
    """TTFT, TBT and E2E of every request in seconds: float64 (N,) each; inf: unfinished.

    TBT is nan for requests of one output token.
    """
    requests, records = simulator.requests, run.requests
    ttft = records.first_token_s - requests.arrival_s
    e2e = records.last_token_s - requests.arrival_s
    gaps = requests.output_tokens - (simulator.scenario.assumptions.tbt_denominator == "gaps")
    tbt = np.full(len(requests), np.inf)
    finished = np.isfinite(e2e) & (gaps > 0)
    tbt[finished] = (e2e[finished] - ttft[finished]) / gaps[finished]
    tbt[requests.output_tokens == 1] = np.nan
    return {"ttft": ttft, "tbt": tbt, "e2e": e2e}


def latencies(simulator: Simulator, run: Run) -> Latencies:
    """Latencies of the counted requests."""
    rows = simulator.counted
    seconds: dict[Metric, Floats] = {}
    slowdown: dict[Metric, Floats] = {}
    of_all = request_latencies(simulator, run)
    for metric, alone in zip(METRICS, simulator.alone_s, strict=True):
        seconds[metric] = of_all[metric][rows]
        slowdown[metric] = seconds[metric] / alone[rows]
    return Latencies(seconds, slowdown)


def values_at(latencies: Latencies, targets: Sequence[SLOTarget]) -> list[float]:
    """The values of targets: percentiles, each in its unit; of the same latencies at once.

    A goodput is not interpolated: it is at most 1 if and only if at least that share meets.
    """
    ordered: dict[tuple[object, ...], Floats] = {}
    for target in targets:
        if target.about not in ordered:
            ordered[target.about] = in_order_of_size(latencies.of(target))
    return [value_of(target, ordered[target.about]) for target in targets]


def value_of(target: SLOTarget, ordered: Floats) -> float:
    """The value of a target in ordered values of what it is about; nan of none."""
    share = target.percentile / 100.0
    if target.metric != "goodput" or not len(ordered):
        return interpolated(ordered, share)
    return float(ordered[max(ceil(share * len(ordered)) - 1, 0)])


def in_order_of_size(values: Floats) -> Floats:
    """All but nan; sorting is faster than np.percentile, which partitions."""
    ordered = np.sort(values)  # nan comes last
    return ordered[: len(ordered) - int(np.isnan(ordered).sum())]


def attained(latencies: Latencies, target: SLOTarget) -> float | None:
    """The share (0..1) of requests that meet the limits of a goodput together; None of others."""
    if target.metric != "goodput":
        return None
    values = latencies.of(target)
    values = values[~np.isnan(values)]
    return float(np.mean(values <= target.limit)) if len(values) else None


def percentile(values: Floats, q: float) -> float:
    """Percentile `q` (0..100) by linear interpolation; inf where it rests on an unfinished request.

    nan is no value; without any the percentile is nan.
    """
    return percentiles(values, (q,))[0]


def percentiles(values: Floats, qs: Sequence[float]) -> list[float]:
    """Several percentiles, as `percentile`: sorting for one is most of the work for all."""
    ordered = in_order_of_size(values)
    return [interpolated(ordered, q / 100.0) for q in qs]


def interpolated(ordered: Floats, share: float) -> float:
    """The value below which a share of ordered values lies; as numpy's percentile, to the bit.

    nan of no values, inf where it rests on one that is.
    """
    if len(ordered) == 0:
        return nan
    place = share * (len(ordered) - 1)
    below = int(place)
    low, part = float(ordered[below]), place - below
    if part == 0.0:
        return low
    high = float(ordered[below + 1])
    if high == inf:
        return inf
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1.0 - part)


def pools(simulator: Simulator, design: Design, run: Run) -> list[Pool]:
    """One entry a pool: prompt and token, or the single one of a baseline."""
    family, tp = design.family, design.family.tensor_parallel
    parts = [("prompt", family.prompt_machine, design.prompt_machines)]
    if family.token_machine is None:
        parts = [("shared", family.prompt_machine, design.prompt_machines)]
    else:
        parts.append(("token", family.token_machine, design.token_machines))
    records, duration_s = run.instances, measured_s(run)
    found, start = [], 0
    for name, machine, count in parts:
        size = instances_of(machine, count, tp)
        here = slice(start, start + size)
        start += size
        available_s = size * duration_s
        prompt_s = float(records.prompt_busy_s[here].sum())
        busy_s = prompt_s + float(records.token_busy_s[here].sum())
        power = instance_power(simulator.scenario.profile(machine, tp), machine, tp)
        gone_s = float(records.down_s[here].sum())
        idle_s = available_s - gone_s - busy_s
        energy_j = float(records.energy_j[here].sum()) + power.idle_w * idle_s
        found.append(
            Pool(
                pool=name,
                machine=machine.id,
                machines=count,
                utilisation=busy_s / available_s,
                prompt_share=prompt_s / available_s,
                peak_memory_bytes=float(records.peak_memory_bytes[here].max()),
                average_power_w=energy_j / duration_s,
                availability=1.0 - gone_s / available_s,
            )
        )
    return found


def energy(run: Run, of_pools: list[Pool], finished: int) -> Energy:
    """Sum over the pools; a request's share is that of the requests `finished_meanwhile`."""
    watts = sum(pool.average_power_w for pool in of_pools)
    hours = measured_s(run) / 3600.0
    return Energy(watts, watts * hours / finished if finished else np.inf)


def backlogs(simulator: Simulator, run: Run) -> tuple[float, float]:
    """Requests in the cluster on average, in the first and the second half of the window."""
    from_s, until_s = run.measured
    middle_s = (from_s + until_s) / 2.0
    arrival_s, end_s = simulator.requests.arrival_s, run.requests.last_token_s

    def between(first_s: float, last_s: float) -> float:
        inside_s = np.minimum(end_s, last_s) - np.maximum(arrival_s, first_s)
        return float(np.maximum(inside_s, 0.0).sum()) / max(last_s - first_s, 1e-12)

    return between(from_s, middle_s), between(middle_s, until_s)


def measured_s(run: Run) -> float:
    """Length of the measured window."""
    from_s, until_s = run.measured
    return max(until_s - from_s, 1e-12)


def finished_meanwhile(run: Run) -> int:
    """Requests that had their last token in the measured window, whenever they arrived."""
    from_s, until_s = run.measured
    ends_s = run.requests.last_token_s
    return int(np.count_nonzero((ends_s >= from_s) & (ends_s <= until_s)))
