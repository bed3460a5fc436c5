"""How full the batches are: the time that instances spend at each number of active tokens.

A *token phase is active* from when its KV cache is at its token instance (where it stays: from its
first token) until its last token. That is exact from the records, and is when it can be in a batch:
it is left out of one only until the current iteration ends, while it is preempted, or where
memory or the batch limit holds it back. *Active tokens*, as the paper counts them, are one a token
phase, and all tokens of each prompt in its prompt iteration.

The time is that from the first counted arrival to the last, or to the end of the run if there is
only one; every instance counts alike, and so does its idle time (nothing active).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.machine import Machine
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator, instances_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Occupancy:
    """Of one pool. `share[k]` (float64, sum 1) of the time `active[k]` (int64, increasing) were."""

    pool: str
    machine: str
    active: Ints
    share: Floats

    @property
    def cumulative(self) -> Floats:
        """Share of the time at `active[k]` or fewer."""
        return np.minimum(np.cumsum(self.share), 1.0)

    @property
    def mean(self) -> float:
        """Active on average, idle time included."""
        return float(np.dot(self.active, self.share))


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """`weight` is active at `instance` from `start_s` until `end_s`; one entry an interval."""

    instance: Ints
    start_s: Floats
    end_s: Floats
    weight: Ints

    def within(self, instances: slice, from_s: float, until_s: float) -> Intervals:
        """Cut to a window and to some instances, which are counted from 0."""
        start, end = np.maximum(self.start_s, from_s), np.minimum(self.end_s, until_s)
        kept = (self.instance >= instances.start) & (self.instance < instances.stop) & (start < end)
        return Intervals(
            self.instance[kept] - instances.start, start[kept], end[kept], self.weight[kept]
        )


def occupancy(
    simulator: Simulator, design: Design, run: Run, *, prompt_tokens: bool = False
) -> list[Occupancy]:
    """Of each pool: active token phases, or active tokens, those of prompts included."""
    intervals = token_phases(simulator, run)
    if prompt_tokens:
        intervals = _both(intervals, prompt_phases(simulator, run))
    from_s, until_s = run.measured
    found = []
    for pool, machine, instances in pool_slices(design):
        inside = intervals.within(instances, from_s, until_s)
        size = instances.stop - instances.start
        active, time_s = time_at(inside, size, from_s, until_s)
        found.append(Occupancy(pool, machine.id, active, time_s / time_s.sum()))
    return found


def token_phases(simulator: Simulator, run: Run) -> Intervals:
    """The active token phases of a run."""
    records = run.requests
    arrived_s = records.first_token_s + records.kv_transfer_s
    some = (records.token_instance >= 0) & (simulator.requests.output_tokens > 1)
    some &= np.isfinite(arrived_s)
    return Intervals(
        records.token_instance[some].astype(np.int64),
        arrived_s[some],
        records.last_token_s[some],
        np.ones(int(some.sum()), dtype=np.int64),
    )


def prompt_phases(simulator: Simulator, run: Run) -> Intervals:
    """The prompt iterations of a run, weighed by prompt tokens."""
    records = run.requests
    some = np.isfinite(records.prompt_start_s)
    return Intervals(
        records.prompt_instance[some].astype(np.int64),
        records.prompt_start_s[some],
        records.first_token_s[some],
        simulator.requests.prompt_tokens[some],
    )


def time_at(
    intervals: Intervals, instances: int, from_s: float, until_s: float
) -> tuple[Ints, Floats]:
    """Seconds that `instances` together spend at each number active, numbers increasing."""
    each = np.arange(instances, dtype=np.int64)
    nothing = np.zeros(instances, dtype=np.int64)
    instance = np.concatenate([each, intervals.instance, intervals.instance, each])
    change = np.concatenate([nothing, intervals.weight, -intervals.weight, nothing])
    at_s = np.concatenate(
        [
            *(np.full(instances, from_s), intervals.start_s),
            *(intervals.end_s, np.full(instances, until_s)),
        ]
    )
    order = np.lexsort((at_s, instance))
    active = np.cumsum(change[order])[:-1]
    # From the end of one instance to the start of the next the difference is no time.
    lasting_s = np.where(np.diff(instance[order]) == 0, np.diff(at_s[order]), 0.0)
    numbers, where = np.unique(active, return_inverse=True)
    time_s = np.bincount(where, weights=lasting_s, minlength=len(numbers)).astype(np.float64)
    spent = time_s > 0.0
    return numbers[spent].astype(np.int64), time_s[spent]


def merged(parts: Sequence[Occupancy]) -> Occupancy:
    """One pool over several runs, each weighed alike."""
    active, where = np.unique(np.concatenate([part.active for part in parts]), return_inverse=True)
    shares = np.concatenate([part.share for part in parts])
    share = np.bincount(where, weights=shares) / len(parts)
    return Occupancy(parts[0].pool, parts[0].machine, active, share)


def _both(one: Intervals, other: Intervals) -> Intervals:
    return Intervals(
        np.concatenate([one.instance, other.instance]),
        np.concatenate([one.start_s, other.start_s]),
        np.concatenate([one.end_s, other.end_s]),
        np.concatenate([one.weight, other.weight]),
    )


def pool_slices(design: Design) -> Iterator[tuple[str, Machine, slice]]:
    """Name, machine and instances of each pool."""
    names = ("shared",) if design.family.has_one_pool else ("prompt", "token")
    counts = (design.prompt_machines, design.token_machines)
    start = 0
    for name, machine, count in zip(names, design.family.machines, counts, strict=False):
        size = instances_of(machine, count, design.family.tensor_parallel)
        yield name, machine, slice(start, start + size)
        start += size
