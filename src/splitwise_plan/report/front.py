"""How designs compare: by what was searched for, and in every way at once."""

from __future__ import annotations

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.scenario import Scenario
from splitwise_plan.search.outcome import FamilyResult, SearchResult
from splitwise_plan.search.space import objective


def score(scenario: Scenario, family: FamilyResult) -> float:
    """What was searched for, of a family's best: the objective, or the rate. No best: infinite."""
    if family.best is None:
        return 0.0 if scenario.maximize else float("inf")
    if scenario.maximize:
        return family.rate_rps or 0.0
    return objective(scenario, family.best.evaluation.design)


def front(result: SearchResult) -> list[Design]:
    """The families' best designs that no other of them matches in rate, cost, power and machines.

    In the order of the families.
    """
    keys: dict[Design, tuple[float, ...]] = {}
    for family in result.families:
        if family.best is not None:
            design = family.best.evaluation.design
            power, rate = design.provisioned_power_w, family.rate_rps or 0.0
            keys[design] = (-rate, design.cost_usd_per_hour, power, design.machines)
    return [
        design
        for design, key in keys.items()
        if not any(
            other != key and all(a <= b for a, b in zip(other, key, strict=True))
            for other in keys.values()
        )
    ]
