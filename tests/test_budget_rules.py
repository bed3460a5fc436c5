"""What a budget allows, to its last cent, and the order of designs that reach the same rate."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted import HA, LIMIT, TARGET, details_of, question

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.budget import design_rank, frontier, within_budget
from splitwise_plan.planner.outcome import Evaluation, Replication
from splitwise_plan.planner.space import provisioned_power
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.verdict import TargetResult

ROUNDING = 1 + 1e-9


def of(scenario: Scenario, prompt: int, token: int, value: float = LIMIT) -> Evaluation:
    design = Design(scenario.spaces[0].family, prompt, token)
    return Evaluation(
        design, "meets", (Replication(0, "meets", (TargetResult(TARGET, value),)),), 1
    )


@pytest.mark.parametrize(
    ("budget", "allowed"),
    [(8.0, True), (8.0 / ROUNDING, True), (7.99, False), (4.5, False), (None, True)],
)
def test_a_cost_budget(budget: float | None, allowed: bool) -> None:
    """Two prompt machines of $3 and a token machine of $2."""
    scenario = replace(question(HA), cost_budget_usd_per_hour=budget)
    assert within_budget(scenario, of(scenario, 2, 1).design) == allowed


def test_the_last_of_the_rounding() -> None:
    scenario = question(HA, prices={"dgx-h100": ROUNDING, "dgx-a100": 0.0})
    design = of(scenario, 1, 1).design
    assert within_budget(replace(scenario, cost_budget_usd_per_hour=1.0), design)


@pytest.mark.parametrize(("share", "allowed"), [(1.0, True), (0.9999, False), (0.5, False)])
def test_a_power_budget(share: float, allowed: bool) -> None:
    scenario = question(HA)
    design = of(scenario, 2, 1).design
    budget = share * provisioned_power(scenario, design)
    assert within_budget(replace(scenario, power_budget=budget), design) == allowed


def test_designs_to_which_no_machine_can_be_added() -> None:
    scenario = replace(question(HA), cost_budget_usd_per_hour=10.0)
    found = [(d.prompt_machines, d.token_machines) for d in frontier(scenario, scenario.spaces[0])]
    assert found == [(1, 3), (2, 2)]  # $9 and $10; three prompt machines and one leave no token one


def test_the_order_at_one_rate() -> None:
    """Fewer machines, less power, less cost to the millionth of a dollar, more margin."""
    scenario = question(HA)
    few, many = of(scenario, 1, 1), of(scenario, 1, 2)
    thrifty, hungry = of(scenario, 1, 3), of(scenario, 3, 1)
    tight, wide = of(scenario, 1, 1, LIMIT), of(scenario, 1, 1, LIMIT / 2)
    for first, second in ((few, many), (thrifty, hungry), (wide, tight)):
        ranks = [design_rank(scenario, details_of(one)) for one in (first, second)]
        assert ranks[0] < ranks[1]
    dear = question(HA, prices={"dgx-h100": 3.0000014, "dgx-a100": 0.0})
    assert design_rank(dear, details_of(of(dear, 1, 1)))[2] == 3.000001
