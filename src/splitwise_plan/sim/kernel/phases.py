"""The ends of the two phases of a request, and the count of broken limits."""

from __future__ import annotations

from splitwise_plan.sim.kernel.assign import add_load, go_home_if_drained
from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.queues import insert_arrived
from splitwise_plan.sim.kernel.restarts import send_back
from splitwise_plan.sim.kernel.state import E2E, FINISHED, MISSED, NONE, ORPHAN, TBT, TTFT
from splitwise_plan.sim.kernel.transfers import start_transfer


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
        elif request.token_instance == ORPHAN:
            size_bytes = (request.prompt_tokens + 1) * s.rules[0].kv_bytes
            instance.memory_bytes -= size_bytes
            add_load(s, i, 0, -size_bytes)
            send_back(s, r)
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
