"""How designs compare: by what was searched for, and in every way at once."""

from __future__ import annotations

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.dominance import front as undominated
from splitwise_plan.planner.outcome import FamilyResult, SearchResult
from splitwise_plan.planner.space import objective
from splitwise_plan.scenario.scenario import Scenario

DECIMALS = 6
"""Of $/h and W: sums of the same prices in another order are equal."""


def score(scenario: Scenario, family: FamilyResult) -> float:
    """What was searched for, of a family's best: the objective, or the rate. No best: infinite."""
    if family.best is None:
        return 0.0 if scenario.maximize else float("inf")
    if scenario.maximize:
        return family.rate_rps or 0.0
    return objective(scenario, family.best.evaluation.design)


def front(result: SearchResult) -> list[Design]:
    """What can be traded for what, as far as a search saw it; the command `pareto` finds it all.

    Of the designs that were found to meet the SLOs, the families' best and their ties, those that
    no other of them dominates in rate, cost, power and machines; equals side by side. A search ends
    at the first level of its objective at which a design meets, so it sees no others.
    """
    found = {
        design: family.rate_rps or 0.0
        for family in result.families
        if family.best is not None
        for design in (family.best.evaluation.design, *family.ties)
    }
    vectors = [
        (-rate, *(round(of, DECIMALS) for of in _bill(design))) for design, rate in found.items()
    ]
    designs = list(found)
    return [designs[position] for position in undominated(vectors)]


def _bill(design: Design) -> tuple[float, float, float]:
    return design.cost_usd_per_hour, design.provisioned_power_w, float(design.machines)
