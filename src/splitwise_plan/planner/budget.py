"""The designs that a budget allows, and their order at the rate that they reach."""

from __future__ import annotations

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.outcome import Details, FamilyResult
from splitwise_plan.planner.space import designs, provisioned_power
from splitwise_plan.scenario.scenario import Scenario


def rate_rank(scenario: Scenario, result: FamilyResult) -> tuple[float, ...]:
    """Order of families: largest rate, then the order of designs that reach it."""
    if result.best is None or result.rate_rps is None:
        raise ValueError(f"{result.family.id} reaches no rate")
    return (-result.rate_rps, *design_rank(scenario, result.best))


def design_rank(scenario: Scenario, details: Details) -> tuple[float, ...]:
    """Order of designs at one rate: fewer machines, less power, less cost, more SLO margin."""
    design = details.evaluation.design
    return (
        design.machines,
        provisioned_power(scenario, design),
        round(design.cost_usd_per_hour, 6),
        -details.evaluation.margin,
    )


def within_budget(scenario: Scenario, design: Design) -> bool:
    """Whether a design keeps to every budget, with room for rounding."""
    power, cost = scenario.power_budget, scenario.cost_budget_usd_per_hour
    if power is not None and provisioned_power(scenario, design) > power * (1 + 1e-9):
        return False
    return cost is None or design.cost_usd_per_hour <= cost * (1 + 1e-9)


def frontier(scenario: Scenario, space: FamilySpace) -> list[Design]:
    """The designs of a space that use up the budget, prompt machines ascending."""
    inside = {
        (design.prompt_machines, design.token_machines): design
        for design in designs(space)
        if within_budget(scenario, design)
    }
    return [
        design
        for (prompt, token), design in inside.items()
        if (prompt + 1, token) not in inside and (prompt, token + 1) not in inside
    ]
