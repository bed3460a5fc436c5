"""How long iterations and KV transfers take, and what they draw."""

from __future__ import annotations

from math import floor, sqrt

from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.state import (
    LAYERWISE,
    PROMPT_POWER,
    PROMPT_TIME,
    SERIALIZED,
    TOKEN_POWER,
    TOKEN_TIME,
)

CONTEXT_OF_SWEEP = 512
"""Prompt tokens of the measurements behind TOKEN_TIME."""


@inner
def interpolate(s, machine, curve, x):
    """Value of a curve at `x`: linear between its points and beyond the outermost two."""
    points, last = s.points[machine, curve], s.point_counts[machine, curve] - 1
    right = 1
    for inside in range(1, last):  # to the end: where to stop could not be foreseen
        right += 1 if x > points[inside].x else 0
    low, high = points[right - 1], points[right]
    slope = (high.y - low.y) / (high.x - low.x)
    return slope * (x - low.x) + low.y


@inner
def prompt_s(s, machine, tokens):
    """One iteration over `tokens` prompt tokens."""
    return interpolate(s, machine, PROMPT_TIME, tokens)


@inner
def token_s(s, instance):
    """One iteration of the token phases an instance runs."""
    sequences = instance.running_tokens
    beyond = instance.context_tokens - CONTEXT_OF_SWEEP * sequences
    return (
        s.tables[instance.machine_type, TOKEN_TIME, sequences] + instance.context_slope_s * beyond
    )


@inner
def mixed_s(s, instance, prompt_tokens):
    """One iteration of prompts together with the token phases an instance runs."""
    rules = s.rules[0]
    tokens = prompt_tokens + instance.running_tokens
    longer = rules.mixing_factor * prompt_s(s, instance.machine_type, tokens)
    return max(longer, token_s(s, instance)) if rules.mixed_at_least_token else longer


@inner
def prompt_w(s, machine, tokens):
    return interpolate(s, machine, PROMPT_POWER, tokens)


@inner
def token_w(s, machine, sequences):
    return s.tables[machine, TOKEN_POWER, sequences]


@inner
def stretch_s(instance, iterations):
    """Duration of the first `iterations` of a stretch: each grows by the same amount."""
    growing = 0.5 * instance.growth_s * iterations * (iterations - 1)
    return iterations * instance.iteration_s + growing


@inner
def iterations_until(instance, now):
    """Iterations of the running stretch until its first boundary strictly after `now`."""
    elapsed = now - instance.start_s
    first, growth = instance.iteration_s, instance.growth_s
    if growth > 0.0:
        half = first - 0.5 * growth
        done = floor((sqrt(half * half + 2.0 * growth * elapsed) - half) / growth)
    else:
        done = floor(elapsed / first)
    count = max(int(done) + 1, 1)
    while count > 1 and instance.start_s + stretch_s(instance, count - 1) > now:  # rounding
        count -= 1
    while instance.start_s + stretch_s(instance, count) <= now:
        count += 1
    return count


@inner
def transfer_s(s, source, destination, prompt_tokens, mode):
    """KV transfer of a prompt between two machine types, as visible after the prompt ends."""
    rules, pair = s.rules[0], s.pairs[source, destination]
    serialized = prompt_tokens * rules.kv_bytes / pair.bandwidth_bytes_per_s
    if mode == SERIALIZED:
        return serialized
    hidden = prompt_s(s, source, prompt_tokens) * (rules.layers - 1.0) / rules.layers
    layerwise = max(pair.layerwise_visible_s, serialized - hidden)
    return layerwise if mode == LAYERWISE else min(serialized, layerwise)
