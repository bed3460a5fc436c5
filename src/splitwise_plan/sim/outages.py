"""When machines are down, as changes of instances for the kernel (`kernel.outages`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.design import Design
from splitwise_plan.scenario.failures import Failures
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.records import Interval

SPANS, AT_LEAST_S = 10.0, 3600.0
"""Failures are drawn up to so many times the span of the arrivals, an hour at least.

A run that is still not done then, far beyond saturation, sees no more of them.
"""

POOLS = ("prompt", "token")

Change = tuple[float, int, int]
"""Seconds, instance, kind."""


@dataclass(frozen=True, slots=True)
class Histories:
    """When the machines of a scenario are down in one replication.

    `span`: of its arrivals, in seconds. `seeds`: of the scenario, and the replication. The failures
    of a machine depend on its pool and its number there alone: designs are compared under the same.
    """

    failures: Failures
    span: Interval
    seeds: tuple[int, int]

    def changes(self, design: Design, per_machine: Sequence[int]) -> list[Change]:
        """Every change of the instances of a design, by time, then by instance.

        `per_machine`: instances of a machine of each pool.
        """
        found: list[Change] = []
        first, place = 0, 0
        counts = (design.prompt_machines, design.token_machines)
        for pool, (count, each) in enumerate(zip(counts, per_machine, strict=False)):
            for machine in range(1, count + 1):
                down = _merged([*self._unplanned(pool, machine), *self._planned(place)])
                for time_s, kind in _kinds(down, self._drains(place)):
                    found += [(time_s, first + i, kind) for i in range(each)]
                first += each
                place += 1
        return sorted(found)

    def _unplanned(self, pool: int, machine: int) -> Iterator[Interval]:
        """Failures of a machine, by its number in its pool: those given, and those drawn."""
        failures, (start_s, last_s) = self.failures, self.span
        for one in failures.outages:
            if (one.pool, one.machine) == (POOLS[pool], machine):
                yield start_s + one.start_s, start_s + one.end_s
        if failures.mtbf_s is None:
            return
        until_s = max(SPANS * (last_s - start_s), AT_LEAST_S)
        key = (*self.seeds, 1, pool + 1, machine)  # NOTE: a seed sequence drops zeros at its end
        for begins, ends in _drawn(failures.mtbf_s, failures.mttr_s, until_s, key).tolist():
            yield start_s + begins, start_s + ends

    def _planned(self, place: int) -> Iterator[Interval]:
        """Maintenance of the machine that is so many places from the first."""
        plan = self.failures.maintenance
        if plan is not None:
            begins = self.span[0] + plan.start_s + place * plan.every_s
            yield begins, begins + plan.for_s

    def _drains(self, place: int) -> list[Interval]:
        """When a machine takes nothing new although it works."""
        plan = self.failures.maintenance
        if plan is None or plan.drain_s == 0.0:
            return []
        return [(begins - plan.drain_s, begins) for begins, _ in self._planned(place)]


def down_s(found: np.recarray, instances: int, start_s: float, end_s: float) -> NDArray[np.float64]:
    """Seconds from `start_s` to `end_s` that each instance was down: float64 (I,)."""
    total, since = np.zeros(instances), np.full(instances, np.inf)
    for time_s, i, kind in found.tolist():
        if kind == k.DOWN:
            since[i] = max(time_s, start_s)
        elif since[i] < np.inf:
            total[i] += max(min(time_s, end_s) - since[i], 0.0)
            since[i] = np.inf
    return total + np.where(since < np.inf, np.maximum(end_s - since, 0.0), 0.0)


@lru_cache(maxsize=2048)
def _drawn(
    mtbf_s: float, mttr_s: float, until_s: float, key: tuple[int, ...]
) -> NDArray[np.float64]:
    """Exponential times up and down in turn, beginning with one up, as long as they start early.

    From and to in seconds: float64 (F, 2), not to be written to.
    """
    rng = np.random.default_rng(np.random.SeedSequence(key))
    found, now = [], float(rng.exponential(mtbf_s))
    while now < until_s:
        back = now + float(rng.exponential(mttr_s))
        found.append((now, back))
        now = back + float(rng.exponential(mtbf_s))
    return np.array(found, dtype=np.float64).reshape(-1, 2)


def _merged(intervals: Sequence[Interval]) -> list[Interval]:
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _kinds(down: Sequence[Interval], drains: Sequence[Interval]) -> Iterator[tuple[float, int]]:
    """Changes of a machine between down, draining and up.

    A machine that comes back while it is to drain goes on taking nothing.
    """
    begins_or_ends: dict[float, list[tuple[int, int]]] = {}
    for which, intervals in enumerate((down, drains)):
        for start, end in intervals:
            begins_or_ends.setdefault(start, []).append((which, 1))
            begins_or_ends.setdefault(end, []).append((which, -1))
    inside, before = [0, 0], k.UP
    for time_s in sorted(begins_or_ends):
        for which, step in begins_or_ends[time_s]:
            inside[which] += step
        kind = k.DOWN if inside[0] else k.DRAIN if inside[1] else k.UP
        if kind != before:
            yield time_s, kind
        before = kind
