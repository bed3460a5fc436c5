"""The event loop: an iteration ends, a KV transfer ends, a request arrives.

At equal times in that order, then by instance, request, arrival. What `outages` has due comes
between transfers and arrivals.
"""

from __future__ import annotations

from splitwise_plan.sim.kernel.assign import add_load, assign
from splitwise_plan.sim.kernel.batch import (
    growth_bytes,
    has_room,
    has_run,
    is_idle,
    prompt_bytes,
)
from splitwise_plan.sim.kernel.jit import entry, inner
from splitwise_plan.sim.kernel.outages import due_s, some_instance, take_due
from splitwise_plan.sim.kernel.queues import NOT_AGEING, append, insert_arrived, insert_in_order
from splitwise_plan.sim.kernel.restarts import wait
from splitwise_plan.sim.kernel.state import (
    ARRIVAL,
    DEADLOCK,
    DRAINED,
    END,
    ENDS,
    FINISHED,
    IN_FLIGHT,
    INF,
    METRICS,
    MISSED,
    MISSES,
    NONE,
    NOTHING,
    OVERLOAD,
    PREEMPTED,
    PROMPTS,
    TOURNAMENTS,
    TRANSFER_END,
    TRANSFERS,
    WAKE,
)
from splitwise_plan.sim.kernel.stretches import cut_stretch, finish_stretch, start_stretch
from splitwise_plan.sim.kernel.transfer_heap import next_transfer_end_s, pop
from splitwise_plan.sim.kernel.transfers import start_transfer_if_room
from splitwise_plan.sim.kernel.winner_tree import build

OVERFULL = -2


@entry
def run(s):
    """Simulate until nothing can happen any more, or the run is given up.

    Returns (reason to stop, time of the last event in seconds, number of requests that arrived).
    """
    return play(s, False)


@entry
def run_with_outages(s):
    """The same with `changes` to be made: compiled apart, since most runs have none."""
    return play(s, True)


@inner
def play(s, outages):  # noqa: PLR0912
    """`outages`: whether there are changes to be made, which may be known when compiling."""
    for tree in range(TOURNAMENTS):
        build(s, tree)
    now, arrived, failed_retries = 0.0, 0, 0
    while True:
        i, r = s.matches[ENDS, 1].instance, arrived
        end_s, landing_s = s.leaves[ENDS, i].key, next_transfer_end_s(s)
        arrival_s = s.arrivals[arrived].arrival_s if arrived < len(s.arrivals) else INF
        at_s, outage_s = min(end_s, landing_s, arrival_s), due_s(s, now) if outages else INF
        if at_s == INF and s.counters[FINISHED] == len(s.requests):
            break
        at_s = min(at_s, outage_s)
        if at_s == INF:
            break
        now = at_s
        if now == end_s:
            event = END
        elif now == landing_s:
            event, r = TRANSFER_END, s.transfer_heap[0].request
            is_retry = s.transfer_heap[0].is_retry
            pop(s)
            if is_retry and not start_transfer_if_room(s, r, now):
                failed_retries += 1
                nothing_else = arrival_s == INF and end_s == INF and outage_s == INF
                if failed_retries > s.counters[IN_FLIGHT] and nothing_else:
                    break  # only retries are left, and none of them gets anywhere
                continue
            if is_retry:
                event = NOTHING
        elif outages and now == outage_s:
            event, i, r = take_due(s, now, arrived)
        else:
            event = ARRIVAL
            arrive(s, r)
            arrived += 1
            if outages and not some_instance(s):
                wait(s, r)
                event = NOTHING
        failed_retries = 0

        # NOTE: an event happens in two parts, each of which may wake one instance, so that
        # `start_stretch` stands, and is compiled, in one place only.
        for half in range(2):
            woken = dispatch(s, event, half, i, r, now)
            if woken == OVERFULL:
                return OVERLOAD, now, arrived
            if woken != NONE:
                start_stretch(s, woken, now)
        if s.counters[MISSED]:
            return MISSES, now, arrived
    return (DRAINED if s.counters[FINISHED] == len(s.requests) else DEADLOCK), now, arrived


@inner
def arrive(s, r):
    """Write the record of a request to which nothing has happened yet."""
    request, arrival = s.requests[r], s.arrivals[r]
    request.arrival_s = arrival.arrival_s
    request.prompt_tokens = arrival.prompt_tokens
    request.output_tokens = arrival.output_tokens
    request.counted = arrival.counted
    for metric in range(METRICS):
        request.alone_s[metric] = arrival.alone_s[metric]
    request.first_token_s = request.second_token_s = request.last_token_s = INF
    request.prompt_start_s = INF
    request.kv_transfer_s = 0.0
    request.prompt_instance = request.token_instance = NONE
    request.next = request.previous = NONE
    request.remaining_tokens = request.prompt_passes = request.token_passes = 0


@inner
def dispatch(s, event, half, i, r, now):
    """One part of an event of instance `i` or request `r`. Returns the instance to start, or NONE.

    OVERFULL if the run is to be given up.
    """
    if event == END and half == 0:
        return finish_stretch(s, i, now)
    if event == TRANSFER_END:
        if half == 0:
            return reach_destination(s, r, now)
        if s.requests[r].prompt_instance != NONE:  # it has memory again
            return wake(s, s.requests[r].prompt_instance, now)
    elif event == WAKE and half == 0:
        return wake(s, i, now)
    elif event == ARRIVAL:
        return receive_prompt(s, r, now) if half == 0 else receive_token_phase(s, r, now)
    return NONE


@inner
def receive_prompt(s, r, now):
    """A request arrives: both ends are chosen and its prompt joins a queue.

    Returns the instance to start, NONE, or OVERFULL where that queue has no room left [ref].
    """
    assign(s, r)
    request, rules = s.requests[r], s.rules[0]
    i = request.prompt_instance
    instance = s.instances[i]
    if rules.pending_order and instance.pending + s.slots.shape[2] + 2 > s.order.shape[1]:
        return OVERFULL
    append(s, PROMPTS, i, r)
    request.prompt_passes = -instance.boundaries
    join_pending(s, i, 2 * r)
    cuts = not rules.long_prompt_does_not_cut or request.prompt_tokens <= rules.max_batch_tokens
    return task_arrives(s, i, now, prompt_bytes(s, i, r), cuts)


@inner
def receive_token_phase(s, r, now):
    """A token phase on the instance of its prompt is pending from the request's arrival on."""
    request = s.requests[r]
    i = request.prompt_instance
    if request.token_instance != i:
        return NONE
    request.token_passes = NOT_AGEING
    join_pending(s, i, 2 * r + 1)
    return task_arrives(s, i, now, growth_bytes(s, r), True)


@inner
def join_pending(s, i, task):
    if s.rules[0].pending_order:
        insert_in_order(s, i, task, s.instances[i].pending)
    s.instances[i].pending += 1


@inner
def task_arrives(s, i, now, size_bytes, cuts):
    """A task joined the pending queue of `i`: cut a stretch of token phases, or start if idle.

    Returns the instance if it is to start, else NONE.
    """
    instance = s.instances[i]
    if is_idle(instance):
        return i if s.rules[0].reserve_whole or has_room(s, i, size_bytes) else NONE
    if cuts and instance.running_prompts == 0:
        cut_stretch(s, i, now)
    return NONE


@inner
def reach_destination(s, r, now):
    """The KV cache has moved: the prompt side lets go of it, the token phase is ready to run.

    Returns the instance to start, or NONE.
    """
    request = s.requests[r]
    source, destination = request.prompt_instance, request.token_instance
    request.kv_transfer_s = now - request.first_token_s
    if source != NONE:
        size_bytes = (request.prompt_tokens + 1) * s.rules[0].kv_bytes
        s.instances[source].memory_bytes -= size_bytes
        add_load(s, source, 0, -size_bytes)

    request.token_passes = -s.instances[destination].boundaries
    if has_run(request):  # before an outage
        append(s, PREEMPTED, destination, r)
        size_bytes = 0.0
    else:
        insert_arrived(s, destination, r)
        size_bytes = growth_bytes(s, r)
    join_pending(s, destination, 2 * r + 1)
    return task_arrives(s, destination, now, size_bytes, True)


@inner
def wake(s, i, now):
    """Instance `i` may have memory again. Returns it if it is to start, else NONE."""
    instance = s.instances[i]
    if instance.pending > 0:
        return task_arrives(s, i, now, first_pending_bytes(s, i), True)
    return i if instance.head[TRANSFERS] != NONE and is_idle(instance) else NONE


@inner
def first_pending_bytes(s, i):
    """Memory the head of the pending order would take [ref]."""
    if not s.rules[0].pending_order:
        return 0.0
    task = s.order[i, 0]
    return growth_bytes(s, task >> 1) if task & 1 else prompt_bytes(s, i, task >> 1)
