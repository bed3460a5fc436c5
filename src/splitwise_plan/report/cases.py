"""What a check comes to, case by case: what CI counts, in whichever format."""

from __future__ import annotations

from dataclasses import dataclass

from splitwise_plan.scenario.plan.plan import Outcome


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was checked; SLOs have numbers, in the target's unit."""

    group: str
    name: str
    outcome: Outcome
    message: str
    limit: float | None = None
    accepted: float | None = None
    value: float | None = None
    margin: float | None = None
