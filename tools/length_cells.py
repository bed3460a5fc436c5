"""Compress observed (prompt, output) lengths into cells of similar requests, counts kept.

A greedy regression tree: the cell whose split removes most squared deviation (of log lengths) is
split first, between two distinct values of one length. A cell is then represented by its means,
so means survive, percentiles move by less than the width of a cell, and the joint structure stays.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

SOFTEN = np.array([1024.0, 8.0])
"""Tokens added before the logarithm: the difference of 3 and 6 prompt tokens matters to nobody."""

EDGES = (2048, 4096)
"""Prompt tokens that no cell straddles: a batch takes up to 2,048, so shares beyond stay exact."""

Cell = tuple[float, int, int, NDArray[np.int64], NDArray[np.int64]]


def compress_lengths(prompt: Ints, output: Ints, cells: int) -> list[tuple[int, int, int]]:
    """Return at most `cells` rows (prompt tokens, output tokens, count), sorted.

    `prompt`, `output`: int64 (N,), tokens of each request.
    """
    lengths = np.stack([prompt, output], axis=1)
    logs = np.log(lengths + SOFTEN)
    sides = np.searchsorted(EDGES, prompt)
    parts = [np.flatnonzero(sides == side) for side in np.unique(sides)]
    serial = len(parts)
    heap = [_cell(logs, members, number) for number, members in enumerate(parts)]
    heapq.heapify(heap)
    while heap[0][0] < 0.0 and len(heap) < cells:
        _, _, _, left, right = heapq.heappop(heap)
        for members in (left, right):
            heapq.heappush(heap, _cell(logs, members, serial))
            serial += 1
    rows: dict[tuple[int, int], int] = {}
    for *_, left, right in heap:
        members = np.concatenate([left, right])
        prompt_mean, output_mean = np.rint(lengths[members].mean(axis=0)).astype(int)
        key = (int(prompt_mean), int(output_mean))
        rows[key] = rows.get(key, 0) + len(members)
    return sorted((p, o, count) for (p, o), count in rows.items())


def _cell(logs: NDArray[np.float64], members: Ints, serial: int) -> Cell:
    """A heap entry: minus the gain of the best split (0: none), a tie-break, and the two halves."""
    best: Cell = (0.0, serial, 0, members, members[:0])
    for axis in (0, 1):
        order = members[np.argsort(logs[members, axis], kind="stable")]
        values = logs[order, axis]
        cuts = np.flatnonzero(values[1:] > values[:-1]) + 1
        if not len(cuts):
            continue
        total = np.cumsum(values)
        left, right = total[cuts - 1], total[-1] - total[cuts - 1]
        gain = left**2 / cuts + right**2 / (len(values) - cuts) - total[-1] ** 2 / len(values)
        at = int(np.argmax(gain))
        if -gain[at] < best[0]:
            cut = int(cuts[at])
            best = (-float(gain[at]), serial, axis, order[:cut], order[cut:])
    return best
