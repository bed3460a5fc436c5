"""Runs that are given up: by hand, to the request and the second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import SPLITWISESIM_FLAGS, Case, kernel_state, random_case, run_case

from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.simulator import run_kernel

ONE_RETRY = (51, 290, 4804)
"""Random cases that come to rest with one transfer that finds no memory, for ever."""


def last_change_s(state: k.State) -> float:
    """When anything last happened to a request."""
    times = ("arrival_s", "prompt_start_s", "first_token_s", "second_token_s", "last_token_s")
    known = np.concatenate([state.requests[name] for name in times])
    moved_s = state.requests.first_token_s + state.requests.kv_transfer_s
    every = np.concatenate([known, moved_s])
    return float(np.max(every[np.isfinite(every)]))


@pytest.mark.parametrize("seed", ONE_RETRY)
def test_a_run_of_retries_alone_ends_with_the_second_in_vain(seed: int) -> None:
    """[ref] They come every second: the first within one, the next within two."""
    state, stop, end_s = run_case(random_case(seed), **SPLITWISESIM_FLAGS)
    assert (stop, state.counters[k.IN_FLIGHT]) == (k.DEADLOCK, 1)
    assert state.counters[k.FINISHED] < len(state.requests)
    assert 1.0 < end_s - last_change_s(state) <= 2.0


def crowd() -> Case:
    """Twelve prompts on one machine within a hundredth of a second: eleven wait."""
    case = random_case(0)
    rules = replace(case.rules, max_batch_size=4, prompt_queue_limit_tokens=8192)
    requests = [(0.001 * i, 50, 1) for i in range(12)]
    return replace(
        case, requests=requests, prompt=case.prompt[:1], token=[], baseline=True, rules=rules
    )


@pytest.mark.parametrize("waiting", [0, 1, 3, 9])
def test_a_queue_that_outgrows_its_room_ends_the_run(waiting: int) -> None:
    """[ref] Room for so many tasks, one batch and two: the request that finds them taken is it."""
    state = kernel_state(crowd(), **SPLITWISESIM_FLAGS)
    room = waiting + state.slots.shape[2] + 2
    stop, end_s = run_kernel(state._replace(order=np.empty((1, room), np.int64)))
    assert stop == k.OVERLOAD
    # The first runs, those after it wait: of them so many, and the one that is too many comes next.
    assert end_s == pytest.approx(0.001 * (waiting + 2))


def test_a_queue_that_has_just_room_is_served() -> None:
    state = kernel_state(crowd(), **SPLITWISESIM_FLAGS)
    room = 10 + state.slots.shape[2] + 2
    stop, _ = run_kernel(state._replace(order=np.empty((1, room), np.int64)))
    assert stop == k.DRAINED
