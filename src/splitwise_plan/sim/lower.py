"""Facts to arrays: the kernel's state for one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.machine import Link
from splitwise_plan.facts.profile import Curve
from splitwise_plan.facts.requests import Requests
from splitwise_plan.models.curves import extended
from splitwise_plan.models.kv_transfer import worse_of
from splitwise_plan.sim.kernel import state as k

MAX_PENDING, MAX_PENDING_OVER_ALL = 1 << 15, 1 << 23
"""[ref] Room for pending tasks of an instance, and of all; a run that outgrows it is overloaded.

Inserting into the pending order takes time in proportion to its length.
"""

LINE = 8
"""Numbers in a cache line. Rows of an odd number of lines do not compete for the same places."""

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

    def slower(self, prompts: float, tokens: float) -> InstanceModel:
        """The same with iterations that take so many times as long."""
        prompt, token = self.prompt_time, self.token_time
        return replace(
            self,
            prompt_time=Curve(prompt.x, prompt.y * prompts),
            token_time=Curve(token.x, token.y * tokens),
            context_slope_s=self.context_slope_s * tokens,
        )


@dataclass(frozen=True, slots=True)
class TargetCount:
    """A target as the early stop counts it: `allowed` requests may exceed `limit`."""

    metric: str
    relative: bool
    limit: float
    allowed: int


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """What runs of one family have in common, as the kernel wants it; see `kernel.state`."""

    rules: np.recarray
    points: np.recarray
    point_counts: NDArray[np.int64]
    tables: NDArray[np.float64]
    pairs: np.recarray
    memory_limit_bytes: NDArray[np.float64]
    """(K,), for each machine type."""
    context_slope_s: NDArray[np.float64]
    idle: NDArray[np.void] = field(init=False)
    """(K,) INSTANCE: one on each machine type before anything has happened, to be copied."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "idle", _idle_instances(self))


def lower_models(models: Sequence[InstanceModel], rules: np.recarray) -> Lowered:
    """Arrays of machine types (prompt, token, straggler) under `rules`, one RULES record."""
    points, point_counts = _points(models)
    return Lowered(
        rules=rules,
        points=points,
        point_counts=point_counts,
        tables=_tables(models, int(rules[0].max_batch_size)),
        pairs=_pairs([model.link for model in models]),
        memory_limit_bytes=np.array([model.memory_bytes for model in models]),
        context_slope_s=np.array([model.context_slope_s for model in models]),
    )


def build_state(
    lowered: Lowered,
    prompt_instances: int,
    token_instances: int,
    arrivals: np.recarray,
    targets: np.recarray,
) -> k.State:
    """Allocate the arrays of one run of `arrivals`, which writes to `targets`.

    Nothing goes down in it: see `with_changes`.
    """
    count = prompt_instances + token_instances
    rules = lowered.rules[0]
    batch_size = int(rules.max_batch_size)
    most_pending = min(2 * len(arrivals), MAX_PENDING, MAX_PENDING_OVER_ALL // count)
    row = (-(-batch_size // LINE) | 1) * LINE
    order = most_pending + row + 2 if rules.pending_order else 0
    in_token_pool = np.arange(count) >= prompt_instances
    leaves, matches = _tournaments(in_token_pool, lowered)
    counters = np.zeros(k.COUNTERS, np.int64)
    counters[k.LIST_CLOCK] = count
    return k.State(
        requests=np.recarray(len(arrivals), k.REQUEST),
        arrivals=arrivals,
        instances=lowered.idle[in_token_pool.astype(np.intp)].view(np.recarray),
        slots=np.empty((count, k.SLOTS, row), np.int64),
        picked=np.empty((2, batch_size), np.int64),
        order=np.empty((count, order), np.int64),
        transfer_heap=np.recarray(len(arrivals) + 1, k.TRANSFER),
        leaves=leaves,
        matches=matches,
        rules=lowered.rules,
        targets=targets,
        counters=counters,
        points=lowered.points,
        point_counts=lowered.point_counts,
        tables=lowered.tables,
        pairs=lowered.pairs,
        changes=NO_CHANGES,
    )


def new_rules(**values: float) -> np.recarray:
    """One RULES record; fields not given are 0, and the measured window is without end."""
    rules = np.zeros(1, k.RULES)
    rules["measured_until_s"] = k.INF
    for name, value in values.items():
        rules[name] = value
    return rules.view(np.recarray)


def arrival_records(
    requests: Requests, counted: NDArray[np.bool_], alone_s: NDArray[np.float64]
) -> np.recarray:
    """Requests that are to arrive.

    `counted`: bool (N,), arrivals inside the measured window. `alone_s`: (3, N), TTFT, TBT and E2E
    of each running alone.
    """
    records = np.empty(len(requests), k.NEW_REQUEST)
    records["arrival_s"] = requests.arrival_s
    records["prompt_tokens"] = requests.prompt_tokens
    records["output_tokens"] = requests.output_tokens
    records["counted"] = counted
    records["alone_s"] = alone_s.T
    return records.view(np.recarray)


def write_unseen(requests: NDArray[np.void], arrivals: NDArray[np.void]) -> None:
    """Write the records of requests that had not arrived when their run was given up."""
    for name in k.NEW_REQUEST.names or ():
        requests[name] = arrivals[name]
    for name in ("first_token_s", "second_token_s", "last_token_s", "prompt_start_s"):
        requests[name] = k.INF
    for name in ("prompt_instance", "token_instance", "next", "previous"):
        requests[name] = k.NONE
    for name in ("kv_transfer_s", "remaining_tokens", "prompt_passes", "token_passes"):
        requests[name] = 0


def target_records(targets: Sequence[TargetCount]) -> np.recarray:
    """Targets for the early stop; none: every run goes to its end."""
    records = np.zeros(len(targets), k.TARGET)
    records["metric"] = [METRIC_CODES[target.metric] for target in targets]
    for name in ("relative", "limit", "allowed"):
        records[name] = [getattr(target, name) for target in targets]
    return records.view(np.recarray)


def with_changes(state: k.State, changes: Sequence[tuple[float, int, int]]) -> k.State:
    """The same with instances that go down and come back: (seconds, instance, kind), by time.

    See `kernel.outages`.
    """
    return state._replace(changes=change_records(changes))


def slow_down(state: k.State, lowered: Lowered, stragglers: slice) -> None:
    """Make instances ones of the last machine type, that of a straggler."""
    last = len(lowered.context_slope_s) - 1
    state.instances.machine_type[stragglers] = last
    state.instances.context_slope_s[stragglers] = lowered.context_slope_s[last]


def change_records(changes: Sequence[tuple[float, int, int]]) -> np.recarray:
    """Changes as the kernel wants them."""
    return np.array([*changes], k.CHANGE).view(np.recarray)


NO_CHANGES = change_records(())


def _idle_instances(lowered: Lowered) -> NDArray[np.void]:
    records = np.zeros(len(lowered.memory_limit_bytes), k.INSTANCE)
    records["machine_type"] = np.arange(len(records))
    for name in ("home", "pool"):
        records[name] = np.where(records["machine_type"] == 0, k.PROMPT_POOL, k.TOKEN_POOL)
    for name in ("head", "tail"):
        records[name] = k.NONE
    records["first_end"] = k.NEVER
    for name in ("memory_bytes", "booked_bytes", "peak_bytes"):
        records[name] = lowered.rules["weights_bytes"]
    records["memory_limit_bytes"] = lowered.memory_limit_bytes
    records["context_slope_s"] = lowered.context_slope_s
    return records


def _tournaments(
    in_token_pool: NDArray[np.bool_], lowered: Lowered
) -> tuple[np.recarray, np.recarray]:
    """Trees before the first event: nobody runs, each instance is in its home pool.

    The kernel plays the matches.
    """
    size = 2 * ((len(in_token_pool) + 1) // 2)
    leaves = np.empty((k.TOURNAMENTS, size), k.LEAF)
    leaves["position"] = np.arange(size)
    leaves["key"] = k.INF
    rules = lowered.rules[0]
    token_load = 0.0 if rules.token_end_by_pending else rules.weights_bytes
    key = leaves["key"][:, : len(in_token_pool)]
    key[k.PROMPT_HOME, ~in_token_pool] = 0.0
    key[k.TOKEN_HOME, in_token_pool] = token_load
    return leaves.view(np.recarray), np.recarray((k.TOURNAMENTS, size), k.MATCH)


def _points(models: Sequence[InstanceModel]) -> tuple[np.recarray, NDArray[np.int64]]:
    curves = [(model.prompt_time, model.prompt_power) for model in models]
    counts = np.array([[len(curve.x) for curve in machine] for machine in curves])
    points = np.zeros((*counts.shape, counts.max()), k.POINT)
    for machine, of_one in enumerate(curves):
        for which, curve in enumerate(of_one):
            points["x"][machine, which, : len(curve.x)] = curve.x
            points["y"][machine, which, : len(curve.x)] = curve.y
    return points.view(np.recarray), counts


def _tables(models: Sequence[InstanceModel], most: int) -> NDArray[np.float64]:
    sequences = np.arange(most + 1)
    return np.array(
        [
            [
                extended(curve.x, curve.y, sequences)
                for curve in (model.token_time, model.token_power)
            ]
            for model in models
        ]
    )


def _pairs(links: Sequence[Link]) -> np.recarray:
    pairs = np.empty((len(links), len(links)), k.PAIR)
    for a, source in enumerate(links):
        for b, destination in enumerate(links):
            pairs[a, b] = worse_of(source, destination)
    return pairs.view(np.recarray)
