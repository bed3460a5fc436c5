"""How far a search is, on stderr if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splitwise_plan.search.progress import Progress


@contextmanager
def shown_status(what: str, *, quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Yield what shows a line; None where nobody would see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.status import Status

    with Status(what, console=Console(stderr=True)) as status:
        yield status.update


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Yield what a search is to call after each design; None where nobody would see it."""
    with shown_status("searching", quiet=quiet) as show:
        yield None if show is None else lambda progress: show(_line(progress))


def _line(progress: Progress) -> str:
    done = progress.simulated + progress.excluded
    found = f", meets: {progress.best.label}" if progress.best else ""
    return (
        f"{progress.family}: {done:,} of {progress.space:,} designs, "
        f"{progress.simulated:,} simulated, {progress.excluded:,} excluded{found}"
    )
