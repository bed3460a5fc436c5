"""Evaluations in parallel, and the way into joblib and Dask: nothing else imports them.

Results come back in the order asked, so neither the number of jobs nor the machines they run on
change an answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from itertools import islice
from threading import Condition
from types import TracebackType
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 12
"""Few enough that little is wasted when a search stops, enough to keep all threads busy."""

MOST_JOBS = 64
"""More threads than this only cost: nothing here has as many cores to itself."""


class Cluster:
    """The threads of all Dask workers of a scheduler; a context, connected while it is open."""

    def __init__(self, address: str) -> None:
        """`address` of the scheduler, e.g. `tcp://10.0.0.1:8786`. Needs the extra `[dask]`."""
        from distributed import Client

        self.client: Any = Client(address, set_as_default=False)

    @property
    def threads(self) -> int:
        threads: Mapping[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.client.close()

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """In a worker one thread: what was sent there is not sent on."""
        return int, (1,)


Jobs = int | Cluster
"""Threads here, or the workers of a cluster."""


def all_cores() -> int:
    """Cores that this process may use, up to `MOST_JOBS`."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_JOBS)
    return min(os.cpu_count() or 1, MOST_JOBS)


def threads(jobs: Jobs) -> int:
    """How many evaluations run at a time."""
    return jobs if isinstance(jobs, int) else jobs.threads


def here(jobs: Jobs) -> int:
    """Threads of this process: for work whose data is too large to send."""
    return jobs if isinstance(jobs, int) else 1


def in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: Jobs,
    finished: Callable[[Item, Result], None] | None = None,
) -> Generator[Result, None, None]:
    """Apply `function` to `items` in threads (the kernel holds no lock) or on a cluster, in order.

    Lazy: no more than `AHEAD` items a job are begun beyond the one yielded last. `finished` is told
    of each as soon as it is done, from its thread; of those on a cluster when they are back.
    """

    def work(item: Item) -> Result:
        result = function(item)
        if finished is not None:
            finished(item, result)
        return result

    if jobs == 1:
        yield from map(work, items)
        return
    from joblib import Parallel, delayed, parallel_config

    remaining = iter(items)
    chunks: Iterator[list[Item]] = iter(lambda: list(islice(remaining, AHEAD * threads(jobs))), [])
    if isinstance(jobs, Cluster):

        def call(item: Item) -> Result:  # NOTE: Dask hangs on callables that it cannot hash
            return function(item)

        for chunk in chunks:
            with parallel_config(backend="dask", client=jobs.client):
                done = Parallel()(delayed(call)(item) for item in chunk)
            for item, result in zip(chunk, done, strict=True):
                if finished is not None:
                    finished(item, result)
            yield from done
        return
    with _Crew() as crew, Parallel(n_jobs=jobs, backend="threading") as parallel:
        for chunk in chunks:
            yield from parallel(delayed(crew.run)(work, item) for item in chunk)


class _Crew:
    """Work under way in threads. A context: at its end nothing more is begun, or still goes on.

    Of an interrupted chunk joblib leaves the threads running; the interpreter must not end before
    compiled code has come back.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._busy, self._over = 0, False

    def run(self, work: Callable[[Item], Result], item: Item) -> Result:
        """`work` of `item`, unless it is over. Raises `CancelledError` if so."""
        with self._changed:
            if self._over:
                raise CancelledError
            self._busy += 1
        try:
            return work(item)
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._over = True
            self._changed.wait_for(lambda: self._busy == 0)
