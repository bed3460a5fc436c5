"""What the result of a search means for a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splitwise_plan.cli import exits

if TYPE_CHECKING:
    from splitwise_plan.planner.outcome import SearchResult


def exit_code(result: SearchResult) -> int:
    """What the result means for a script."""
    from splitwise_plan.report.formats.jsonfmt import status

    if result.best is not None:
        return exits.OK
    undecided = any(status(family) == "undecided" for family in result.families)
    return exits.UNDECIDED if undecided else exits.NONE_MEETS
