from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from scenes import scenario_of

from splitwise_plan.facts.design import Design
from splitwise_plan.planner import exhaustive
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.figure_data import figure_data, window
from splitwise_plan.planner.sweep import OBJECTIVES, sweep_load, sweep_map
from splitwise_plan.scenario.scenario import Scenario


def small(family: str = "splitwise-hh", **keys: Any) -> Scenario:
    ranges = {"prompt_machines": "1:5", "token_machines": "1:3"}
    if family.startswith("baseline"):
        ranges = {"machines": "1:8"}
    return scenario_of(family, **{"rate": 8, "duration": 40, "horizon": "window", **ranges, **keys})


@pytest.mark.parametrize("family", ["splitwise-hh", "splitwise-ha", "baseline-h100"])
def test_the_map_holds_every_design_and_the_searchs_answer(family: str) -> None:
    scenario = small(family)
    [space] = scenario.spaces
    found = sweep_map(scenario, space, jobs=1)
    token = space.token_machines
    size = space.prompt_machines.high * (token.high if token else 1)
    assert len({cell.design for cell in found.cells}) == len(found.cells) == size
    evaluator = Evaluator(scenario)
    for cell in found.cells:
        judged = evaluator.judge(cell.design).verdict
        assert (cell.verdict == "meets") == (judged == "meets")
        assert (cell.verdict == "undecided") == (judged == "undecided")
        assert len(cell.evaluation.estimates) == 9
    assert any(cell.verdict == "meets" for cell in found.cells)
    assert not all(cell.verdict == "meets" for cell in found.cells)
    for name in OBJECTIVES:
        best = exhaustive.search(replace(scenario, minimize=name), jobs=1).best
        assert best is not None
        assert best.best is not None
        optima = {cell.design for cell in found.optima[name]}
        assert optima == {best.best.evaluation.design, *best.ties}


def test_no_design_that_meets_is_no_optimum() -> None:
    scenario = small(rate=60)
    found = sweep_map(scenario, scenario.spaces[0], jobs=1)
    assert all(found.optima[name] == () for name in OBJECTIVES)


def test_jobs_change_nothing() -> None:
    scenario = small()
    one, two = (sweep_map(scenario, scenario.spaces[0], jobs) for jobs in (1, 2))
    assert one == two
    designs = [cell.design for cell in one.cells[:3]]
    loads = [sweep_load(scenario, designs, [4.0, 8.0], jobs) for jobs in (1, 2)]
    assert repr(loads[0]) == repr(loads[1])


def test_progress_is_told_after_each_design() -> None:
    scenario = small()
    told: list[int] = []
    found = sweep_map(
        scenario, scenario.spaces[0], 1, lambda progress: told.append(progress.simulated)
    )
    assert told == list(range(1, len(found.cells) + 1))


def test_a_load_sweep_is_what_single_simulations_say() -> None:
    scenario = small()
    family = scenario.spaces[0].family
    designs = [Design(family, 4, 2), Design(family, 5, 1)]
    found = sweep_load(scenario, designs, [4.0, 8.0, 30.0], jobs=1)
    assert [(point.design, point.rate_rps) for point in found.points] == [
        (design, rate) for design in designs for rate in (4.0, 8.0, 30.0)
    ]
    for point in found.points:
        arrivals = replace(scenario.arrivals, rate_rps=point.rate_rps)
        evaluator = Evaluator(replace(scenario, arrivals=arrivals))
        number = len(point.details.evaluation.replications)
        assert number in evaluator.looks
        alone = evaluator.detail(point.design, number)
        assert alone.latency_s == point.details.latency_s
        assert alone.pools == point.details.pools
        judged = evaluator.judge(point.design).verdict
        assert (judged == "meets") == (point.verdict == "meets")
    assert found.of(designs[0])[0].verdict == "meets"
    assert found.of(designs[0])[-1].verdict != "meets"


def test_the_capacity_of_a_sweep_ends_at_its_first_miss() -> None:
    scenario = small()
    design = Design(scenario.spaces[0].family, 4, 2)
    found = sweep_load(scenario, [design], [30.0, 4.0], jobs=1)
    assert found.capacity_rps(design) == 4.0
    assert sweep_load(scenario, [design], [30.0], jobs=1).capacity_rps(design) is None


def test_a_closer_look_at_an_answer() -> None:
    scenario = small()
    result = exhaustive.search(scenario, jobs=1)
    look = figure_data(scenario, result, jobs=1)
    assert result.best is not None
    assert result.best.best is not None
    best = result.best.best.evaluation.design
    assert look.map is not None
    assert best in {cell.design for cell in look.map.optima["cost"]}
    assert look.load is not None
    assert 8.0 in look.load.rates_rps
    assert [one.design for one in look.occupied] == [best]
    assert [pool.pool for pool in look.occupied[0].token_phases] == ["prompt", "token"]


def test_nothing_found_is_nothing_to_look_at() -> None:
    scenario = small(rate=60)
    look = figure_data(scenario, exhaustive.search(scenario, jobs=1), jobs=1)
    assert (look.map, look.load, look.occupied) == (None, None, ())


def test_the_window_stays_inside_the_space() -> None:
    [space] = small().spaces
    around = window(space, Design(space.family, 4, 1))
    assert (around.prompt_machines.low, around.prompt_machines.high) == (2, 5)
    assert around.token_machines is not None
    assert (around.token_machines.low, around.token_machines.high) == (1, 3)
