"""KV transfers in flight: a binary heap by (time, request), kept in an array."""

from __future__ import annotations

from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.state import IN_FLIGHT, INF, NONE


@inner
def next_transfer_end_s(s):
    """When the first transfer ends (or is retried), inf if none is in flight."""
    return s.transfer_heap[0].time_s if s.counters[IN_FLIGHT] > 0 else INF


@inner
def earlier(a, b):
    return a.time_s < b.time_s or (a.time_s == b.time_s and a.request < b.request)


@inner
def put(s, at, time_s, r, is_retry):
    flight = s.transfer_heap[at]
    flight.time_s = time_s
    flight.request = r
    flight.is_retry = is_retry


@inner
def copy(s, source, at):
    flight = s.transfer_heap[source]
    put(s, at, flight.time_s, flight.request, flight.is_retry)


@inner
def push(s, time_s, r, is_retry):
    """Add a transfer of request `r` that ends, or is retried, at `time_s`."""
    at = s.counters[IN_FLIGHT]
    s.counters[IN_FLIGHT] += 1
    rise(s, at, time_s, r, is_retry)


@inner
def rise(s, at, time_s, r, is_retry):
    """Put a transfer at place `at` or, while it ends earlier than those above, higher."""
    put(s, at, time_s, r, is_retry)
    while at > 0 and earlier(s.transfer_heap[at], s.transfer_heap[(at - 1) >> 1]):
        copy(s, (at - 1) >> 1, at)
        at = (at - 1) >> 1
        put(s, at, time_s, r, is_retry)


@inner
def pop(s):
    """Remove the first transfer."""
    s.counters[IN_FLIGHT] -= 1
    sink_last(s, 0)


@inner
def sink_last(s, at):
    """Put the transfer behind the last place at `at` or, while others end earlier, lower."""
    count = s.counters[IN_FLIGHT]
    last = s.transfer_heap[count]
    while True:
        child = 2 * at + 1
        if child + 1 < count and earlier(s.transfer_heap[child + 1], s.transfer_heap[child]):
            child += 1
        if child >= count or not earlier(s.transfer_heap[child], last):
            break
        copy(s, child, at)
        at = child
    copy(s, count, at)


@inner
def cancel(s, r):
    """Remove the transfer of request `r`. Returns its `is_retry`, NONE if there is none."""
    at = 0
    while at < s.counters[IN_FLIGHT] and s.transfer_heap[at].request != r:
        at += 1
    if at == s.counters[IN_FLIGHT]:
        return NONE
    is_retry = s.transfer_heap[at].is_retry
    s.counters[IN_FLIGHT] -= 1
    if at < s.counters[IN_FLIGHT]:
        last = s.transfer_heap[s.counters[IN_FLIGHT]]
        time_s, request, retry = last.time_s, last.request, last.is_retry
        sink_last(s, at)
        if s.transfer_heap[at].request == request:
            rise(s, at, time_s, request, retry)
    return is_retry
