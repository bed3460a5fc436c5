"""How a search tells where it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from splitwise_plan.facts.design import Design


@dataclass(frozen=True, slots=True)
class Progress:
    """Told after each design."""

    family: str
    simulated: int
    excluded: int
    space: int
    best: Design | None


ProgressCallback = Callable[[Progress], None]
