"""Why nothing works, and whether runs were long enough."""

from __future__ import annotations

from typing import Any

import pytest

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.length_check import check_length
from splitwise_plan.questions.search.diagnosis import RESOURCES, diagnose
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario


def scenario_of(**given: Any) -> Scenario:
    return load_scenario(
        Catalog(), None, {"rate": 10, "duration": 150, "horizon": "window", **given}
    )


@pytest.mark.parametrize(
    ("given", "bottleneck"),
    [
        ({"prompt_machines": "1:3", "token_machines": "2"}, "prompt compute"),
        (
            {"prompt_machines": "6", "token_machines": "2", "workload": "conversation"},
            "token bandwidth",
        ),
    ],
)
def test_bottleneck_and_remedies(given: dict[str, Any], bottleneck: str) -> None:
    scenario = scenario_of(family="splitwise-hh", **given)
    result = search(scenario, jobs=1)
    found = diagnose(scenario, result, jobs=1)
    assert found is not None
    assert found.bottleneck == bottleneck
    assert set(found.relief) == set(RESOURCES)
    assert found.missed
    assert found.rate_rps is not None
    assert 0 < found.rate_rps < 10
    assert found.more is not None
    judged = Evaluator(scenario, seeds=1).judge(found.more)
    assert judged.verdict == "meets"


def test_where_only_the_spare_is_missing_more_machines_or_a_lower_rate_are_named() -> None:
    scenario = scenario_of(
        family="splitwise-hh", prompt_machines="1:6", token_machines="1:3", spare=2
    )
    result = search(scenario, jobs=1)
    assert result.best is None
    found = diagnose(scenario, result, jobs=1)
    assert found is not None
    assert found.closest.evaluation.meets_whole
    assert found.bottleneck is None
    assert not found.relief
    assert not found.missed
    assert found.rate_rps is not None
    assert found.rate_rps < 10
    assert found.more is not None
    judged = Evaluator(scenario, seeds=1).judge(found.more)
    assert judged.verdict == "meets"
    assert judged.reduced


def test_a_search_with_an_answer_has_no_diagnosis() -> None:
    scenario = scenario_of(family="splitwise-hh", prompt_machines="6", token_machines="4")
    assert diagnose(scenario, search(scenario, jobs=1), jobs=1) is None


def test_a_stable_design_does_not_drift_and_an_overloaded_one_does() -> None:
    scenario = scenario_of(family="splitwise-hh")
    family = scenario.spaces[0].family
    enough = check_length(scenario, Design(family, 6, 4), None)
    too_few = check_length(scenario, Design(family, 1, 1), None)
    assert enough is not None
    assert too_few is not None
    assert enough.doubled.verdict == "meets"
    assert enough.drift == pytest.approx(1.0, abs=0.3)
    assert too_few.doubled.verdict != "meets"
    assert too_few.drift > 1.5
