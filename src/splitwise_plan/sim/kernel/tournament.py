"""Who is first: winner trees over instances, O(log I) to update, O(1) to ask.

A tree over a power of two of leaves is an array `winner` of twice that: node 1 is the root, node n
has children 2n and 2n + 1, and leaf i is node leaves + i. The smaller key wins, then the smaller
position; a key of inf is no candidate.
"""

from __future__ import annotations

from splitwise_plan.sim.kernel.jit import inner
from splitwise_plan.sim.kernel.state import INF, NONE


@inner
def play_all(s, tree):
    """Play every match of `tree`, from the leaves up."""
    leaves, winner = s.leaves[tree], s.winner[tree]
    size = len(leaves)
    for i in range(size):
        winner[size + i] = i
    for node in range(size - 1, 0, -1):
        winner[node] = winner_of(leaves, winner[2 * node], winner[2 * node + 1])


@inner
def winner_of(leaves, one, other):
    """Which of two instances goes on."""
    if leaves[other].key < leaves[one].key:
        return other
    if leaves[other].key == leaves[one].key and leaves[other].position < leaves[one].position:
        return other
    return one


@inner
def set_key(s, tree, i, key):
    """Give instance `i` a new `key` in `tree` and replay its matches up to the root."""
    leaves, winner = s.leaves[tree], s.winner[tree]
    leaves[i].key = key
    node = (len(leaves) + i) >> 1
    while node >= 1:
        best = winner_of(leaves, winner[2 * node], winner[2 * node + 1])
        before = winner[node]
        winner[node] = best
        if before != i and best != i:  # it neither left nor took this match: nothing changes above
            break
        node >>= 1


@inner
def leader(s, tree):
    """The instance with the least key of `tree`, NONE if there is no candidate."""
    i = s.winner[tree, 1]
    return i if s.leaves[tree, i].key < INF else NONE


@inner
def leave(s, tree, i):
    """Take instance `i` out of `tree`."""
    set_key(s, tree, i, INF)


@inner
def join(s, tree, i, key, position):
    """Put instance `i` into `tree`, behind those that have a smaller `position` where keys tie."""
    s.leaves[tree, i].position = position
    set_key(s, tree, i, key)
