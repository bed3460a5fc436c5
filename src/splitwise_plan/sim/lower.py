"""Facts to arrays: the kernel's state for one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.machine import Link
from splitwise_plan.facts.profile import Curve
from splitwise_plan.facts.requests import Requests
from splitwise_plan.sim.kernel import state as k

MAX_PENDING_ORDERS = 1 << 24
"""[ref] Room for pending tasks over all instances; a run that outgrows it is overloaded."""

TRANSFER_MODES = {"serialized": k.SERIALIZED, "layerwise": k.LAYERWISE, "auto": k.AUTO}
METRIC_CODES = {"ttft": k.TTFT, "tbt": k.TBT, "e2e": k.E2E}


@dataclass(frozen=True, slots=True)
class InstanceModel:
    """What the kernel knows of an instance on one machine type. Seconds, watts, bytes.

    `prompt_time`, `token_time`, `prompt_power`, `token_power` over prompt tokens or sequences of an
    iteration; `context_slope_s` per context token beyond 512 a sequence.
    """

    prompt_time: Curve
    token_time: Curve
    context_slope_s: float
    prompt_power: Curve
    token_power: Curve
    memory_bytes: float
    link: Link


@dataclass(frozen=True, slots=True)
class TargetCount:
    """A target as the early stop counts it: `allowed` requests may exceed `limit`."""

    metric: str
    relative: bool
    limit: float
    allowed: int


@dataclass(frozen=True, slots=True, eq=False)
class RunInput:
    """Arguments of one run. I instances in list order, prompt pool first.

    `machine`: int (I,), index into `models`; `in_token_pool`: bool (I,); `rules`: one RULES record;
    `requests`: (N,) REQUEST as `request_records` makes them; the run writes to them.
    """

    models: Sequence[InstanceModel]
    machine: NDArray[np.int64]
    in_token_pool: NDArray[np.bool_]
    rules: np.recarray
    requests: np.recarray
    targets: Sequence[TargetCount] = ()


def build_state(run: RunInput) -> k.State:
    """Allocate and fill the arrays of one run."""
    instances = _instances(run)
    batch_size = int(run.rules[0].max_batch_size)
    most_pending = min(2 * len(run.requests), MAX_PENDING_ORDERS // len(instances))
    order = most_pending + batch_size + 2 if run.rules[0].pending_order else 0
    leaves, winner = _tournaments(instances, run)
    points, point_counts = _points(run.models)
    return k.State(
        requests=run.requests,
        instances=instances,
        slots=np.empty((len(instances), k.SLOTS, batch_size), np.int64),
        picked=np.empty((2, batch_size), np.int64),
        order=np.empty((len(instances), order), np.int64),
        flights=np.empty(len(run.requests) + 1, k.FLIGHT).view(np.recarray),
        leaves=leaves,
        winner=winner,
        rules=run.rules,
        targets=_targets(run.targets),
        counters=_counters(len(instances)),
        points=points,
        point_counts=point_counts,
        pairs=_pairs([model.link for model in run.models]),
    )


def new_rules(**values: float) -> np.recarray:
    """One RULES record; fields not given are 0."""
    rules = np.zeros(1, k.RULES).view(np.recarray)
    for name, value in values.items():
        rules[0][name] = value
    return rules


def request_records(
    requests: Requests, counted: NDArray[np.bool_], alone_s: NDArray[np.float64]
) -> np.recarray:
    """Records of requests that nothing has happened to yet.

    `counted`: bool (N,), arrivals inside the measured window. `alone_s`: (3, N), TTFT, TBT and E2E of
    each running alone.
    """
    records = np.zeros(len(requests), k.REQUEST).view(np.recarray)
    records.arrival_s = requests.arrival_s
    records.prompt_tokens = requests.prompt_tokens
    records.output_tokens = requests.output_tokens
    for name in ("first_token_s", "second_token_s", "last_token_s", "prompt_start_s"):
        records[name] = k.INF
    for name in ("prompt_instance", "token_instance", "next", "previous"):
        records[name] = k.NONE
    records.counted = counted
    records.alone_s = alone_s.T
    return records


def _instances(run: RunInput) -> np.recarray:
    records = np.zeros(len(run.machine), k.INSTANCE).view(np.recarray)
    records.machine = run.machine
    records.home = np.where(run.in_token_pool, k.TOKEN_POOL, k.PROMPT_POOL)
    records.pool = records.home
    records.head = records.tail = k.NONE
    records.first_end = k.NEVER
    records.memory_limit_bytes = np.array([model.memory_bytes for model in run.models])[run.machine]
    records.context_slope_s = np.array([m.context_slope_s for m in run.models])[run.machine]
    records.memory_bytes = records.booked_bytes = records.peak_bytes = run.rules[0].weights_bytes
    return records


def _targets(targets: Sequence[TargetCount]) -> np.recarray:
    records = np.zeros(len(targets), k.TARGET).view(np.recarray)
    for record, target in zip(records, targets, strict=True):
        record.metric = METRIC_CODES[target.metric]
        record.relative = target.relative
        record.limit = target.limit
        record.allowed = target.allowed
    return records


def _counters(instances: int) -> NDArray[np.int64]:
    counters = np.zeros(k.COUNTERS, np.int64)
    counters[k.LIST_CLOCK] = instances
    return counters


def _tournaments(
    instances: np.recarray, run: RunInput
) -> tuple[np.recarray, NDArray[np.int64]]:
    """Trees before the first event: nobody runs, and each instance is in its home pool."""
    size = 1 << max(len(instances) - 1, 1).bit_length()
    leaves = np.empty((k.TOURNAMENTS, size), k.LEAF).view(np.recarray)
    leaves.key = k.INF
    leaves.position = np.arange(size)
    token_load = 0.0 if run.rules[0].token_end_by_pending else run.rules[0].weights_bytes
    leaves.key[k.PROMPT_HOME, np.flatnonzero(~run.in_token_pool)] = 0.0
    leaves.key[k.TOKEN_HOME, np.flatnonzero(run.in_token_pool)] = token_load
    winner = np.empty((k.TOURNAMENTS, 2 * size), np.int64)
    winner[:, size:] = np.arange(size)
    trees = np.arange(k.TOURNAMENTS)[:, np.newaxis]
    width = size // 2
    while width >= 1:  # the matches of one round, from the leaves up
        left, right = winner[:, 2 * width : 4 * width : 2], winner[:, 2 * width + 1 : 4 * width : 2]
        right_wins = leaves.key[trees, right] < leaves.key[trees, left]
        winner[:, width : 2 * width] = np.where(right_wins, right, left)
        width //= 2
    return leaves, winner


def _points(models: Sequence[InstanceModel]) -> tuple[np.recarray, NDArray[np.int64]]:
    curves = [(m.prompt_time, m.token_time, m.prompt_power, m.token_power) for m in models]
    counts = np.array([[len(curve.x) for curve in machine] for machine in curves])
    points = np.zeros((*counts.shape, counts.max()), k.POINT).view(np.recarray)
    for machine, four in enumerate(curves):
        for which, curve in enumerate(four):
            points.x[machine, which, : len(curve.x)] = curve.x
            points.y[machine, which, : len(curve.x)] = curve.y
    return points, counts


def _pairs(links: Sequence[Link]) -> np.recarray:
    pairs = np.empty((len(links), len(links)), k.PAIR).view(np.recarray)
    for a, source in enumerate(links):
        for b, destination in enumerate(links):
            pairs[a, b] = (
                min(source.bandwidth_bytes_per_s, destination.bandwidth_bytes_per_s),
                max(source.layerwise_visible_s, destination.layerwise_visible_s),
            )
    return pairs
