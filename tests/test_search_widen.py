"""Ranges that nobody asked for end where the question does, not where our files say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import CountRange, FamilySpace
from splitwise_plan.planner.capacity import maximize_rate
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.widen import MOST_MACHINES, within_budgets
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario


def small(scenario: Scenario, high: int) -> Scenario:
    """The scenario with default ranges that end at `high`."""
    spaces = [
        replace(
            space,
            prompt_machines=CountRange(1, high),
            token_machines=CountRange(1, high) if space.token_machines else None,
        )
        for space in scenario.spaces
    ]
    return replace(scenario, spaces=tuple(spaces))


def question(**given: Any) -> Scenario:
    return load_scenario(
        Catalog(), None, {"duration": 40, "horizon": "window", "seeds": 1, **given}
    )


@pytest.mark.parametrize("family", ["splitwise-hh", "splitwise-aa", "baseline-h100"])
@pytest.mark.parametrize("goal", ["cost", "machines"])
def test_the_answer_does_not_depend_on_where_default_ranges_end(family: str, goal: str) -> None:
    scenario = question(rate=8, family=family, minimize=goal)
    wide, narrow = search(scenario, 1), search(small(scenario, 3), 1)
    assert wide.best is not None
    assert narrow.best is not None
    assert wide.best.best is not None
    assert narrow.best.best is not None
    assert wide.best.best.evaluation == narrow.best.best.evaluation
    assert set(wide.best.ties) == set(narrow.best.ties)
    certificates = [one.best.certificate for one in (wide, narrow) if one.best]
    assert certificates[0].better == certificates[1].better


def test_a_range_that_was_asked_for_is_not_widened() -> None:
    scenario = question(rate=8, family="splitwise-hh", prompt_machines="1:2", token_machines="1:2")
    result = search(scenario, 1)
    assert result.best is None
    assert result.families[0].space == scenario.spaces[0]


def test_a_budget_decides_how_far_open_ranges_go() -> None:
    scenario = question(
        maximize="throughput", power_budget="60xdgx-h100", family="splitwise-hh", rate_step=5
    )
    space: FamilySpace = within_budgets(scenario, scenario.spaces[0])
    assert space.prompt_machines.high == 59
    assert space.token_machines is not None
    assert space.token_machines.high == 59
    absurd = replace(scenario, power_budget=1e12)
    assert within_budgets(absurd, scenario.spaces[0]).prompt_machines.high == MOST_MACHINES
    assert maximize_rate(scenario, 1).families[0].certificate.space == 59
