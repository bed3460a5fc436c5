"""Results in a notebook."""

from __future__ import annotations

import numpy as np
from scenes import scenario_of, scene

from splitwise_plan.planner.exhaustive import search
from splitwise_plan.questions.search.view import designs_frame
from splitwise_plan.report.formats.frames import requests_frame


def test_a_search_as_a_frame() -> None:
    scenario = scenario_of("splitwise-hh", rate=4, duration=40, horizon="window")
    result = search(scenario, jobs=1)
    frame = designs_frame(scenario, result)
    assert result.best is not None
    assert result.best.best is not None
    best = result.best.best.evaluation.design
    assert list(frame["family"]) == ["splitwise-hh"]
    assert frame["machines"][0] == best.machines
    assert frame["cost_usd_per_hour"][0] == best.cost_usd_per_hour


def test_requests_as_a_frame() -> None:
    one = scene("splitwise-hh", 2, 2, rate=4, duration=20)
    run = one.run()
    frame = requests_frame(one.simulator, run)
    np.testing.assert_array_equal(frame["arrival_s"], one.requests.arrival_s)
    np.testing.assert_allclose(frame["ttft_s"], run.requests.first_token_s - one.requests.arrival_s)
