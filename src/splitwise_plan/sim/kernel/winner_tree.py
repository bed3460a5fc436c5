"""Who is first: winner trees over instances, O(log I) to update, O(1) to ask.

Node 1 is the root, node n has children 2n and 2n + 1, and leaf i is node leaves + i; their number
is even, so that leaves meet leaves. Each match keeps all there is to know of its winner. The
smaller key wins, then the smaller position; a key of inf is no candidate.
"""

from __future__ import annotations

import numpy as np

from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.state import INF, NONE

NEGATED = 2**63 - 1
LAST = 0x7FF0000000000000
"""Rank of inf."""


@inner
def build(s, tree):
    """Play every match of `tree`, from the leaves up."""
    for i in range(0, s.leaves.shape[1], 2):
        set_key(s, tree, i, s.leaves[tree, i].key)


@inner
def set_key(s, tree, i, key):
    """Give instance `i` a new `key` in `tree` and replay its matches up to the root."""
    # NOTE: who meets whom does not depend on who wins, and nothing but the choice of a winner does:
    # no branch that cannot be foreseen. That is faster than to stop where nothing changes any more.
    leaves, matches = s.leaves[tree], s.matches[tree]
    leaves[i].key = key
    rank, position, first = rank_of(key), leaves[i].position, i
    other = i ^ 1
    other_rank, other_position = rank_of(leaves[other].key), leaves[other].position
    node = (len(leaves) + i) >> 1
    while True:
        tie = (other_rank == rank) & (other_position < position)
        loses = (other_rank < rank) | tie
        rank = other_rank if loses else rank
        position = other_position if loses else position
        first = other if loses else first
        match = matches[node]
        match.rank, match.position, match.instance = rank, position, first
        if node == 1:
            break
        beside = matches[node ^ 1]
        other_rank, other_position, other = beside.rank, beside.position, beside.instance
        node >>= 1


@inner
def rank_of(key):
    """A whole number in the order of `key`: those are compared in a quarter of the time."""
    bits = np.float64(key + 0.0).view(np.int64)  # minus zero becomes zero
    return bits if bits >= 0 else bits ^ NEGATED


@inner
def leader(s, tree):
    """The instance with the least key of `tree`, NONE if there is no candidate."""
    first = s.matches[tree, 1]
    return first.instance if first.rank < LAST else NONE


@inner
def leave(s, tree, i):
    """Take instance `i` out of `tree`."""
    set_key(s, tree, i, INF)


@inner
def join(s, tree, i, key, position):
    """Put instance `i` into `tree`, behind those that have a smaller `position` where keys tie."""
    s.leaves[tree, i].position = position
    set_key(s, tree, i, key)
