"""Pareto dominance: vectors of numbers, each the smaller the better."""

from __future__ import annotations

from collections.abc import Sequence

Vector = tuple[float, ...]


def no_worse(one: Vector, other: Vector) -> bool:
    """Whether `one` is at least as good as `other` in everything."""
    return all(a <= b for a, b in zip(one, other, strict=True))


def dominates(one: Vector, other: Vector) -> bool:
    """Whether `one` is at least as good in everything, and better in something."""
    return one != other and no_worse(one, other)


def front(vectors: Sequence[Vector]) -> list[int]:
    """Positions of the vectors that no other dominates, equal ones included, in their order.

    What dominates a vector comes before it in lexicographic order, and dominance is transitive: it
    is enough to compare with those kept so far.
    """
    kept: list[int] = []
    for position in sorted(range(len(vectors)), key=lambda one: vectors[one]):
        if not any(dominates(vectors[other], vectors[position]) for other in kept):
            kept.append(position)
    return sorted(kept)
