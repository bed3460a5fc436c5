"""Evaluations in parallel. Results come back in the order asked, so `jobs` changes no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from joblib import Parallel, delayed

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 12
"""Few enough that little is wasted when a search stops, enough to keep all threads busy."""


def in_order(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Iterator[Result]:
    """Apply `function` to `items` in `jobs` threads (the kernel holds no lock); yield in order.

    Lazy: no more than `AHEAD` items a job are begun beyond the one yielded last.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    remaining = iter(items)
    with Parallel(n_jobs=jobs, backend="threading") as parallel:
        while chunk := list(islice(remaining, AHEAD * jobs)):
            yield from parallel(delayed(function)(item) for item in chunk)
