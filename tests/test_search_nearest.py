"""Where nothing meets the SLOs, the design shown is the one that misses them by the least."""

from __future__ import annotations

from typing import Any

import pytest

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.capacity import maximize_rate
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.nearest import ALIKE, nearest
from splitwise_plan.planner.replications import replicate
from splitwise_plan.planner.sampled import search_sampled
from splitwise_plan.planner.space import designs, objective
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario

SLOS = {
    "ttft": "[ttft]\np90 = { value = 40, unit = 'ms' }\n",
    "e2e": "[e2e]\np50 = 0.5\np90 = 0.6\n",
    "tbt": "[tbt]\np50 = { value = 8, unit = 'ms' }\n",
}
"""Below what any machine can do."""


def impossible(tmp_path: Any, which: str, **given: Any) -> Scenario:
    path = tmp_path / "slos.toml"
    path.write_text(SLOS[which])
    ranges = {"prompt_machines": "1:12", "token_machines": "1:6"}
    asked = {
        "rate": 8,
        "duration": 30,
        "horizon": "window",
        "family": "splitwise-hh",
        "slo": str(path),
        **ranges,
    }
    return load_scenario(Catalog(), None, {**asked, **given})


def worst(scenario: Scenario, design: Design) -> float:
    simulator = Evaluator(scenario).simulator(0)
    results = replicate(simulator, 0, simulator.run(design)).results
    return max(result.value / result.target.limit for result in results)


@pytest.mark.parametrize("which", SLOS)
def test_it_is_the_closest_of_all_and_of_those_alike_the_cheapest(
    which: str, tmp_path: Any
) -> None:
    scenario = impossible(tmp_path, which)
    [space] = scenario.spaces
    found = nearest(search(scenario, 1))
    assert found is not None
    everything = {one: worst(scenario, one) for one in designs(space)}
    least = min(everything.values())
    chosen = found.evaluation.design
    assert everything[chosen] <= (1.0 + 3 * ALIKE) * least
    largest = Design(space.family, 12, 6)
    assert objective(scenario, chosen) < objective(scenario, largest)


def test_what_is_too_close_to_call_is_closer_than_what_misses_in_every_run() -> None:
    asked = {"rate": 6, "duration": 30, "horizon": "window", "family": "splitwise-hh"}
    for prompt in (2, 3, 4):
        scenario = load_scenario(
            Catalog(), None, {**asked, "prompt_machines": prompt, "token_machines": "1:8"}
        )
        result = search(scenario, 1)
        if result.best is None:
            found = nearest(result)
            assert found is not None
            most = max(Evaluator(scenario).judge(one).met for one in designs(scenario.spaces[0]))
            assert (found.evaluation.met > 0) == (most > 0)


def test_of_a_sampled_search_and_of_a_search_for_a_rate(tmp_path: Any) -> None:
    scenario = impossible(tmp_path, "tbt")
    sampled = nearest(search_sampled(scenario, 1, 24))
    exact = nearest(search(scenario, 1))
    budget = impossible(tmp_path, "tbt", rate=None, maximize="throughput", cost_budget="5xdgx-h100")
    at_any_rate = nearest(maximize_rate(budget, 1))
    assert sampled is not None
    assert exact is not None
    assert at_any_rate is not None
    assert sampled.evaluation.margin == pytest.approx(exact.evaluation.margin, abs=0.05)
    assert at_any_rate.evaluation.design.cost_usd_per_hour <= 5 * 38


def test_threads_change_nothing(tmp_path: Any) -> None:
    scenario = impossible(tmp_path, "ttft")
    one, two = (nearest(search(scenario, jobs)) for jobs in (1, 2))
    assert repr(one) == repr(two)
