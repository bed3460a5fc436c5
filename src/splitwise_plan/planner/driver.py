"""Evaluations in parallel, and the way into joblib and Dask: nothing else imports them.

Results come back in the order asked, so neither the number of jobs nor the machines they run on
change an answer.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2
"""Few enough that little is wasted when a search stops, enough to keep all threads busy."""

CHUNK = 12
"""Items a thread of a cluster is sent at a time."""

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

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """In a worker one thread: what was sent there is not sent on."""
        return int, (1,)


class Threads:
    """Threads that several callers use at the same time (see `together`); a context."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.pool = ThreadPoolExecutor(count)

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)


Jobs = int | Threads | Cluster
"""Threads here, or the workers of a cluster."""


def all_cores() -> int:
    """Cores that this process may use, up to `MOST_JOBS`."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_JOBS)
    return min(os.cpu_count() or 1, MOST_JOBS)


def threads(jobs: Jobs) -> int:
    """How many evaluations run at a time."""
    match jobs:
        case Threads():
            return jobs.count
        case Cluster():
            return jobs.threads
    return jobs


def here(jobs: Jobs) -> int | Threads:
    """Threads of this process: for work whose data is too large to send."""
    return 1 if isinstance(jobs, Cluster) else jobs


def alone(jobs: Jobs) -> tuple[Jobs, int | Threads]:
    """Of a single item: how it is worked on, and the threads it may use for its parts."""
    return (jobs, 1) if isinstance(jobs, Cluster) else (1, jobs)


def together(
    function: Callable[[Item, Jobs], Result], items: Sequence[Item], jobs: Jobs
) -> list[Result]:
    """Apply `function`, which calls `in_order` with the jobs given to it, to all items at once.

    They share the threads, so that none is idle while an item has few parts left. On a cluster one
    item follows the other. If one fails, or the run is interrupted, all end.
    """
    if jobs == 1 or isinstance(jobs, Cluster) or len(items) < 2:
        return [function(item, jobs) for item in items]
    with ThreadPoolExecutor(len(items)) as callers, Threads(threads(jobs)) as shared:
        futures = [callers.submit(function, item, shared) for item in items]
        for ended in wait(futures, return_when=FIRST_EXCEPTION).done:
            ended.result()
        return [future.result() for future in futures]


def in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: Jobs,
    finished: Callable[[Item, Result], None] | None = None,
) -> Generator[Result, None, None]:
    """Apply `function` to `items` in threads (the kernel holds no lock) or on a cluster, in order.

    Lazy: no more than `AHEAD` items a job are begun beyond the one yielded last. `finished` is told
    of each as soon as it is done, from its thread; of those on a cluster when they are back, which
    are begun `CHUNK` a thread at a time.
    """

    def work(item: Item) -> Result:
        result = function(item)
        if finished is not None:
            finished(item, result)
        return result

    if jobs == 1:
        yield from map(work, items)
    elif isinstance(jobs, Cluster):
        yield from _on_cluster(function, items, jobs, finished)
    elif isinstance(jobs, Threads):
        yield from _in_threads(work, items, jobs)
    else:
        with Threads(jobs) as own:
            yield from _in_threads(work, items, own)


def _in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: Threads
) -> Generator[Result, None, None]:
    """At the end, whatever ends it, nothing more is begun or still goes on.

    Not by joblib's threads: it looks for results every 10 ms, enough to judge three designs.
    """
    remaining = iter(items)
    submit = jobs.pool.submit
    begun: deque[Future[Result]] = deque()
    try:
        begun.extend(submit(work, item) for item in islice(remaining, AHEAD * jobs.count))
        while begun:
            result = begun.popleft().result()
            begun.extend(submit(work, item) for item in islice(remaining, 1))
            yield result
    finally:
        # NOTE: of what was cancelled by `shutdown` nobody tells `wait`
        wait([future for future in begun if not future.cancel()])


def _on_cluster(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    cluster: Cluster,
    finished: Callable[[Item, Result], None] | None,
) -> Generator[Result, None, None]:
    """By joblib's Dask backend, in chunks."""
    from joblib import Parallel, delayed, parallel_config

    def call(item: Item) -> Result:  # NOTE: Dask hangs on callables that it cannot hash
        return function(item)

    remaining = iter(items)
    while chunk := list(islice(remaining, CHUNK * cluster.threads)):
        with parallel_config(backend="dask", client=cluster.client):
            done = Parallel()(delayed(call)(item) for item in chunk)
        if finished is not None:
            for item, result in zip(chunk, done, strict=True):
                finished(item, result)
        yield from done
