"""Cluster level: which instances take the two phases of a request, and which pool they are in."""

from __future__ import annotations

from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.state import (
    INF,
    LIST_CLOCK,
    MIXED_POOL,
    MIXED_REQUESTS,
    NONE,
    POOL_MOVES,
    PROMPT_HOME,
    PROMPT_MIXED,
    PROMPT_POOL,
    TOKEN_HOME,
    TOKEN_MIXED,
    TOKEN_POOL,
)
from splitwise_plan.sim.kernel.winner_tree import join, leader, leave, set_key


@inner
def token_load(s, i):
    """What the choice of a token end minimises."""
    instance = s.instances[i]
    if s.rules[0].token_end_by_pending:
        return float(instance.pending_tokens)
    return instance.booked_bytes


@inner
def add_load(s, i, tokens, size_bytes):
    """Change the pending tokens and the booked memory of an instance, and its place in its pool."""
    instance = s.instances[i]
    instance.pending_tokens += tokens
    instance.booked_bytes += size_bytes
    if instance.pool == PROMPT_POOL:
        if tokens != 0:
            set_key(s, PROMPT_HOME, i, float(instance.pending_tokens))
    elif instance.pool == TOKEN_POOL:
        set_key(s, TOKEN_HOME, i, token_load(s, i))
    elif instance.pool == MIXED_POOL:
        set_key(s, PROMPT_MIXED, i, float(instance.pending_tokens))
        set_key(s, TOKEN_MIXED, i, token_load(s, i))


@inner
def move(s, i, pool):
    """Move an instance to the end of the list of `pool`: MIXED_POOL, or from there its home.

    An instance that was away comes home too: it is in no tree that it could leave.
    """
    instance = s.instances[i]
    position = s.counters[LIST_CLOCK]
    s.counters[LIST_CLOCK] += 1
    home = PROMPT_HOME if instance.home == PROMPT_POOL else TOKEN_HOME
    if pool == MIXED_POOL:
        s.counters[POOL_MOVES] += 1
        leave(s, home, i)
        join(s, PROMPT_MIXED, i, float(instance.pending_tokens), position)
        join(s, TOKEN_MIXED, i, token_load(s, i), position)
    else:
        leave(s, PROMPT_MIXED, i)
        leave(s, TOKEN_MIXED, i)
        pending = float(instance.pending_tokens)
        join(s, home, i, pending if home == PROMPT_HOME else token_load(s, i), position)
    instance.pool = pool


@inner
def prompt_end(s, prompt_tokens):
    """Shortest queue of the prompt pool, else of the mixed pool, that is not too long; or NONE."""
    limit = s.rules[0].prompt_queue_limit_tokens
    for tree in (PROMPT_HOME, PROMPT_MIXED):
        i = leader(s, tree)
        if i != NONE:
            instance = s.instances[i]
            if instance.pending == 0 or instance.pending_tokens + prompt_tokens <= limit:
                return i
    return NONE


@inner
def token_end(s, size_bytes):
    """Least loaded of the token pool, else of the mixed pool, that has room to book; or NONE."""
    for tree in (TOKEN_HOME, TOKEN_MIXED):
        i = leader(s, tree)
        if i != NONE:
            instance = s.instances[i]
            if instance.booked_bytes + size_bytes < instance.memory_limit_bytes:
                return i
    return NONE


@inner
def position_in_pool(s, i):
    pool = s.instances[i].pool
    tree = PROMPT_HOME if pool == PROMPT_POOL else TOKEN_HOME
    return s.leaves[PROMPT_MIXED if pool == MIXED_POOL else tree, i].position


@inner
def least_of_pool(s, pool, by_memory):
    """First instance of a pool with least booked memory, or least pending tokens; or NONE.

    A scan: it is only asked when the pools are full.
    """
    best, least, first = NONE, INF, 0
    for i in range(len(s.instances)):
        instance = s.instances[i]
        if instance.pool != pool:
            continue
        load = instance.booked_bytes if by_memory else float(instance.pending_tokens)
        position = position_in_pool(s, i)
        if load < least or (load == least and position < first):
            best, least, first = i, load, position
    return best


@inner
def least_of_all(s):
    """First instance with least pending tokens over the prompt, mixed and token pools."""
    best, least = NONE, INF
    for pool in (PROMPT_POOL, MIXED_POOL, TOKEN_POOL):
        i = least_of_pool(s, pool, False)
        if i != NONE and s.instances[i].pending_tokens < least:
            best, least = i, float(s.instances[i].pending_tokens)
    return best


@inner
def choose_ends(s, r):
    """Both ends of an arriving request, and an instance moved in vain: (prompt, token, in vain).

    The token end is NONE if there is no token phase. Where a pool is full, an instance of the
    opposite pool moves to the mixed pool and helps out; where there is none to move, one instance
    of any pool takes both phases, and the one moved for the other end was moved in vain.
    """
    rules, request = s.rules[0], s.requests[r]
    has_token_phase = request.output_tokens > 1
    if rules.baseline:
        i = leader(s, PROMPT_HOME)
        return i, (i if has_token_phase else NONE), NONE

    size_bytes = (request.prompt_tokens + request.output_tokens) * rules.kv_bytes
    prompt = prompt_end(s, request.prompt_tokens)
    token = token_end(s, size_bytes) if has_token_phase else NONE
    moved = NONE
    if prompt == NONE:
        prompt = moved = least_of_pool(s, TOKEN_POOL, False)
        if prompt != NONE:
            move(s, prompt, MIXED_POOL)
    if token == NONE and has_token_phase:
        token = least_of_pool(s, PROMPT_POOL, not rules.token_end_by_pending)
        if token != NONE:
            moved = token
            move(s, token, MIXED_POOL)
    if prompt != NONE and (token != NONE or not has_token_phase):
        return prompt, token, NONE
    i = least_of_all(s)
    return i, (i if has_token_phase else NONE), moved


@inner
def assign(s, r):
    """Choose both ends of request `r` and book them."""
    request, kv_bytes = s.requests[r], s.rules[0].kv_bytes
    prompt, token, moved_in_vain = choose_ends(s, r)
    request.prompt_instance, request.token_instance = prompt, token
    s.instances[prompt].unfinished_prompts += 1
    prompt_bytes = (request.prompt_tokens + 1) * kv_bytes
    whole_bytes = (request.prompt_tokens + request.output_tokens) * kv_bytes
    mixed = s.instances[prompt].pool == MIXED_POOL
    if token == NONE:
        add_load(s, prompt, request.prompt_tokens, prompt_bytes)
    else:
        s.instances[token].unfinished_token_phases += 1
        mixed = mixed or s.instances[token].pool == MIXED_POOL
        if token == prompt:
            add_load(s, prompt, request.prompt_tokens + 1, whole_bytes)
        else:
            request.kv_transfer_s = INF
            add_load(s, prompt, request.prompt_tokens, prompt_bytes)
            add_load(s, token, 1, whole_bytes)
    if mixed:
        s.counters[MIXED_REQUESTS] += 1
    if moved_in_vain != NONE:
        go_home_if_drained(s, moved_in_vain)


@inner
def assign_token_phase(s, r):
    """Choose and book a token end alone: the KV cache is loaded from a checkpoint."""
    request, rules = s.requests[r], s.rules[0]
    size_bytes = (request.prompt_tokens + request.output_tokens) * rules.kv_bytes
    i = leader(s, PROMPT_HOME) if rules.baseline else token_end(s, size_bytes)
    if i == NONE:
        i = least_of_pool(s, PROMPT_POOL, not rules.token_end_by_pending)
        if i != NONE:
            move(s, i, MIXED_POOL)
        else:
            i = least_of_all(s)
    request.token_instance = i
    s.instances[i].unfinished_token_phases += 1
    if s.instances[i].pool == MIXED_POOL:
        s.counters[MIXED_REQUESTS] += 1
    add_load(s, i, 1, size_bytes)


@inner
def go_home_if_drained(s, i):
    """Option `mixed_return = "drained"`: home once no phase of the other kind is assigned here."""
    instance = s.instances[i]
    if not s.rules[0].return_when_drained or instance.pool != MIXED_POOL:
        return
    if instance.home == PROMPT_POOL:
        foreign = instance.unfinished_token_phases
    else:
        foreign = instance.unfinished_prompts
    if foreign == 0:
        move(s, i, instance.home)
