"""The designs of a family, in the order of an objective."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.scenario.scenario import Scenario

COST_STEP_USD_PER_HOUR = 1e-6
"""Objectives closer than this are equal: sums of prices differ in their last bits."""


def designs(space: FamilySpace) -> Iterator[Design]:
    """Every design of a space, prompt machines ascending, then token machines."""
    for prompt in range(space.prompt_machines.low, space.prompt_machines.high + 1):
        if space.token_machines is None:
            yield Design(space.family, prompt)
            continue
        for token in range(space.token_machines.low, space.token_machines.high + 1):
            yield Design(space.family, prompt, token)


def objective(scenario: Scenario, design: Design) -> float:
    """What the scenario minimises: $/h, provisioned power in its accounting, or machines."""
    if scenario.minimize == "cost":
        return round(design.cost_usd_per_hour / COST_STEP_USD_PER_HOUR) * COST_STEP_USD_PER_HOUR
    if scenario.minimize == "power":
        return round(provisioned_power(scenario, design), 6)
    return float(design.machines)


def provisioned_power(scenario: Scenario, design: Design) -> float:
    """Provisioned power: watts, or the paper's units if the assumptions count in those."""
    if scenario.assumptions.power_accounting == "paper":
        return design.total("paper_power")
    return design.provisioned_power_w


def levels(scenario: Scenario, space: FamilySpace) -> list[tuple[float, list[Design]]]:
    """Designs grouped by objective, best first; within a group fewer machines first."""
    keyed = [(objective(scenario, design), design) for design in designs(space)]
    keyed.sort(key=lambda pair: (pair[0], pair[1].machines, pair[1].prompt_machines))
    return [
        (level, [design for _, design in group])
        for level, group in groupby(keyed, key=lambda pair: pair[0])
    ]
