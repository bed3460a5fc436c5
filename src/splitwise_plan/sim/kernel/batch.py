"""Machine level: what an instance runs next.

At a boundary an instance picks its batch anew, in five steps: aged tasks, prompts, preempted token
phases, the token phases of the previous batch, new token phases. A batch of token phases alone is
then kept for a whole stretch of iterations, until one of them ends or the stretch is cut.
"""

from __future__ import annotations

from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.queues import (
    age,
    append,
    insert_in_order,
    remove,
    remove_from_order,
    task_passes,
)
from splitwise_plan.sim.kernel.state import (
    ARRIVED,
    BATCH,
    FINISH,
    NEVER,
    NONE,
    PREEMPTED,
    PROMPT,
    PROMPTS,
)


@inner
def fits(s, prompts, prompt_tokens, token_phases, cost):
    """Whether a task of `cost` tokens may join a batch of so many; the first always may."""
    rules = s.rules[0]
    size = prompts + token_phases
    if size >= rules.max_batch_size:
        return False
    return size == 0 or prompt_tokens + token_phases + cost <= rules.max_batch_tokens


@inner
def places_left(s, prompts, prompt_tokens, token_phases):
    """How many token phases a batch of so many can still take."""
    rules = s.rules[0]
    size = prompts + token_phases
    places = min(rules.max_batch_size - size, rules.max_batch_tokens - prompt_tokens - token_phases)
    return max(places, 1 if size == 0 else 0)


@inner
def prompt_bytes(s, i, r):
    """KV memory the prompt of `r` takes on instance `i` when it starts."""
    rules, request = s.rules[0], s.requests[r]
    if rules.reserve_whole and request.token_instance == i:
        return (request.prompt_tokens + request.output_tokens) * rules.kv_bytes
    return (request.prompt_tokens + 1) * rules.kv_bytes


@inner
def growth_bytes(s, r):
    """KV memory the token phase of `r` takes on top of its prompt when it first runs [ref]."""
    rules = s.rules[0]
    return 0.0 if rules.reserve_whole else (s.requests[r].output_tokens - 1) * rules.kv_bytes


@inner
def has_room(s, i, size_bytes):
    instance = s.instances[i]
    return instance.memory_bytes + size_bytes <= instance.memory_limit_bytes


@inner
def take_memory(s, i, size_bytes):
    instance = s.instances[i]
    instance.memory_bytes += size_bytes
    instance.peak_bytes = max(instance.peak_bytes, instance.memory_bytes)


@inner
def pick_prompt(s, i, r, at):
    """Move a prompt from its queue into the batch, as its prompt number `at`."""
    take_memory(s, i, prompt_bytes(s, i, r))
    remove(s, PROMPTS, i, r)
    s.slots[i, PROMPT, at] = r


@inner
def pick_token_phase(s, i, r, at):
    """Move a waiting token phase out of its list, as number `at` of those newly picked."""
    request = s.requests[r]
    if has_run(request):
        remove(s, PREEMPTED, i, r)
    else:
        take_memory(s, i, growth_bytes(s, r))
        remove(s, ARRIVED, i, r)
    request.token_passes = age(request.token_passes, s.instances[i].boundaries)
    s.picked[0, at] = r


@inner
def has_run(request):
    return request.remaining_tokens < request.output_tokens - 1


@inner
def pick_aged(s, i):
    """Step 1: token phases passed over too often, by arrival. Returns how many."""
    boundaries, threshold = s.instances[i].boundaries, s.rules[0].max_passes
    aged, found = s.picked[1], 0
    for which in (PREEMPTED, ARRIVED):
        r = s.instances[i].head[which]
        while r != NONE:
            request = s.requests[r]
            if age(request.token_passes, boundaries) >= threshold:
                if found == len(aged):  # more than a batch holds: the latest cannot be picked
                    found -= 1
                    if aged[found] < r:
                        found += 1
                        r = request.next
                        continue
                at = found  # insertion sort: they mostly come in order
                while at > 0 and aged[at - 1] > r:
                    aged[at] = aged[at - 1]
                    at -= 1
                aged[at] = r
                found += 1
            r = request.next
    picked = 0
    while picked < found and fits(s, 0, 0, picked, 1):
        pick_token_phase(s, i, aged[picked], picked)
        picked += 1
    return picked


@inner
def pick_aged_from_head(s, i):
    """Step 1 [ref]: from the head of the pending order, up to the first task that is not aged.

    Returns counts of prompts, their tokens, and token phases.
    """
    prompts, prompt_tokens, picked = 0, 0, 0
    for at in range(s.instances[i].pending):
        task = s.order[i, at]
        if task_passes(s, i, task) < s.rules[0].max_passes:
            break
        r = task >> 1
        request = s.requests[r]
        is_prompt = task & 1 == 0
        if not fits(s, prompts, prompt_tokens, picked, request.prompt_tokens if is_prompt else 1):
            break
        if is_prompt:
            if has_room(s, i, prompt_bytes(s, i, r)):
                pick_prompt(s, i, r, prompts)
                prompts += 1
                prompt_tokens += request.prompt_tokens
        elif has_run(request) or has_room(s, i, growth_bytes(s, r)):
            pick_token_phase(s, i, r, picked)
            picked += 1
    return prompts, prompt_tokens, picked


@inner
def pick_batch(s, i):
    """Steps 1 to 5. Returns counts of prompts, their tokens, kept and newly picked token phases."""
    instance, rules = s.instances[i], s.rules[0]
    prompts, prompt_tokens, picked = 0, 0, 0
    if rules.pending_order:
        prompts, prompt_tokens, picked = pick_aged_from_head(s, i)
    elif s.instances[i].head[PREEMPTED] != NONE or s.instances[i].head[ARRIVED] != NONE:
        picked = pick_aged(s, i)

    r = s.instances[i].head[PROMPTS]
    while r != NONE:
        tokens, after = s.requests[r].prompt_tokens, s.requests[r].next
        if not fits(s, prompts, prompt_tokens, picked, tokens):
            break
        if not has_room(s, i, prompt_bytes(s, i, r)):
            break
        pick_prompt(s, i, r, prompts)
        prompts += 1
        prompt_tokens += tokens
        r = after

    while s.instances[i].head[PREEMPTED] != NONE and fits(s, prompts, prompt_tokens, picked, 1):
        pick_token_phase(s, i, s.instances[i].head[PREEMPTED], picked)
        picked += 1

    kept = min(instance.running_tokens, places_left(s, prompts, prompt_tokens, picked))

    while s.instances[i].head[ARRIVED] != NONE and fits(
        s, prompts, prompt_tokens, picked + kept, 1
    ):
        r = s.instances[i].head[ARRIVED]
        waiting = s.instances[i].head[PROMPTS]
        if rules.stop_behind_prompts and waiting != NONE and waiting < r:
            break
        if not has_room(s, i, growth_bytes(s, r)):
            break
        pick_token_phase(s, i, r, picked)
        picked += 1
    return prompts, prompt_tokens, kept, picked


@inner
def preempt(s, i, kept):
    """Token phases of the batch beyond the first `kept` lose their place, in batch order."""
    instance = s.instances[i]
    if kept == instance.running_tokens:
        return
    for at in range(kept, instance.running_tokens):
        r = s.slots[i, BATCH, at]
        request = s.requests[r]
        request.remaining_tokens = s.slots[i, FINISH, at] - instance.token_iterations
        produced = request.output_tokens - request.remaining_tokens
        instance.context_tokens -= request.prompt_tokens + produced
        request.token_passes -= instance.boundaries
        append(s, PREEMPTED, i, r)
        if s.rules[0].pending_order:
            insert_in_order(s, i, 2 * r + 1, instance.pending)
        instance.pending += 1
    instance.running_tokens = kept
    instance.first_end = NEVER
    for at in range(kept):
        instance.first_end = min(instance.first_end, s.slots[i, FINISH, at])


@inner
def leave_pending(s, i, task):
    """A picked task leaves the pending queue."""
    if s.rules[0].pending_order:
        remove_from_order(s, i, task, s.instances[i].pending)
    s.instances[i].pending -= 1


@inner
def select_batch(s, i):
    """A boundary: pick the batch of instance `i` and let those that wait age.

    Returns its prompt tokens and how many token phases are new in it; those are its last.
    """
    instance = s.instances[i]
    prompts, prompt_tokens, kept, picked = pick_batch(s, i)
    preempt(s, i, kept)
    instance.running_prompts = prompts
    for at in range(prompts):
        leave_pending(s, i, 2 * s.slots[i, PROMPT, at])
    for at in range(picked):
        r = s.picked[0, at]
        leave_pending(s, i, 2 * r + 1)
        request = s.requests[r]
        s.slots[i, BATCH, kept + at] = r
        finish = instance.token_iterations + request.remaining_tokens
        s.slots[i, FINISH, kept + at] = finish
        instance.first_end = min(instance.first_end, finish)
        produced = request.output_tokens - request.remaining_tokens
        instance.context_tokens += request.prompt_tokens + produced
    instance.running_tokens = kept + picked
    instance.boundaries += 1
    return prompt_tokens, picked


@inner
def is_idle(instance):
    return instance.running_prompts == 0 and instance.running_tokens == 0
