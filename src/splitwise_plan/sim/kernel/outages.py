"""Instances that stop working and come back, and what becomes of the requests they had.

The rules, in the words of the others (they hold under both assumption sets):

1. A *change* (time, instance, kind) takes an instance DOWN (it works no more), lets it DRAIN (it
   works on, but takes nothing new) or brings it UP. At equal times: iterations end, transfers end,
   then changes are made, then requests arrive. Changes of the same time are made one after the
   other in the order given; only after the last of them follow rule 6, then rule 7.
2. DOWN and DRAIN: the instance leaves the pool it is in (home or mixed), if it is in one. UP: it
   joins the end of the list of its home pool.
3. DOWN: the running iteration is lost. Iterations of a stretch that have ended by now count: each
   of its sequences has those tokens. The time up to now counts as busy, with its energy.
4. DOWN: every unfinished request that needs the instance is *displaced*, in order of arrival. It
   needs the instance of its prompt until its KV cache has left it, that is until the transfer has
   ended, and the instance of its token phase from its assignment on. What it holds on the other
   instance is given back: a waiting prompt leaves the queue, a transfer that waits or is under way
   is cancelled, memory in use and booked, pending tokens and unfinished phases are taken off.
   Only a prompt that is running on another instance runs to its end, since no iteration is changed;
   until then that instance keeps it on its books, then its request is displaced (or before, should
   that instance go down too). All that is left on the instance that goes down is its weights.
5. A displaced request joins the end of one list of all requests *without an instance*. It starts
   from scratch: of its earlier attempts nothing is kept, and its records are those of the last one.
   If its prompt had been started this is a restart; lost are its prompt tokens, and the output
   tokens it had, the first one included.
6. After the changes of a time, every instance is looked at, by number: like the source of a
   transfer that has ended (a boundary if it is idle and has a pending task or a waiting transfer;
   else a stretch of token phases is cut if a task is pending). Before that, if it is in the mixed
   pool, it returns home if the rule of `mixed_return` allows.
7. As long as some instance is in a pool, the requests without one are assigned, in the order of
   their list, as if they arrived now. Wherever order is by arrival their own arrival counts, and
   so it does for their latencies. A request that arrives while no instance is in a pool joins the
   end of that list.
8. The run ends when every request has finished, whatever changes are still to come.
9. With checkpoints the KV cache of a request is saved outside the instances when its prompt has
   ended, and whenever it has `checkpoint_tokens` more output tokens; that takes no time here (its
   cost is in the token times). A displaced request whose prompt has ended keeps its output tokens
   up to the last checkpoint, and their times; only those after it are lost, no prompt tokens are.
   Under rule 7 it gets no prompt end: its token end is chosen and booked as ever (in a baseline:
   least `pending_tokens`, which grow by 1), and the KV cache of its prompt and the tokens kept is
   sent there at once, serialized, over a link like the instance's own on both sides. That takes or
   waits for memory like any transfer; what has more than its first token reserves all of it. When
   it has ended the token phase joins the pending queue, as one that was preempted if it has more
   than its first token.
"""

from __future__ import annotations

from splitwise_plan.sim.kernel.assign import (
    add_load,
    assign_token_phase,
    go_home_if_drained,
    move,
)
from splitwise_plan.sim.kernel.batch import is_idle, leave_pending
from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.queues import remove
from splitwise_plan.sim.kernel.restarts import has_waiting, next_waiting, send_back
from splitwise_plan.sim.kernel.state import (
    ARRIVAL,
    AWAY,
    AWAY_POOL,
    BATCH,
    CHANGES_MADE,
    DOWN,
    ENDS,
    FINISH,
    FIRST_OPEN,
    INF,
    LISTS,
    MIXED_POOL,
    NEVER,
    NONE,
    NOTHING,
    ORPHAN,
    PROMPT_HOME,
    PROMPT_MIXED,
    PROMPT_POOL,
    PROMPTS,
    TO_LOOK_AT,
    TOKEN_HOME,
    TOKEN_MIXED,
    TRANSFERS,
    UP,
    WAKE,
)
from splitwise_plan.sim.kernel.stretches import count_stretch
from splitwise_plan.sim.kernel.timing import iterations_until
from splitwise_plan.sim.kernel.transfer_heap import cancel
from splitwise_plan.sim.kernel.transfers import start_transfer
from splitwise_plan.sim.kernel.winner_tree import leave


@inner
def due_s(s, now):
    """When the next of rules 1, 6 and 7 is due, inf if nothing is."""
    if s.counters[TO_LOOK_AT] > 0 or (has_waiting(s) and some_instance(s)):
        return now
    made = s.counters[CHANGES_MADE]
    return s.changes[made].time_s if made < len(s.changes) else INF


@inner
def some_instance(s):
    """Whether some instance is in a pool."""
    return s.counters[AWAY] < len(s.instances)


@inner
def take_due(s, now, arrived):
    """What is due now, as (event, instance, request): a change or a resumption, made here, is over.

    `arrived`: how many requests have arrived.
    """
    made = s.counters[CHANGES_MADE]
    if made < len(s.changes) and s.changes[made].time_s <= now:
        s.counters[CHANGES_MADE] += 1
        change(s, s.changes[made].instance, s.changes[made].kind, now, arrived)
        s.counters[TO_LOOK_AT] = len(s.instances)
        return NOTHING, NONE, NONE
    if s.counters[TO_LOOK_AT] > 0:
        i = len(s.instances) - s.counters[TO_LOOK_AT]
        s.counters[TO_LOOK_AT] -= 1
        go_home(s, i)
        return WAKE, i, NONE
    r = next_waiting(s)
    if s.requests[r].first_token_s == INF:
        return ARRIVAL, NONE, r
    assign_token_phase(s, r)
    start_transfer(s, r, now)
    return NOTHING, NONE, r


@inner
def change(s, i, kind, now, arrived):
    """Rules 2 to 5: make one change."""
    instance = s.instances[i]
    if kind == UP:
        if instance.pool == AWAY_POOL:
            s.counters[AWAY] -= 1
            move(s, i, instance.home)
        return
    if instance.pool != AWAY_POOL:
        leave_pool(s, i)
    if kind == DOWN:
        lose_iteration(s, i, now)
        while s.counters[FIRST_OPEN] < arrived and is_finished(s, s.counters[FIRST_OPEN]):
            s.counters[FIRST_OPEN] += 1
        for r in range(s.counters[FIRST_OPEN], arrived):
            if needs(s, r, i):
                displace(s, r, i)
        forget(s, i)


@inner
def leave_pool(s, i):
    instance = s.instances[i]
    if instance.pool == MIXED_POOL:
        leave(s, PROMPT_MIXED, i)
        leave(s, TOKEN_MIXED, i)
    else:
        leave(s, PROMPT_HOME if instance.pool == PROMPT_POOL else TOKEN_HOME, i)
    instance.pool = AWAY_POOL
    s.counters[AWAY] += 1


@inner
def lose_iteration(s, i, now):
    """Rule 3: what ran counts as far as its iterations had ended."""
    instance = s.instances[i]
    if is_idle(instance):
        return
    ended = 0
    if instance.running_prompts == 0:
        ended = min(iterations_until(instance, now), instance.stretch) - 1
    count_stretch(s, i, now, ended)
    for at in range(instance.running_tokens):
        request = s.requests[s.slots[i, BATCH, at]]
        request.remaining_tokens = s.slots[i, FINISH, at] - instance.token_iterations
    leave(s, ENDS, i)


@inner
def is_finished(s, r):
    return s.requests[r].last_token_s < INF


@inner
def needs(s, r, i):
    """Whether an unfinished request needs instance `i`."""
    request = s.requests[r]
    if is_finished(s, r):
        return False
    return request.token_instance == i or (
        request.prompt_instance == i and (request.first_token_s == INF or is_moving(request))
    )


@inner
def is_moving(request):
    """Whether the KV cache has to leave the instance of the prompt and has not yet."""
    return request.first_token_s < INF and request.kv_transfer_s == INF


@inner
def displace(s, r, i):
    """Rule 4: give back what `r` holds on another instance than `i`, which goes down."""
    request = s.requests[r]
    prompt, token = request.prompt_instance, request.token_instance
    waits, moves = request.prompt_start_s == INF, is_moving(request)
    flight = NONE
    if moves:
        flight = cancel(s, r)
    if prompt == i and token >= 0 and token != i:
        give_back_token_side(s, r, token, flight)
    elif prompt >= 0 and prompt != i and (waits or moves):
        give_back_prompt_side(s, r, prompt)
    elif prompt != i and request.first_token_s == INF:
        request.token_instance = ORPHAN
        return
    send_back(s, r)


@inner
def give_back_token_side(s, r, i, flight):
    """`flight`: what was cancelled, see `transfer_heap.cancel`."""
    request, kv_bytes, rules = s.requests[r], s.rules[0].kv_bytes, s.rules[0]
    tokens = request.prompt_tokens + request.output_tokens
    if is_moving(request):
        if flight == 0:
            held = tokens if rules.reserve_whole else request.prompt_tokens + 1
            s.instances[i].memory_bytes -= held * kv_bytes
        elif flight == NONE:
            remove(s, TRANSFERS, i, r)
    s.instances[i].unfinished_token_phases -= 1
    add_load(s, i, -1, -(tokens * kv_bytes))


@inner
def give_back_prompt_side(s, r, i):
    request = s.requests[r]
    size_bytes = (request.prompt_tokens + 1) * s.rules[0].kv_bytes
    if is_moving(request):
        s.instances[i].memory_bytes -= size_bytes
        add_load(s, i, 0, -size_bytes)
        return
    remove(s, PROMPTS, i, r)
    leave_pending(s, i, 2 * r)
    s.instances[i].unfinished_prompts -= 1
    add_load(s, i, -request.prompt_tokens, -size_bytes)


@inner
def forget(s, i):
    """All that is left of an instance that went down is its weights."""
    instance = s.instances[i]
    for which in range(LISTS):
        s.instances[i].head[which] = NONE
        s.instances[i].tail[which] = NONE
    instance.memory_bytes = instance.booked_bytes = s.rules[0].weights_bytes
    instance.pending_tokens = 0
    instance.context_tokens = 0
    instance.first_end = NEVER
    instance.pending = 0
    instance.running_prompts = 0
    instance.running_tokens = 0
    instance.unfinished_prompts = 0
    instance.unfinished_token_phases = 0


@inner
def go_home(s, i):
    """Rule 6: an instance in the mixed pool may have lost what kept it there."""
    instance = s.instances[i]
    if instance.pool != MIXED_POOL:
        return
    if s.rules[0].return_when_drained:
        go_home_if_drained(s, i)
    elif is_idle(instance) and instance.pending == 0:
        move(s, i, instance.home)
