"""Exact local search around a design that meets the SLOs.

First downhill with halving steps (Hooke & Jeeves, "Direct search", 1961), then the designs up to
`RADIUS` machines away in either pool: all that are cheaper are judged until none of them meets.
Those that are as cheap and meet are gone around too, so that ties are found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.grid import Grid
from splitwise_plan.planner.space import objective, provisioned_power
from splitwise_plan.planner.trial import Trial
from splitwise_plan.scenario.scenario import Scenario

RADIUS = 2

Judging = Callable[[Sequence[Design]], list[Trial]]


def order(scenario: Scenario, design: Design) -> tuple[float, int, float, int]:
    """Of designs that meet the SLOs, before their margins are compared."""
    power = provisioned_power(scenario, design)
    return objective(scenario, design), design.machines, power, design.prompt_machines


def local_search(grid: Grid, start: Design, judge: Judging) -> Design:
    """A design that no cheaper one within the radius beats; `start` meets the SLOs."""
    best = _downhill(grid, start, judge)
    level: list[Design] = [best]
    while True:
        limit = objective(grid.scenario, best)
        around = dict.fromkeys(
            near
            for design in level
            for near in grid.near(design, RADIUS)
            if objective(grid.scenario, near) <= limit and near not in level
        )
        meeting = _meeting(list(around), judge)
        if not meeting:
            return best
        first = min(meeting, key=lambda one: order(grid.scenario, one))
        if objective(grid.scenario, first) < limit:
            best, level = first, [first]
        else:
            level += meeting


def _downhill(grid: Grid, start: Design, judge: Judging) -> Design:
    """Steps of halving length to cheaper designs that meet, as long as there are any."""
    best, step = start, max(1, grid.steps // 4)
    while step:
        level = objective(grid.scenario, best)
        cheaper = [one for one in grid.near(best, 1, step) if objective(grid.scenario, one) < level]
        meeting = _meeting(cheaper, judge)
        if meeting:
            best = min(meeting, key=lambda one: order(grid.scenario, one))
        else:
            step //= 2
    return best


def _meeting(designs: Sequence[Design], judge: Judging) -> list[Design]:
    return [one for one, result in zip(designs, judge(designs), strict=True) if result.meets]
