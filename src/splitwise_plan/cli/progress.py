"""How far a search is, on stderr if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread, current_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splitwise_plan.planner.progress import Progress

BAR = 20


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Yield what a search is to call after each design; None where nobody would see it.

    A line for each family that is searched at the same time, in a thread of its own; they are gone
    at the end.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Line

    console = Console(stderr=True)
    if console.is_dumb_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(BAR),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[left]}"),
    )
    with Line(*columns, console=console, transient=True) as line:
        tasks: dict[tuple[Thread, str], TaskID] = {}
        lock = Lock()

        def task_of(searching: Thread, family: str) -> TaskID:
            now = (searching, family)
            for one in [*tasks]:
                if one != now and (one[0] is searching or not one[0].is_alive()):
                    line.remove_task(tasks.pop(one))
            if now not in tasks:
                tasks[now] = line.add_task(family, total=None, told="", left="")
            return tasks[now]

        def show(progress: Progress) -> None:
            with lock:
                line.update(
                    task_of(current_thread(), progress.family),
                    completed=progress.simulated + progress.excluded,
                    total=progress.space,
                    told=_told(progress),
                    left="left at most",
                )

        yield show


def _told(progress: Progress) -> str:
    """`311 of 1,521, best 24P + 4T`"""
    done = progress.simulated + progress.excluded
    best = f", best {progress.best.label}" if progress.best else ""
    return f"{done:,} of {progress.space:,}{best}"
