"""Ranges that nobody asked for do not end where our files say, but where the question does.

Below the best design found, or within a budget, a pool may hold more machines than the default
range has. The range then grows, so that a certificate speaks of every design that would be better.
"""

from __future__ import annotations

from dataclasses import replace
from math import floor

from splitwise_plan.facts.design import CountRange, Design, FamilySpace
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.outcome import FamilyResult
from splitwise_plan.planner.space import objective, provisioned_power
from splitwise_plan.scenario.scenario import Scenario

MOST_MACHINES = 400
"""No range is widened beyond this: ask for more with a range of your own."""

DOUBLINGS = 3
"""Where nothing meets, so often is the range doubled to see whether its largest design does: a
guess where to look further. If it is wrong, what is said is said of the narrower space alone."""


def widened(scenario: Scenario, evaluator: Evaluator, found: FamilyResult) -> FamilySpace | None:
    """A space to search instead, or None if the result stands."""
    space = found.space
    if not (space.prompt_open or space.token_open):
        return None
    if found.best is None:
        return _until_something_meets(evaluator, space)
    wider = up_to_level(scenario, space, objective(scenario, found.best.evaluation.design))
    return wider if wider != space else None


def up_to_level(scenario: Scenario, space: FamilySpace, level: float) -> FamilySpace:
    """The space with its open ranges as large as designs of an objective up to `level` may be."""
    return _up_to(space, *(_most_within(scenario, space, pool, level) for pool in (0, 1)))


def within_budgets(scenario: Scenario, space: FamilySpace) -> FamilySpace:
    """The space with its open ranges as large as the budgets allow."""
    most = []
    for pool in (0, 1):
        one, other = _unit(space, pool), _unit(space, 1 - pool)
        limits = [MOST_MACHINES]
        if scenario.power_budget is not None and one is not None:
            rest = provisioned_power(scenario, other) if other else 0.0
            limits.append(
                _affordable(scenario.power_budget - rest, provisioned_power(scenario, one))
            )
        if scenario.cost_budget_usd_per_hour is not None and one is not None:
            rest = other.cost_usd_per_hour if other else 0.0
            budget = scenario.cost_budget_usd_per_hour - rest
            limits.append(_affordable(budget, one.cost_usd_per_hour))
        most.append(min(limits))
    return _up_to(space, *most)


def _unit(space: FamilySpace, pool: int) -> Design | None:
    """One machine of a pool alone; None where there is no such pool."""
    if pool == 1 and space.token_machines is None:
        return None
    return Design(space.family, 1 - pool, pool)


def _affordable(budget: float, price: float) -> int:
    return MOST_MACHINES if price <= 0.0 else floor(max(0.0, budget) / price * (1 + 1e-9))


def _most_within(scenario: Scenario, space: FamilySpace, pool: int, level: float) -> int:
    """The most machines of a pool in a design whose objective is at most `level`: ties count."""
    one, other = _unit(space, pool), _unit(space, 1 - pool)
    if one is None:
        return 0
    price = objective(scenario, one)
    rest = objective(scenario, other) if other else 0.0
    return MOST_MACHINES if price <= 0.0 else max(0, floor((level - rest) / price + 1e-9))


def _up_to(space: FamilySpace, prompt: float, token: float) -> FamilySpace:
    """The space with its open ranges ending at these counts, if that is further than they do."""
    wider = space
    if space.prompt_open:
        wider = replace(wider, prompt_machines=_longer(space.prompt_machines, prompt))
    if space.token_open and space.token_machines is not None:
        wider = replace(wider, token_machines=_longer(space.token_machines, token))
    return wider


def _longer(counts: CountRange, high: float) -> CountRange:
    return CountRange(counts.low, int(max(counts.high, min(high, MOST_MACHINES))))


def _until_something_meets(evaluator: Evaluator, space: FamilySpace) -> FamilySpace | None:
    """The open ranges doubled until their largest design meets the SLOs; None if it never does."""
    for doubling in range(1, DOUBLINGS + 1):
        wider = doubled(space, doubling)
        if evaluator.judge(largest(wider)).verdict == "meets":
            return wider
    return None


def doubled(space: FamilySpace, times: int) -> FamilySpace:
    """The space with its open ranges so often doubled."""
    token = space.token_machines.high if space.token_machines else 0
    return _up_to(space, 2**times * space.prompt_machines.high, 2**times * token)


def largest(space: FamilySpace) -> Design:
    """The design with the most machines in each pool."""
    token = space.token_machines.high if space.token_machines else 0
    return Design(space.family, space.prompt_machines.high, token)
