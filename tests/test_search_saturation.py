"""Requests per dollar without SLOs: against brute force, and the paper's figures."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from commands import run, run_json

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.planner.budget import frontier, within_budget
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exclusion import PromptCapacity
from splitwise_plan.questions.batch.analysis import mean_per_usd, search_saturated, throughput_rps
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario

USD_PER_GPU_HOUR = {"a100": 2.21, "h100": 4.76}
"""SplitwiseSim, notebooks/utils.py; the paper's requests/s per dollar are per GPU and hour."""


def question(**given: Any) -> Scenario:
    defaults = {
        "maximize": "throughput_per_cost",
        "duration": 60,
        "horizon": "window",
        "workload": "conversation",
    }
    return load_scenario(Catalog(), None, {**defaults, **given})


def test_the_best_is_the_best_of_all_that_use_up_the_budget() -> None:
    families = ["splitwise-ha", "baseline-a100"]
    scenario = question(cost_budget="130 USD/h", families=families, seeds=2, duration=30)
    result = search_saturated(scenario, 1)
    arrivals = replace(scenario.arrivals, rate_rps=result.offered_rps)
    evaluator = Evaluator(replace(scenario, arrivals=arrivals), 2)
    for family in result.families:
        every = frontier(scenario, family.space)
        assert family.looked_at == len(every) > 0
        assert all(within_budget(scenario, design) for design in every)
        per_usd = {
            design: 3600
            / design.cost_usd_per_hour
            * fmean(throughput_rps(one, one.run(design)) for one in evaluator.simulators(2))
            for design in every
        }
        assert family.best is not None
        assert mean_per_usd(family.best) == pytest.approx(max(per_usd.values()))
        assert per_usd[family.best.design] == max(per_usd.values())


def test_throughput_is_less_than_offered_and_than_prompts_allow() -> None:
    scenario = question(cost_budget="4xdgx-h100", families=["splitwise-hh", "baseline-h100"])
    result = search_saturated(scenario, 1)
    assert scenario.workload is not None
    table = scenario.workload.lengths
    mean_tokens = np.average(table.prompt_tokens, weights=table.count)
    for family in result.families:
        assert family.best is not None
        bound = PromptCapacity(scenario, family.space).tokens_per_s(family.best.design)
        for rate in family.best.throughput_rps:
            assert 0 < rate < result.offered_rps
            assert rate < 1.05 * bound / mean_tokens


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"slo": "splitwise"}, "slo has no effect"),
        ({"rate_step": 2}, "rate_step has no effect"),
        ({"cost_budget": None}, "maximize needs a budget"),
    ],
)
def test_what_has_no_effect_is_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        question(**{"cost_budget": "100 USD/h", **given})


def test_the_report(tmp_path: Any) -> None:
    words = (
        *("search", "--maximize", "throughput_per_cost", "--cost-budget", "3xdgx-h100"),
        *("--duration", "20", "--horizon", "window", "--families", "splitwise-hh,baseline-a100"),
    )
    told = run(*words, "--out", str(tmp_path / "out"))
    assert told.exit_code == 0
    assert "requests for a dollar" in " ".join(told.stdout.split())
    document = run_json(*words)
    assert document["schema"] == "splitwise-plan/saturation/1"
    best = {one["family"]: one["best"] for one in document["families"]}[document["best"]]
    assert best["requests_per_usd"] == pytest.approx(
        3600 * best["throughput_rps"] / best["design"]["cost_usd_per_hour"]
    )
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files >= {"result.json", "designs.csv", "scenario.toml", "report.md", "report.html"}
    assert {"figure-saturation.svg", "figure-utilisation.png"} <= files
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"{best['requests_per_usd']:.3g} requests for a dollar" in page
    again = run("search", str(tmp_path / "out" / "scenario.toml"))
    assert again.stdout == told.stdout
    assert run(*words[:4], "10 USD/h").exit_code == 3


@pytest.mark.verify
@pytest.mark.parametrize(
    ("family", "machine", "paper"),
    [("baseline-a100", "a100", 0.89), ("baseline-h100", "h100", 0.75)],
)
def test_the_papers_requests_per_dollar(family: str, machine: str, paper: float) -> None:
    scenario = question(
        cost_budget="40xdgx-h100", families=[family], assumptions="splitwisesim", duration=120
    )
    [found] = search_saturated(scenario, 2).families
    assert found.best is not None
    hourly = found.best.design.machines * USD_PER_GPU_HOUR[machine]
    assert fmean(found.best.throughput_rps) / hourly == pytest.approx(paper, rel=0.08)
