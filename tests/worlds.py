"""Runs to check laws on: random cases and small realistic scenarios, under both rule sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import slow_simulator as slow
from cases import SPLITWISESIM_FLAGS, Case, kernel_state, random_case
from numpy.typing import NDArray
from scenes import BOTH, scene, state_of

from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.simulator import run_kernel

RULE_SETS: dict[str, dict[str, float]] = {"measured": {}, "splitwisesim": SPLITWISESIM_FLAGS}


@dataclass(frozen=True, eq=False)
class Played:
    """A run that has ended: the kernel's state, why it stopped and when."""

    state: k.State
    stop: int
    end_s: float

    @property
    def requests(self) -> np.recarray:
        return self.state.requests

    @property
    def instances(self) -> np.recarray:
        return self.state.instances

    @property
    def drained(self) -> bool:
        return self.stop == k.DRAINED

    @property
    def is_splitwisesim(self) -> bool:
        return bool(self.state.rules[0].pending_order)

    @property
    def busy_s(self) -> NDArray[np.float64]:
        busy: NDArray[np.float64] = self.instances.prompt_busy_s + self.instances.token_busy_s
        return busy

    @property
    def moved(self) -> NDArray[np.bool_]:
        """Requests whose KV cache has to move to another instance."""
        token = self.requests.token_instance
        moved: NDArray[np.bool_] = (token != k.NONE) & (token != self.requests.prompt_instance)
        return moved

    @property
    def ready_s(self) -> NDArray[np.float64]:
        """When each token phase could run first; inf where it never could."""
        ready: NDArray[np.float64] = self.requests.first_token_s.copy()
        ready[self.moved] += self.requests.kv_transfer_s[self.moved]
        return ready

    def prompt_batches(self) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Instance and requests of each batch of prompts that ended, in order on each instance."""
        requests = self.requests
        for i in range(len(self.instances)):
            here = np.flatnonzero(
                (requests.prompt_instance == i) & np.isfinite(requests.first_token_s)
            )
            for start_s in np.unique(requests.prompt_start_s[here]):
                yield i, here[requests.prompt_start_s[here] == start_s]


@dataclass(frozen=True)
class World:
    """A run that can be played, as often as wanted."""

    name: str
    prepare: Callable[[], k.State]

    def __str__(self) -> str:
        return self.name

    def play(self) -> Played:
        state = self.prepare()
        stop, end_s = run_kernel(state)
        return Played(state, int(stop), float(end_s))


def _of_case(seed: int, change: Callable[[Case], Case], flags: dict[str, float]) -> k.State:
    return kernel_state(change(random_case(seed)), **flags)


def random_worlds(seeds: range, change: Callable[[Case], Case] = lambda case: case) -> list[World]:
    """Random cases, changed in some way, under both rule sets."""
    return [
        World(f"{name}-{seed}", partial(_of_case, seed, change, flags))
        for seed in seeds
        for name, flags in RULE_SETS.items()
    ]


def with_ample_memory(case: Case) -> Case:
    """The same without any want of memory."""

    def ample(times: list[slow.MachineTimes]) -> list[slow.MachineTimes]:
        return [replace(one, memory_bytes=1e12) for one in times]

    return replace(case, prompt=ample(case.prompt), token=ample(case.token))


def one_task_at_a_time(case: Case) -> Case:
    """The same with batches of one prompt or one token phase."""
    return replace(case, rules=replace(case.rules, max_batch_size=1))


def _of_scene(
    family: str, machines: tuple[int, int], workload: str, rate: float, assumptions: str
) -> k.State:
    facts: dict[str, Any] = {
        "workload": workload,
        "rate": rate,
        "duration": 60,
        "horizon": "window",
        "assumptions": assumptions,
    }
    return state_of(scene(family, *machines, **facts))


SMALL = (
    ("baseline-h100", (5, 0), "coding", 6.0),
    ("splitwise-hh", (3, 1), "coding", 7.0),
    ("splitwise-ha", (2, 2), "conversation", 6.0),
    ("splitwise-aa", (3, 2), "conversation", 5.0),
)
"""Clusters of a handful of machines, close to what they can carry."""


def real_worlds() -> list[World]:
    """Clusters of real machines and real lengths under both assumption sets."""
    return [
        World(
            f"{assumptions}-{family}",
            partial(_of_scene, family, machines, workload, rate, assumptions),
        )
        for family, machines, workload, rate in SMALL
        for assumptions in BOTH
    ]
