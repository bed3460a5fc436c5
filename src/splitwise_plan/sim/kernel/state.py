"""The arrays a run works on: one record a request, an instance, a rule set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NONE = -1
INF = np.inf
NEVER = 2**62

# Pools an instance can be in; home is PROMPT or TOKEN. AWAY is none: it is down or drains.
PROMPT_POOL, TOKEN_POOL, MIXED_POOL, AWAY_POOL = 0, 1, 2, 3

ORPHAN = -2
"""Token instance of a running prompt whose own went down."""

DOWN, DRAIN, UP = 0, 1, 2
"""Kinds of changes (see `outages`)."""

# Linked lists each instance keeps; a request is in at most one list at any time.
PROMPTS = 0
"""Prompts not yet started, first come first served."""
PREEMPTED = 1
"""Token phases that lost their place in the batch, in the order they lost it."""
ARRIVED = 2
"""Token phases ready to run that have not run yet, by arrival of their request."""
TRANSFERS = 3
"""KV transfers waiting for memory here, first come first served."""
LISTS = 4

# Tournaments: who is first. ENDS by time, the others by load, ties by position in the pool's list.
ENDS, PROMPT_HOME, PROMPT_MIXED, TOKEN_HOME, TOKEN_MIXED = 0, 1, 2, 3, 4
TOURNAMENTS = 5

# Curves of a machine type.
PROMPT_TIME, PROMPT_POWER = 0, 1
CURVES = 2

# Tables of a machine type, by number of sequences.
TOKEN_TIME, TOKEN_POWER = 0, 1
TABLES = 2

SERIALIZED, LAYERWISE, AUTO = 0, 1, 2
TTFT, TBT, E2E = 0, 1, 2
METRICS = 3
DRAINED, DEADLOCK, MISSES, OVERLOAD = 0, 1, 2, 3

# Events.
NOTHING, END, TRANSFER_END, ARRIVAL, WAKE = 0, 1, 2, 3, 4

# Counters of a run.
LIST_CLOCK = 0
"""Positions given out in the pools' lists."""
FINISHED, POOL_MOVES, MIXED_REQUESTS, MISSED, IN_FLIGHT = 1, 2, 3, 4, 5
RESTARTS, LOST_PROMPT_TOKENS, LOST_OUTPUT_TOKENS = 6, 7, 8
CHANGES_MADE, AWAY, TO_LOOK_AT = 9, 10, 11
"""Of the changes, how many were made; instances in no pool; instances still to look at."""
WAITING_HEAD, WAITING_TAIL = 12, 13
"""Requests without an instance (see `restarts`)."""
FIRST_OPEN = 14
"""All requests before this one have finished."""
COUNTERS = 15

# Rows of an instance's slots.
BATCH = 0
"""Token phases running, in batch order."""
FINISH = 1
"""The `token_iterations` of the instance at which each of them ends."""
PROMPT = 2
"""Prompts running."""
SLOTS = 3

REQUEST = np.dtype(
    [
        ("arrival_s", np.float64),
        ("first_token_s", np.float64),
        ("second_token_s", np.float64),
        ("last_token_s", np.float64),
        ("prompt_start_s", np.float64),
        ("kv_transfer_s", np.float64),
        ("prompt_tokens", np.int64),
        ("output_tokens", np.int64),
        ("prompt_instance", np.int64),
        ("token_instance", np.int64),
        ("remaining_tokens", np.int64),  # of the token phase, while it is not in a batch
        ("next", np.int64),  # links of the one list the request is in
        ("previous", np.int64),
        ("prompt_passes", np.int64),  # see `queues.passes`
        ("token_passes", np.int64),
        ("counted", np.int64),  # 1 if it arrived in the measured window
        (
            "alone_s",
            np.float64,
            3,
        ),  # TTFT, TBT and E2E running alone, for targets that are slowdowns
    ],
    align=True,
)

NEW_REQUEST = np.dtype(
    [
        ("arrival_s", np.float64),
        ("alone_s", np.float64, 3),
        ("prompt_tokens", np.int64),
        ("output_tokens", np.int64),
        ("counted", np.int64),
    ],
    align=True,
)

INSTANCE = np.dtype(
    [
        ("start_s", np.float64),  # of the running stretch of iterations
        ("iteration_s", np.float64),  # of its first iteration
        ("growth_s", np.float64),  # how much longer each further iteration takes
        ("context_slope_s", np.float64),  # of its token iterations
        ("memory_limit_bytes", np.float64),
        ("memory_bytes", np.float64),  # in use, weights included
        ("booked_bytes", np.float64),
        ("peak_bytes", np.float64),
        ("prompt_busy_s", np.float64),  # this and the next two in the measured window alone
        ("token_busy_s", np.float64),
        ("energy_j", np.float64),
        ("power_w", np.float64),  # while the running stretch lasts
        ("pending_tokens", np.int64),
        ("context_tokens", np.int64),  # of the token phases in the batch
        ("token_iterations", np.int64),  # since the run began: the clock of token phases
        ("first_end", np.int64),  # the `token_iterations` at which the batch first loses one
        ("stretch", np.int64),  # iterations until the next boundary
        ("boundaries", np.int64),  # selections so far: the clock of passes
        ("iterations", np.int64),
        ("head", np.int64, LISTS),  # first request of each list, or NONE
        ("tail", np.int64, LISTS),
        ("machine_type", np.int64),  # row of the curves
        ("home", np.int64),
        ("pool", np.int64),
        ("pending", np.int64),  # tasks in the pending queue
        ("running_prompts", np.int64),
        ("running_tokens", np.int64),
        ("unfinished_prompts", np.int64),  # assigned here
        ("unfinished_token_phases", np.int64),
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("weights_bytes", np.float64),
        ("kv_bytes", np.float64),  # per token
        ("layers", np.float64),
        ("mixing_factor", np.float64),
        ("retry_s", np.float64),
        ("measured_from_s", np.float64),  # the window in which time and energy are counted
        ("measured_until_s", np.float64),
        ("transfer", np.int64),
        ("tbt_gaps", np.int64),  # 1: TBT is over the gaps between tokens, 0 [ref]: over the tokens
        ("prompt_queue_limit_tokens", np.int64),
        ("max_batch_size", np.int64),
        ("max_batch_tokens", np.int64),
        ("max_passes", np.int64),
        ("checkpoint_tokens", np.int64),  # output tokens between two checkpoints; 0: there are none
        # Flags: 1 where the rule holds. Those of `splitwisesim` are marked [ref].
        ("baseline", np.int64),  # one pool, both phases of a request on one instance
        ("token_end_by_pending", np.int64),
        ("return_when_drained", np.int64),
        ("reserve_whole", np.int64),  # 0 [ref]: KV memory is taken as a request grows
        ("mixed_at_least_token", np.int64),  # 0 [ref]: a mixed iteration is priced as a prompt
        ("pending_order", np.int64),  # [ref]: aged tasks are looked for from the queue's head only
        ("long_prompt_does_not_cut", np.int64),  # [ref]
        ("stop_behind_prompts", np.int64),  # [ref]: no new token phase overtakes a waiting prompt
    ],
    align=True,
)

TARGET = np.dtype(
    [
        ("metric", np.int64),
        ("relative", np.int64),  # 1: limit is a slowdown, 0: seconds
        ("limit", np.float64),
        ("allowed", np.int64),  # so many requests may exceed the limit
        ("broken", np.int64),  # so many did
    ],
    align=True,
)


LEAF = np.dtype([("key", np.float64), ("position", np.int64)], align=True)
MATCH = np.dtype([("rank", np.int64), ("position", np.int64), ("instance", np.int64)], align=True)
POINT = np.dtype([("x", np.float64), ("y", np.float64)], align=True)
PAIR = np.dtype(
    [("bandwidth_bytes_per_s", np.float64), ("layerwise_visible_s", np.float64)], align=True
)
CHANGE = np.dtype([("time_s", np.float64), ("instance", np.int64), ("kind", np.int64)], align=True)
TRANSFER = np.dtype(
    [("time_s", np.float64), ("request", np.int64), ("is_retry", np.int64)], align=True
)


class State(NamedTuple):
    """Everything a run reads and writes. N requests, I instances, K machine types, B batch limit.

    Few arrays with many fields: each array more makes every call of the kernel slower.
    """

    requests: np.recarray  # (N,) REQUEST; nothing is in one before it arrives
    arrivals: np.recarray  # (N,) NEW_REQUEST: what is to arrive; shared by runs
    instances: np.recarray  # (I,) INSTANCE
    slots: NDArray[np.int64]  # (I, SLOTS, >= B) what each instance runs
    picked: NDArray[np.int64]  # (2, B) scratch: token phases newly picked; aged candidates
    order: NDArray[np.int64]  # (I, Q) [ref] pending queue of tasks; Q = 0 where unused
    transfer_heap: np.recarray  # (N,) FLIGHT: heap of KV transfers under way
    leaves: np.recarray  # (TOURNAMENTS, L) LEAF, L even and >= I
    matches: np.recarray  # (TOURNAMENTS, L) MATCH
    rules: np.recarray  # (1,) RULES
    targets: np.recarray  # (T,) TARGET; none without early stop
    counters: NDArray[np.int64]  # (COUNTERS,)
    points: np.recarray  # (K, CURVES, X) POINT
    point_counts: NDArray[np.int64]  # (K, CURVES)
    tables: NDArray[np.float64]  # (K, TABLES, B + 1), looked up: cheaper than following a curve
    pairs: np.recarray  # (K, K) PAIR, source x destination
    changes: np.recarray  # (C,) CHANGE, by time
