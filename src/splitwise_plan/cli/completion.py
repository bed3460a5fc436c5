"""What a shell completes: the ids of facts, read only when it asks, the user's folders first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import typer

from splitwise_plan.errors import SplitwisePlanError

EVERY, THE_KINDS = "every", "kinds"
"""Beside the kinds of facts: all of them, and their names."""

Completer = Callable[[typer.Context, str], list[str]]


def completer(kinds: Sequence[str], choices: Sequence[str] = ()) -> Completer:
    """Completes fixed `choices` and the ids of facts of these kinds; after a comma the next one."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        names = [*choices, *(ids(kinds, ctx.params.get("hardware") or ()) if kinds else ())]
        return [f"{before}{comma}{name}" for name in names if name.startswith(begun)]

    return complete


def ids(kinds: Iterable[str], folders: Iterable[str]) -> list[str]:
    """Ids of facts of some kinds, each once; none where a file cannot be read."""
    from splitwise_plan.facts.files import KINDS, FactFiles

    files = FactFiles(tuple(Path(folder) for folder in folders))
    every = [*KINDS, "families"]
    if THE_KINDS in kinds:
        return every
    found: dict[str, None] = {}
    for kind in every if EVERY in kinds else kinds:
        try:
            names = files.family_ids() if kind == "families" else files.names(kind)
        except (SplitwisePlanError, OSError):
            continue
        found |= dict.fromkeys(names)
    return list(found)
