"""KV transfers: they take memory at their destination, or wait for it."""

from __future__ import annotations

from splitwise_plan.sim.kernel.batch import has_room, has_run, take_memory
from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.queues import append, remove
from splitwise_plan.sim.kernel.state import NONE, SERIALIZED, TRANSFERS
from splitwise_plan.sim.kernel.timing import transfer_s
from splitwise_plan.sim.kernel.transfer_heap import push


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
            push(s, now + s.rules[0].retry_s, r, 1)
        return False
    send(s, r, now, s.rules[0].transfer)
    return True


@inner
def take_destination(s, r):
    """Take the memory a transfer needs at its destination. Returns False where it does not fit."""
    request, rules = s.requests[r], s.rules[0]
    whole = rules.reserve_whole or has_run(request)
    tokens = request.prompt_tokens + (request.output_tokens if whole else 1)
    if not has_room(s, request.token_instance, tokens * rules.kv_bytes):
        return False
    take_memory(s, request.token_instance, tokens * rules.kv_bytes)
    return True


@inner
def send(s, r, now, mode):
    request = s.requests[r]
    destination = s.instances[request.token_instance].machine_type
    if request.prompt_instance == NONE:  # from a checkpoint
        tokens = request.prompt_tokens + request.output_tokens - request.remaining_tokens
        duration_s = transfer_s(s, destination, destination, tokens, SERIALIZED)
    else:
        source = s.instances[request.prompt_instance].machine_type
        duration_s = transfer_s(s, source, destination, request.prompt_tokens, mode)
    push(s, now + duration_s, r, 0)


@inner
def grant_transfers(s, i, now):
    """Waiting transfers get memory of `i`, first come first served; they go serialized."""
    r = s.instances[i].head[TRANSFERS]
    while r != NONE and take_destination(s, r):
        after = s.requests[r].next
        remove(s, TRANSFERS, i, r)
        send(s, r, now, SERIALIZED)
        r = after
