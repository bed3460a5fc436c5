"""The event loop: an iteration ends, a KV transfer ends, a request arrives.

At equal times in that order, then by instance, request, arrival.
"""

from __future__ import annotations

from splitwise_plan.sim.kernel.assign import add_load, assign, go_home_if_drained, move
from splitwise_plan.sim.kernel.batch import (
    growth_bytes,
    has_room,
    is_idle,
    prompt_bytes,
    select_batch,
    take_memory,
)
from splitwise_plan.sim.kernel.flights import land, next_landing_s, take_off
from splitwise_plan.sim.kernel.jit import entry, inner
from splitwise_plan.sim.kernel.queues import (
    ASLEEP,
    append,
    insert_arrived,
    insert_in_order,
    remove,
)
from splitwise_plan.sim.kernel.state import (
    BATCH,
    DEADLOCK,
    DRAINED,
    E2E,
    ENDS,
    FINISH,
    FINISHED,
    IN_FLIGHT,
    INF,
    MISSED,
    MISSES,
    MIXED_POOL,
    NEVER,
    NONE,
    OVERLOAD,
    PROMPT,
    PROMPTS,
    SERIALIZED,
    TBT,
    TOURNAMENTS,
    TRANSFERS,
    TTFT,
)
from splitwise_plan.sim.kernel.timing import (
    iterations_until,
    mixed_s,
    prompt_s,
    prompt_w,
    stretch_s,
    token_s,
    token_w,
    transfer_s,
)
from splitwise_plan.sim.kernel.tournament import leave, play_all, set_key


NOTHING, END, LANDING, ARRIVAL = 0, 1, 2, 3
OVERFULL = -2


@entry
def run(s):
    """Simulate until nothing can happen any more, or the run is given up.

    Returns (reason to stop, time of the last event in seconds).
    """
    for tree in range(TOURNAMENTS):
        play_all(s, tree)
    now, arrived, failed_retries = 0.0, 0, 0
    while True:
        i, r = s.winner[ENDS, 1], arrived
        end_s, landing_s = s.leaves[ENDS, i].key, next_landing_s(s)
        arrival_s = s.requests[arrived].arrival_s if arrived < len(s.requests) else INF
        now = min(end_s, landing_s, arrival_s)
        if now == INF:
            break
        if now == end_s:
            event = END
        elif now == landing_s:
            event, r = LANDING, s.flights[0].request
            is_retry = s.flights[0].is_retry
            land(s)
            if is_retry and not start_transfer_if_room(s, r, now):
                failed_retries += 1
                if failed_retries > s.counters[IN_FLIGHT] and arrival_s == INF and end_s == INF:
                    break  # only retries are left, and none of them gets anywhere
                continue
            if is_retry:
                event = NOTHING
        else:
            event = ARRIVAL
            arrived += 1
        failed_retries = 0

        # NOTE: an event happens in two parts, each of which may wake one instance, so that
        # `start_stretch` stands, and is compiled, in one place only.
        for part in range(2):
            woken = NONE
            if event == END and part == 0:
                woken = finish_stretch(s, i, now)
            elif event == LANDING:
                woken = reach_destination(s, r, now) if part == 0 else leave_source(s, r, now)
            elif event == ARRIVAL:
                woken = receive_prompt(s, r, now) if part == 0 else receive_token_phase(s, r, now)
                if woken == OVERFULL:
                    return OVERLOAD, now
            if woken != NONE:
                start_stretch(s, woken, now)
        if s.counters[MISSED]:
            return MISSES, now
    return (DRAINED if s.counters[FINISHED] == len(s.requests) else DEADLOCK), now


# Requests


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
    request.token_passes = ASLEEP
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
def finish_prompt(s, i, r, now):
    """A prompt ends with the first output token; then the token phase waits, here or elsewhere."""
    request, instance = s.requests[r], s.instances[i]
    request.first_token_s = now
    note_latency(s, TTFT, r, now - request.arrival_s)
    instance.unfinished_prompts -= 1
    request.remaining_tokens = request.output_tokens - 1
    if request.token_instance == NONE:
        request.last_token_s = now
        s.counters[FINISHED] += 1
        note_latency(s, E2E, r, now - request.arrival_s)
        size_bytes = (request.prompt_tokens + 1) * s.rules[0].kv_bytes
        instance.memory_bytes -= size_bytes
        add_load(s, i, -request.prompt_tokens, -size_bytes)
    else:
        add_load(s, i, -request.prompt_tokens, 0.0)
        if request.token_instance == i:
            request.token_passes = -instance.boundaries
            insert_arrived(s, i, r)
        else:
            start_transfer(s, r, now)
    go_home_if_drained(s, i)


@inner
def finish_token_phase(s, i, r, now):
    """The last output token of a request."""
    request, instance = s.requests[r], s.instances[i]
    request.last_token_s = now
    s.counters[FINISHED] += 1
    streaming_s = now - request.arrival_s - (request.first_token_s - request.arrival_s)
    note_latency(s, TBT, r, streaming_s / (request.output_tokens - s.rules[0].tbt_gaps))
    note_latency(s, E2E, r, now - request.arrival_s)
    size_bytes = (request.prompt_tokens + request.output_tokens) * s.rules[0].kv_bytes
    instance.memory_bytes -= size_bytes
    instance.context_tokens -= request.prompt_tokens + request.output_tokens
    instance.unfinished_token_phases -= 1
    add_load(s, i, -1, -size_bytes)
    go_home_if_drained(s, i)


@inner
def note_latency(s, metric, r, value_s):
    """Count a broken limit; once more broke it than may, the target is missed whatever follows.

    See `simulator.target_counts` for how many `allowed` is.
    """
    for t in range(len(s.targets)):
        target = s.targets[t]
        if target.metric != metric or s.requests[r].counted == 0:
            continue
        value = value_s / s.requests[r].alone_s[metric] if target.relative else value_s
        if value > target.limit:
            target.broken += 1
            if target.broken > target.allowed:
                s.counters[MISSED] = 1


# Iterations


@inner
def start_stretch(s, i, now):
    """A boundary of instance `i`: grant waiting transfers, pick a batch and run it."""
    instance, machine = s.instances[i], s.instances[i].machine
    if s.instances[i].head[TRANSFERS] != NONE:
        grant_transfers(s, i, now)
    prompt_tokens, newcomers = select_batch(s, i)
    sequences = instance.running_tokens
    if is_idle(instance):
        leave(s, ENDS, i)
        if instance.pool == MIXED_POOL and instance.pending == 0:
            if not s.rules[0].return_when_drained:
                move(s, i, instance.home)
        return
    instance.start_s = now
    instance.growth_s = 0.0
    instance.stretch = 1
    if instance.running_prompts == 0:
        instance.iteration_s = token_s(s, instance)
        instance.growth_s = instance.context_slope_s * sequences
        instance.stretch = instance.first_end - instance.token_iterations
        instance.power_w = token_w(s, machine, sequences)
    else:
        if sequences == 0:
            instance.iteration_s = prompt_s(s, machine, prompt_tokens)
        else:
            instance.iteration_s = mixed_s(s, instance, prompt_tokens)
        instance.power_w = prompt_w(s, machine, prompt_tokens + sequences)
    note_starts(s, i, newcomers, now)
    set_key(s, ENDS, i, now + stretch_s(instance, instance.stretch))


@inner
def note_starts(s, i, newcomers, now):
    """Record when prompts start and when second tokens will be there."""
    instance = s.instances[i]
    for at in range(instance.running_prompts):
        s.requests[s.slots[i, PROMPT, at]].prompt_start_s = now
    for at in range(instance.running_tokens - newcomers, instance.running_tokens):
        request = s.requests[s.slots[i, BATCH, at]]
        if request.second_token_s == INF:
            request.second_token_s = now + instance.iteration_s


@inner
def cut_stretch(s, i, now):
    """End the running stretch at its first boundary strictly after `now`."""
    instance = s.instances[i]
    iterations = iterations_until(instance, now)
    if iterations < instance.stretch:
        instance.stretch = iterations
        set_key(s, ENDS, i, instance.start_s + stretch_s(instance, iterations))


@inner
def finish_stretch(s, i, now):
    """The running iterations of `i` end: prompts end, token phases advance. Returns `i`."""
    instance = s.instances[i]
    busy_s = now - instance.start_s
    instance.energy_j += instance.power_w * busy_s
    if instance.running_prompts > 0:
        instance.prompt_busy_s += busy_s
    else:
        instance.token_busy_s += busy_s
    instance.iterations += instance.stretch
    instance.token_iterations += instance.stretch
    instance.context_tokens += instance.running_tokens * instance.stretch

    prompts = instance.running_prompts
    instance.running_prompts = 0
    for at in range(prompts):
        finish_prompt(s, i, s.slots[i, PROMPT, at], now)
    if instance.token_iterations >= instance.first_end:
        finish_token_phases(s, i, now)
    return i


@inner
def finish_token_phases(s, i, now):
    """Token phases that had their last iteration leave the batch; the others close ranks."""
    instance = s.instances[i]
    instance.first_end = NEVER
    kept = 0
    for at in range(instance.running_tokens):
        r, finish = s.slots[i, BATCH, at], s.slots[i, FINISH, at]
        if finish == instance.token_iterations:
            finish_token_phase(s, i, r, now)
        else:
            s.slots[i, BATCH, kept], s.slots[i, FINISH, kept] = r, finish
            instance.first_end = min(instance.first_end, finish)
            kept += 1
    instance.running_tokens = kept


# KV transfers


@inner
def start_transfer(s, r, now):
    """A prompt ended and its KV cache has to move: at once if the destination has room."""
    destination = s.requests[r].token_instance
    in_line = s.rules[0].reserve_whole
    if in_line and s.instances[destination].head[TRANSFERS] != NONE:
        append(s, TRANSFERS, destination, r)
    elif not start_transfer_if_room(s, r, now) and in_line:
        append(s, TRANSFERS, destination, r)


@inner
def start_transfer_if_room(s, r, now):
    """Take memory at the destination and send; [ref] without room, try again later."""
    if not take_destination(s, r):
        if not s.rules[0].reserve_whole:
            take_off(s, now + s.rules[0].retry_s, r, 1)
        return False
    send(s, r, now, s.rules[0].transfer)
    return True


@inner
def take_destination(s, r):
    """Take the memory a transfer needs at its destination. Returns False where it does not fit."""
    request, rules = s.requests[r], s.rules[0]
    tokens = request.prompt_tokens + (request.output_tokens if rules.reserve_whole else 1)
    if not has_room(s, request.token_instance, tokens * rules.kv_bytes):
        return False
    take_memory(s, request.token_instance, tokens * rules.kv_bytes)
    return True


@inner
def send(s, r, now, mode):
    request = s.requests[r]
    source = s.instances[request.prompt_instance].machine
    destination = s.instances[request.token_instance].machine
    duration_s = transfer_s(s, source, destination, request.prompt_tokens, mode)
    take_off(s, now + duration_s, r, 0)


@inner
def grant_transfers(s, i, now):
    """Waiting transfers get memory of `i`, first come first served; they go serialized."""
    r = s.instances[i].head[TRANSFERS]
    while r != NONE and take_destination(s, r):
        after = s.requests[r].next
        remove(s, TRANSFERS, i, r)
        send(s, r, now, SERIALIZED)
        r = after


@inner
def reach_destination(s, r, now):
    """The KV cache has moved: the prompt side lets go of it, the token phase is ready to run.

    Returns the instance to start, or NONE.
    """
    request = s.requests[r]
    source, destination = request.prompt_instance, request.token_instance
    request.kv_transfer_s = now - request.first_token_s
    size_bytes = (request.prompt_tokens + 1) * s.rules[0].kv_bytes
    s.instances[source].memory_bytes -= size_bytes
    add_load(s, source, 0, -size_bytes)

    request.token_passes = -s.instances[destination].boundaries
    insert_arrived(s, destination, r)
    join_pending(s, destination, 2 * r + 1)
    return task_arrives(s, destination, now, growth_bytes(s, r), True)


@inner
def leave_source(s, r, now):
    """After a transfer the prompt side has memory again. Returns the instance to start, or NONE."""
    source = s.requests[r].prompt_instance
    instance = s.instances[source]
    if instance.pending > 0:
        return task_arrives(s, source, now, first_pending_bytes(s, source), True)
    return source if instance.head[TRANSFERS] != NONE and is_idle(instance) else NONE


@inner
def first_pending_bytes(s, i):
    """Memory the head of the pending order would take [ref]."""
    if not s.rules[0].pending_order:
        return 0.0
    task = s.order[i, 0]
    return growth_bytes(s, task >> 1) if task & 1 else prompt_bytes(s, i, task >> 1)
