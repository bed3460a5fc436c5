"""The kernel's parts against what they stand for: lists, heaps and sums of plain Python."""

from __future__ import annotations

from bisect import bisect_right, insort
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from cases import kernel_state, random_case, random_machine
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_kernel import plain

from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.lower import write_unseen

assign, batch, transfer_heap = map(plain, ("assign", "batch", "transfer_heap"))
phases, queues = map(plain, ("phases", "queues"))
restarts, timing, winner_tree = map(plain, ("restarts", "timing", "winner_tree"))


def fresh(instances: int = 3, requests: int = 12, **flags: float) -> k.State:
    """A state in which nothing has happened."""
    case = random_case(0)
    machine = random_machine(np.random.default_rng(1), 5000.0)
    rows = [(float(i), 100 + i, 5) for i in range(requests)]
    rules = replace(case.rules, max_batch_size=8, max_batch_tokens=100)
    case = replace(case, requests=rows, rules=rules, baseline=False)
    case = replace(case, prompt=[machine] * instances, token=[machine])
    state = kernel_state(case, **flags)
    write_unseen(state.requests, state.arrivals)  # all have arrived
    return state


@pytest.mark.parametrize(
    ("prompts", "prompt_tokens", "token_phases", "places"),
    [
        (0, 0, 0, 8),
        (0, 0, 5, 3),  # of eight sequences
        (1, 90, 3, 4),
        (1, 95, 3, 2),  # of a hundred tokens
        (1, 97, 3, 0),
        (1, 120, 0, 0),  # a long prompt runs alone
    ],
)
def test_places_left_in_a_batch(
    prompts: int, prompt_tokens: int, token_phases: int, places: int
) -> None:
    assert batch.places_left(fresh(), prompts, prompt_tokens, token_phases) == places


def test_a_batch_without_room_for_one_token_still_takes_one() -> None:
    state = fresh()
    state.rules.max_batch_tokens = 0
    assert batch.places_left(state, 0, 0, 0) == 1


KEYS = st.sampled_from([0.0, 1.0, 1.5, 2.0, inf])


@given(st.integers(1, 9), st.lists(st.tuples(st.integers(0, 9), KEYS), max_size=40), st.data())
@settings(max_examples=100)
def test_a_tournament_is_won_by_the_least_key_then_the_least_position(
    count: int, changes: list[tuple[int, float]], data: st.DataObject
) -> None:
    state = fresh(count)
    tree = k.TOKEN_MIXED
    entries = dict.fromkeys(range(count + 1), (inf, 0))
    size = state.leaves.shape[1]
    state.leaves[tree]["key"] = inf
    positions = data.draw(st.permutations(range(count + 1)))
    for i, position in enumerate(positions):
        entries[i] = (float(i % 3), position)
        state.leaves[tree, i] = entries[i]
    winner_tree.build(state, tree)
    assert size >= count + 1
    for clock, (number, key) in enumerate([(0, 0.0), *changes], start=100):
        i = number % (count + 1)
        match clock % 3:
            case 0:
                entries[i] = (key, clock)
                winner_tree.join(state, tree, i, key, clock)
            case 1:
                entries[i] = (key, entries[i][1])
                winner_tree.set_key(state, tree, i, key)
            case _:
                entries[i] = (inf, entries[i][1])
                winner_tree.leave(state, tree, i)
        best = min(entries, key=lambda one: entries[one])
        expected = best if entries[best][0] < inf else k.NONE
        assert winner_tree.leader(state, tree) == expected


TIMES = st.sampled_from([1.0, 2.0, 3.0, 4.5])


@given(st.lists(st.tuples(st.sampled_from("+++-x"), st.integers(0, 11), TIMES), max_size=50))
@settings(max_examples=200)
def test_flights_land_by_time_then_request(steps: list[tuple[str, int, float]]) -> None:
    state = fresh()
    flying: list[tuple[float, int, int]] = []
    for step, r, time_s in steps:
        here = next((one for one in flying if one[1] == r), None)
        if step == "+" and here is None:
            insort(flying, (time_s, r, r % 2))
            transfer_heap.push(state, time_s, r, r % 2)
        elif step == "-" and flying:
            flying.pop(0)
            transfer_heap.pop(state)
        elif step == "x":
            assert transfer_heap.cancel(state, r) == (here[2] if here else k.NONE)
            flying = [one for one in flying if one is not here]
        assert state.counters[k.IN_FLIGHT] == len(flying)
        assert transfer_heap.next_transfer_end_s(state) == (flying[0][0] if flying else inf)
        if flying:
            first = state.transfer_heap[0]
            assert (first.time_s, first.request, first.is_retry) == flying[0]
    landed = []
    while transfer_heap.next_transfer_end_s(state) < inf:
        landed.append((state.transfer_heap[0].time_s, state.transfer_heap[0].request))
        transfer_heap.pop(state)
    assert landed == [one[:2] for one in flying]


def linked(state: k.State, which: int) -> list[int]:
    """A list of instance 0, read forwards; backwards it is the same."""
    forwards, r = [], int(state.instances[0].head[which])
    while r != k.NONE:
        forwards.append(r)
        r = int(state.requests[r].next)
    backwards, r = [], int(state.instances[0].tail[which])
    while r != k.NONE:
        backwards.append(r)
        r = int(state.requests[r].previous)
    assert forwards == backwards[::-1]
    return forwards


@given(st.lists(st.tuples(st.sampled_from("aaioo"), st.integers(0, 11)), max_size=40))
@settings(max_examples=200)
def test_queues_are_lists(steps: list[tuple[str, int]]) -> None:
    """Appended or inserted by arrival, and taken out anywhere."""
    state = fresh()
    which = k.ARRIVED
    expected: list[int] = []
    for step, r in steps:
        if step == "o" and r in expected:
            expected.remove(r)
            queues.remove(state, which, 0, r)
        elif step == "a" and all(one < r for one in expected):
            expected.append(r)
            queues.append(state, which, 0, r)
        elif step == "i" and r not in expected:
            insort(expected, r)
            queues.insert_arrived(state, 0, r)
        assert linked(state, which) == expected


def test_what_is_asleep_does_not_age() -> None:
    assert queues.age(queues.NOT_AGEING, 7) == 0
    assert queues.age(-3, 7) == 4


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 3)), max_size=12))
@settings(max_examples=100)
def test_the_pending_order_is_bisected_to_the_right(tasks: list[tuple[int, int]]) -> None:
    """[ref] By (passes, arrival); a request's prompt and token phase are equal in that."""
    state = fresh(pending_order=1)
    state.instances[0].boundaries = 3
    placed: list[tuple[tuple[int, int], int]] = []
    for r, waited in dict(tasks).items():
        state.requests[r].prompt_passes = waited - 3
        state.requests[r].token_passes = waited - 3
        for task in (2 * r, 2 * r + 1):
            at = bisect_right(placed, (waited, r), key=lambda one: one[0])
            queues.insert_in_order(state, 0, task, len(placed))
            placed.insert(at, ((waited, r), task))
    order = [task for _, task in placed]
    assert state.order[0, : len(order)].tolist() == order
    for task in order[::2]:
        queues.remove_from_order(state, 0, task, len(placed))
        placed = [one for one in placed if one[1] != task]
        assert state.order[0, : len(placed)].tolist() == [one[1] for one in placed]


def test_curves_are_straight_between_their_points_and_beyond() -> None:
    state = fresh()
    for curve in (k.PROMPT_TIME, k.TOKEN_TIME):
        points = state.points[0, curve][: state.point_counts[0, curve]]
        x, y = points["x"], points["y"]
        inside = np.linspace(x[0], x[-1], 97)
        found = [timing.interpolate(state, 0, curve, one) for one in inside]
        np.testing.assert_allclose(found, np.interp(inside, x, y), rtol=1e-12)
        for beyond, one, other in ((x[0] - 7.0, 0, 1), (x[-1] + 7.0, -2, -1)):
            slope = (y[other] - y[one]) / (x[other] - x[one])
            expected = y[one] + slope * (beyond - x[one])
            assert timing.interpolate(state, 0, curve, beyond) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("growth", [0.0, 0.25, 1e-9, 3.0])
def test_the_next_boundary_is_the_first_strictly_after(growth: float) -> None:
    """At each boundary, just before and just after it, and in between: counted one by one."""
    instance = fresh().instances[0]
    instance.start_s, instance.iteration_s, instance.growth_s = 10.0, 0.5, growth
    ends = 10.0 + np.cumsum(0.5 + growth * np.arange(40))
    for count in range(1, 41):
        assert 10.0 + timing.stretch_s(instance, count) == pytest.approx(ends[count - 1], rel=1e-12)
    exact = [10.0 + timing.stretch_s(instance, count) for count in range(1, 31)]
    near = [*exact, *(np.nextafter(exact, -inf)), *(np.nextafter(exact, inf)), 10.0, 10.2, 13.3]
    for now in near:
        count = timing.iterations_until(instance, now)
        assert 10.0 + timing.stretch_s(instance, count) > now
        assert count == 1 or 10.0 + timing.stretch_s(instance, count - 1) <= now


def with_target(relative: int, limit: float, allowed: int) -> k.State:
    state = fresh()
    targets = np.zeros(1, k.TARGET).view(np.recarray)
    targets[0] = (k.TTFT, relative, limit, allowed, 0)
    state.requests.alone_s[:, k.TTFT] = 4.0
    return state._replace(targets=targets)


@pytest.mark.parametrize(("relative", "limit"), [(0, 8.0), (1, 2.0)])
def test_a_limit_is_broken_above_it_and_missed_once_too_often(relative: int, limit: float) -> None:
    state = with_target(relative, limit, allowed=1)
    steps = [(k.TTFT, 8.0, 0), (k.TTFT, 8.1, 1), (k.E2E, 9.0, 1), (k.TTFT, 9.0, 2)]
    for r, (metric, value_s, broken) in enumerate(steps):
        phases.note_latency(state, metric, r, value_s)
        assert state.targets[0].broken == broken
        assert state.counters[k.MISSED] == (broken > 1)


def test_what_is_not_counted_breaks_no_limit() -> None:
    state = with_target(0, 8.0, allowed=0)
    state.requests.counted[:] = 0
    phases.note_latency(state, k.TTFT, 0, 99.0)
    assert (state.targets[0].broken, state.counters[k.MISSED]) == (0, 0)


@pytest.mark.parametrize(
    ("interval", "produced", "saved"),
    [(0, 5, 0), (1, 1, 1), (1, 5, 5), (4, 1, 1), (4, 4, 1), (4, 5, 5), (4, 8, 5), (4, 9, 9)],
)
def test_output_tokens_up_to_the_last_checkpoint(interval: int, produced: int, saved: int) -> None:
    assert restarts.saved_tokens(interval, produced) == saved


def displaced(
    checkpoint: int, *, started: bool = True, produced: int = 0, targets: k.State | None = None
) -> tuple[k.State, np.record]:
    """Request 3, of five output tokens, that arrived at 3 s, sent back."""
    state = targets or fresh()
    state.rules.checkpoint_tokens = checkpoint
    request = state.requests[3]
    request.prompt_instance, request.token_instance = 0, 1
    if started:
        request.prompt_start_s = 4.0
    if produced:
        request.first_token_s, request.second_token_s = 13.0, 14.0
        request.remaining_tokens = 5 - produced
        request.kv_transfer_s = 0.5
    restarts.send_back(state, 3)
    assert (request.prompt_instance, request.token_instance) == (k.NONE, k.NONE)
    assert restarts.has_waiting(state)
    assert restarts.next_waiting(state) == 3
    assert not restarts.has_waiting(state)
    return state, request


LOST = [k.RESTARTS, k.LOST_PROMPT_TOKENS, k.LOST_OUTPUT_TOKENS]


@pytest.mark.parametrize(
    ("checkpoint", "started", "produced", "lost"),
    [
        (0, False, 0, [0, 0, 0]),
        (0, True, 0, [1, 103, 0]),
        (0, True, 3, [1, 103, 3]),
        (1, True, 0, [1, 103, 0]),
        (1, True, 3, [1, 0, 0]),
        (2, True, 4, [1, 0, 1]),
        (9, True, 4, [1, 0, 3]),
    ],
)
def test_what_is_lost(checkpoint: int, started: bool, produced: int, lost: list[int]) -> None:
    state, request = displaced(checkpoint, started=started, produced=produced)
    assert state.counters[LOST].tolist() == lost
    if not (checkpoint and produced):
        times = (request.prompt_start_s, request.first_token_s, request.second_token_s)
        assert times == (inf, inf, inf)
        assert request.kv_transfer_s == 0.0
        return
    kept = restarts.saved_tokens(checkpoint, produced)
    assert request.remaining_tokens == 5 - kept
    assert (request.prompt_start_s, request.first_token_s) == (4.0, 13.0)
    assert request.second_token_s == (inf if kept == 1 else 14.0)
    assert request.kv_transfer_s == inf


@pytest.mark.parametrize(
    ("relative", "limit", "counted", "checkpoint", "broken"),
    [
        (0, 9.9, 1, 0, 0),  # its TTFT was 10 s, beyond the limit: taken back
        (0, 10.0, 1, 0, 1),  # it was not beyond
        (1, 2.4, 1, 0, 0),  # 2.5 times that alone
        (1, 2.5, 1, 0, 1),
        (0, 9.9, 0, 0, 1),  # never counted
        (0, 9.9, 1, 1, 1),  # its first token stays
    ],
)
def test_a_ttft_that_is_not_the_last_is_taken_back(
    relative: int, limit: float, counted: int, checkpoint: int, broken: int
) -> None:
    state = with_target(relative, limit, allowed=5)
    state.targets[0].broken = 1
    state.requests[3].counted = counted
    displaced(checkpoint, produced=2, targets=state)
    assert state.targets[0].broken == broken


def test_those_without_an_instance_wait_in_line() -> None:
    state = fresh()
    for r in (5, 0, 7):
        restarts.wait(state, r)
    assert [restarts.next_waiting(state) for _ in range(2)] == [5, 0]
    restarts.wait(state, 2)
    assert [restarts.next_waiting(state) for _ in range(2)] == [7, 2]
    assert not restarts.has_waiting(state)


@pytest.mark.parametrize("from_checkpoint", [False, True])
@pytest.mark.parametrize(("by_pending", "taken"), [(0, 0), (1, 1)])
def test_a_prompt_machine_helps_a_token_pool_that_is_full(
    by_pending: int, taken: int, from_checkpoint: bool
) -> None:
    """The one with less booked memory, or by the option with fewer pending tokens."""
    state = fresh(2, token_end_by_pending=by_pending)
    full, instances = 2, state.instances
    instances.booked_bytes[full] = instances.memory_limit_bytes[full]
    instances.booked_bytes[1] += 1000.0
    instances.pending_tokens[0] = 50
    booked, pending = instances.booked_bytes.copy(), instances.pending_tokens.copy()
    state.leaves[k.PROMPT_HOME]["key"][:2] = instances.pending_tokens[:2]
    for tree in range(k.TOURNAMENTS):
        winner_tree.build(state, tree)
    if from_checkpoint:
        assign.assign_token_phase(state, 3)
    else:
        assign.assign(state, 3)
        assert state.requests[3].prompt_instance == 1  # the shorter queue
        pending[1] += 103
    assert state.requests[3].token_instance == taken
    assert instances.pool.tolist() == [
        k.MIXED_POOL if i == taken else home for i, home in enumerate(instances.home)
    ]
    assert instances.unfinished_token_phases.tolist() == [int(i == taken) for i in range(3)]
    assert state.counters[k.POOL_MOVES] == state.counters[k.MIXED_REQUESTS] == 1
    pending[taken] += 1
    assert instances.pending_tokens.tolist() == pending.tolist()
    kv_bytes = state.rules[0].kv_bytes
    own = (103 + 1) * kv_bytes * (not from_checkpoint) if taken == 0 else 0.0
    booked[taken] += (103 + 5) * kv_bytes
    booked[1] += own
    assert instances.booked_bytes.tolist() == booked.tolist()
