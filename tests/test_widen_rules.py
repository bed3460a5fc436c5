"""How far ranges that nobody asked for reach within a budget, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from scripted import HA, question

from splitwise_plan.facts.design import FamilySpace
from splitwise_plan.planner.widen import MOST_MACHINES, up_to_level, within_budgets
from splitwise_plan.scenario.scenario import Scenario

H = "baseline-h100"


def opened(family: str, **budgets: Any) -> tuple[Scenario, FamilySpace]:
    """Prompt machines of $3 and 300 W, token machines of $2 and 100 W; every range is open."""
    scenario = replace(question(family), **budgets)
    [space] = scenario.spaces
    token = space.family.token_machine
    made = replace(
        space.family,
        prompt_machine=replace(space.family.prompt_machine, provisioned_power_w=300.0),
        token_machine=token and replace(token, provisioned_power_w=100.0),
    )
    return scenario, replace(space, family=made, prompt_open=True, token_open=token is not None)


@pytest.mark.parametrize(
    ("budgets", "prompt", "token"),
    [
        ({"cost_budget_usd_per_hour": 20.0}, 6, 8),  # one machine of the other pool is paid first
        ({"cost_budget_usd_per_hour": 19.9}, 5, 8),
        ({"power_budget": 1900.0}, 6, 16),
        ({"power_budget": 1899.0}, 5, 15),
        ({"cost_budget_usd_per_hour": 20.0, "power_budget": 1300.0}, 4, 8),
        ({"cost_budget_usd_per_hour": 17.0, "power_budget": 1300.0}, 4, 7),
        ({"cost_budget_usd_per_hour": 1.0}, 3, 3),  # no range shrinks
        ({"cost_budget_usd_per_hour": 1e6}, MOST_MACHINES, MOST_MACHINES),
        ({}, MOST_MACHINES, MOST_MACHINES),
    ],
)
def test_two_pools(budgets: dict[str, float], prompt: int, token: int) -> None:
    wider = within_budgets(*opened(HA, **budgets))
    assert wider.token_machines is not None
    assert (wider.prompt_machines.low, wider.prompt_machines.high) == (1, prompt)
    assert (wider.token_machines.low, wider.token_machines.high) == (1, token)


@pytest.mark.parametrize(
    ("budgets", "machines"),
    [
        ({"cost_budget_usd_per_hour": 20.0}, 6),
        ({"cost_budget_usd_per_hour": 21.0}, 7),
        ({"power_budget": 1799.5}, 5),
        ({"power_budget": 1800.0}, 6),
    ],
)
def test_one_pool(budgets: dict[str, float], machines: int) -> None:
    wider = within_budgets(*opened(H, **budgets))
    assert (wider.prompt_machines.high, wider.token_machines) == (machines, None)


def test_ranges_that_were_asked_for_stay() -> None:
    scenario, space = opened(HA, cost_budget_usd_per_hour=20.0)
    asked = replace(space, prompt_open=False, token_open=False)
    assert within_budgets(scenario, asked) == asked


@pytest.mark.parametrize(("level", "prompt", "token"), [(20.0, 6, 8), (19.9, 5, 8), (1.0, 3, 3)])
def test_up_to_a_level_of_the_objective(level: float, prompt: int, token: int) -> None:
    scenario, space = opened(HA)
    wider = up_to_level(scenario, space, level)
    assert wider.token_machines is not None
    assert (wider.prompt_machines.high, wider.token_machines.high) == (prompt, token)


def test_machines_that_cost_nothing_or_little() -> None:
    """No budget ends the first; of the others there are as many as it pays for."""
    scenario, space = opened(H, cost_budget_usd_per_hour=20.0)
    for price, most in ((0.0, MOST_MACHINES), (0.5, 40)):
        machine = replace(space.family.prompt_machine, cost_usd_per_hour=price)
        priced = replace(space, family=replace(space.family, prompt_machine=machine))
        assert within_budgets(scenario, priced).prompt_machines.high == most
        assert up_to_level(scenario, priced, 20.0).prompt_machines.high == most
