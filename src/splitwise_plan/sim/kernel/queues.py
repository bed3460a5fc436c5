"""Queues of an instance: linked lists through the requests, and the age of what waits in them."""

from __future__ import annotations

from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.state import ARRIVED, NONE


@inner
def append(s, which, i, r):
    """Put request `r` at the end of a list."""
    last = s.instances[i].tail[which]
    request = s.requests[r]
    request.next = NONE
    request.previous = last
    if last == NONE:
        s.instances[i].head[which] = r
    else:
        s.requests[last].next = r
    s.instances[i].tail[which] = r


@inner
def remove(s, which, i, r):
    """Take request `r` out of a list it is in."""
    request = s.requests[r]
    before, after = request.previous, request.next
    if before == NONE:
        s.instances[i].head[which] = after
    else:
        s.requests[before].next = after
    if after == NONE:
        s.instances[i].tail[which] = before
    else:
        s.requests[after].previous = before


@inner
def insert_arrived(s, i, r):
    """Put a token phase into ARRIVED by arrival of its request; most come last."""
    before = s.instances[i].tail[ARRIVED]
    while before != NONE and before > r:
        before = s.requests[before].previous
    if before == s.instances[i].tail[ARRIVED]:
        append(s, ARRIVED, i, r)
        return
    after = s.instances[i].head[ARRIVED] if before == NONE else s.requests[before].next
    s.requests[r].previous = before
    s.requests[r].next = after
    s.requests[after].previous = r
    if before == NONE:
        s.instances[i].head[ARRIVED] = r
    else:
        s.requests[before].next = r


# Passes: how often a waiting task was passed over. All that wait age together at a boundary, so a
# task keeps its count minus the instance's count of boundaries, and nothing is raised one by one.
# A token phase whose prompt has not ended does not age: ASLEEP.
NOT_AGEING = -(2**62)


@inner
def age(offset, boundaries):
    """Count of a waiting task from its stored `offset`."""
    return 0 if offset == NOT_AGEING else offset + boundaries


# [ref] The pending queue of SplitwiseSim: tasks (2 r for the prompt of r, 2 r + 1 for its token
# phase) inserted by bisection on (passes, arrival) as they are now, and never sorted again.


@inner
def task_passes(s, i, task):
    request = s.requests[task >> 1]
    offset = request.token_passes if task & 1 else request.prompt_passes
    return age(offset, s.instances[i].boundaries)


@inner
def insert_in_order(s, i, task, length):
    """Insert `task` into the pending order of `length` tasks, to the right of equal keys."""
    order = s.order[i]
    count = task_passes(s, i, task)
    low, high = 0, length
    while low < high:
        middle = (low + high) // 2
        other = task_passes(s, i, order[middle])
        if count < other or (count == other and task >> 1 < order[middle] >> 1):
            high = middle
        else:
            low = middle + 1
    for at in range(length, low, -1):
        order[at] = order[at - 1]
    order[low] = task


@inner
def remove_from_order(s, i, task, length):
    """Remove `task` from the pending order of `length` tasks."""
    order = s.order[i]
    at = 0
    while order[at] != task:
        at += 1
    for after in range(at + 1, length):
        order[after - 1] = order[after]
