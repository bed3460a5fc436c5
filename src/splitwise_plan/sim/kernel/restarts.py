"""Requests without an instance: a list of those that an outage displaced (see `outages`)."""

from __future__ import annotations

from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.state import (
    INF,
    LOST_OUTPUT_TOKENS,
    LOST_PROMPT_TOKENS,
    NONE,
    RESTARTS,
    TTFT,
    WAITING_HEAD,
    WAITING_TAIL,
)


@inner
def has_waiting(s):
    return s.counters[WAITING_HEAD] > 0


@inner
def wait(s, r):
    """Put request `r` at the end of the list, whose ends are kept one higher: 0 is none."""
    last = s.counters[WAITING_TAIL]
    s.requests[r].next = NONE
    if last == 0:
        s.counters[WAITING_HEAD] = r + 1
    else:
        s.requests[last - 1].next = r
    s.counters[WAITING_TAIL] = r + 1


@inner
def next_waiting(s):
    """Take the first request off the list."""
    r = s.counters[WAITING_HEAD] - 1
    after = s.requests[r].next
    s.counters[WAITING_HEAD] = after + 1
    if after == NONE:
        s.counters[WAITING_TAIL] = 0
    return r


@inner
def send_back(s, r):
    """Rule 5 or 9: count what is lost and forget the attempt, or what came after the checkpoint."""
    request, rules = s.requests[r], s.rules[0]
    request.prompt_instance = request.token_instance = NONE
    if request.prompt_start_s < INF:
        s.counters[RESTARTS] += 1
    if request.first_token_s < INF:
        produced = request.output_tokens - request.remaining_tokens
        kept = saved_tokens(rules.checkpoint_tokens, produced)
        s.counters[LOST_OUTPUT_TOKENS] += produced - kept
        if kept > 0:
            request.remaining_tokens = request.output_tokens - kept
            request.kv_transfer_s = INF
            if kept == 1:
                request.second_token_s = INF
            wait(s, r)
            return
        take_back_ttft(s, r)
    if request.prompt_start_s < INF:
        s.counters[LOST_PROMPT_TOKENS] += request.prompt_tokens
    request.prompt_start_s = request.first_token_s = request.second_token_s = INF
    request.kv_transfer_s = 0.0
    wait(s, r)


@inner
def saved_tokens(interval, produced):
    """Of so many output tokens those up to the last checkpoint; the first is the prompt's end."""
    return 1 + (produced - 1) // interval * interval if interval > 0 else 0


@inner
def take_back_ttft(s, r):
    """Its TTFT, counted as a broken limit, is not the last: that one will be counted."""
    request = s.requests[r]
    for t in range(len(s.targets)):
        target = s.targets[t]
        if target.metric != TTFT or request.counted == 0:
            continue
        value = request.first_token_s - request.arrival_s
        if target.relative:
            value /= request.alone_s[TTFT]
        if value > target.limit:
            target.broken -= 1
