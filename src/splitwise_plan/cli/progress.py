"""How far a search is, on stderr if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splitwise_plan.search.progress import Progress

BAR = 20


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Yield what a search is to call after each design; None where nobody would see it.

    The line is gone at the end.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
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
        task = line.add_task("searching", total=None, told="", left="")
        family = ""

        def show(progress: Progress) -> None:
            nonlocal family
            done = progress.simulated + progress.excluded
            if progress.family != family:
                family = progress.family
                line.reset(task, total=progress.space, description=family)
            line.update(
                task,
                completed=done,
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
