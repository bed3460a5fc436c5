"""Stretches of iterations of an instance: start, cut short, finish."""

from __future__ import annotations

from splitwise_plan.sim.kernel.assign import move
from splitwise_plan.sim.kernel.batch import is_idle, select_batch
from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.phases import finish_prompt, finish_token_phase
from splitwise_plan.sim.kernel.state import (
    BATCH,
    ENDS,
    FINISH,
    INF,
    MIXED_POOL,
    NEVER,
    NONE,
    PROMPT,
    TRANSFERS,
)
from splitwise_plan.sim.kernel.timing import (
    iterations_until,
    mixed_s,
    prompt_s,
    prompt_w,
    stretch_s,
    token_s,
    token_w,
)
from splitwise_plan.sim.kernel.transfers import grant_transfers
from splitwise_plan.sim.kernel.winner_tree import leave, set_key


@inner
def start_stretch(s, i, now):
    """A boundary of instance `i`: grant waiting transfers, pick a batch and run it."""
    instance, machine = s.instances[i], s.instances[i].machine_type
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
    if instance.stretch == 1:
        return
    iterations = iterations_until(instance, now)
    if iterations < instance.stretch:
        instance.stretch = iterations
        set_key(s, ENDS, i, instance.start_s + stretch_s(instance, iterations))


@inner
def finish_stretch(s, i, now):
    """The running iterations of `i` end: prompts end, token phases advance. Returns `i`."""
    instance = s.instances[i]
    count_stretch(s, i, now, instance.stretch)
    prompts = instance.running_prompts
    instance.running_prompts = 0
    for at in range(prompts):
        finish_prompt(s, i, s.slots[i, PROMPT, at], now)
    if instance.token_iterations >= instance.first_end:
        finish_token_phases(s, i, now)
    return i


@inner
def count_stretch(s, i, now, iterations):
    """Time, energy and progress of what ran since the stretch began: so many iterations ended."""
    instance = s.instances[i]
    busy_s = measured_s(s, instance.start_s, now)
    instance.energy_j += instance.power_w * busy_s
    if instance.running_prompts > 0:
        instance.prompt_busy_s += busy_s
    else:
        instance.token_busy_s += busy_s
    instance.iterations += iterations
    instance.token_iterations += iterations
    instance.context_tokens += instance.running_tokens * iterations


@inner
def measured_s(s, start_s, end_s):
    """How much of a time lies in the measured window."""
    rules = s.rules[0]
    return max(0.0, min(end_s, rules.measured_until_s) - max(start_s, rules.measured_from_s))


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
