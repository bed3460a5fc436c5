"""The sampled search finds what the exhaustive one proves, in a fraction of the simulations."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from sampled_searches import TRIALS, answer, question, told
from selection import few

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import Attainment
from splitwise_plan.planner import sampled
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.fingerprint import fingerprint
from splitwise_plan.planner.grid import Grid
from splitwise_plan.planner.outcome import FamilyResult, SearchResult
from splitwise_plan.planner.progress import Progress
from splitwise_plan.planner.sampled import is_large, search_sampled
from splitwise_plan.planner.space import designs, objective
from splitwise_plan.planner.study import Conversation
from splitwise_plan.planner.trial import Judge, from_json
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario


def best_of(result: SearchResult | FamilyResult) -> Design:
    best = result.best.best if isinstance(result, SearchResult) and result.best else result.best
    assert best is not None
    assert not isinstance(best, FamilyResult)
    return best.evaluation.design


def seen(result: SearchResult) -> int:
    return sum(family.certificate.seen or 0 for family in result.families)


def with_sampler_seed(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Another sampler seed on the same requests: those depend on the scenario's seed."""

    def other(domain: Any, objectives: int, _: int, first: Any) -> Conversation:
        return Conversation(domain, objectives, seed, first)

    monkeypatch.setattr(sampled, "Conversation", other)


@pytest.mark.parametrize("minimize", few(["cost", "power", "machines"], ["cost"]))
def test_finds_the_optimum_of_a_small_space(minimize: str) -> None:
    scenario = question(minimize=minimize)
    proven = search(replace(scenario, method="exhaustive"), 1)
    found = search_sampled(scenario, 1, TRIALS)
    assert best_of(found) == best_of(proven)
    for mine, theirs in zip(found.families, proven.families, strict=True):
        assert objective(scenario, best_of(mine)) == objective(scenario, best_of(theirs))


@pytest.mark.parametrize("seed", few(range(3), [0]))
def test_finds_the_optimum_whatever_the_seed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = question(workload="conversation", rate=8)
    proven = search(scenario, 1)
    with_sampler_seed(monkeypatch, seed)
    assert best_of(search_sampled(scenario, 1, TRIALS)) == best_of(proven)


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("minimize", ["cost", "power", "machines"])
@pytest.mark.parametrize("workload", ["coding", "conversation"])
def test_finds_the_optimum_of_the_papers_space(
    workload: str, minimize: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = papers(workload, minimize)
    with_sampler_seed(monkeypatch, seed)
    found, proven = search_sampled(scenario, 2), exhaustive(workload, minimize)
    assert best_of(found) == best_of(proven)
    assert seen(found) < 0.05 * Grid(scenario).size


def papers(workload: str, minimize: str) -> Scenario:
    """All six families at 70 requests a second."""
    keys = {"workload": workload, "minimize": minimize, "rate": 70, "horizon": "window"}
    return load_scenario(Catalog(), None, keys)


PROVEN: dict[tuple[str, str], SearchResult] = {}


def exhaustive(workload: str, minimize: str) -> SearchResult:
    key = workload, minimize
    if key not in PROVEN:
        PROVEN[key] = search(papers(*key), 2)
    return PROVEN[key]


def test_the_certificate_claims_no_proof_and_counts_what_was_seen() -> None:
    result = answer(None)
    assert seen(result) < Grid(question()).size
    for family in result.families:
        certificate = family.certificate
        assert not certificate.exact
        assert certificate.seen is not None
        assert certificate.better < certificate.seen <= certificate.space


def test_everything_near_the_winner_that_is_cheaper_was_judged_and_misses() -> None:
    scenario, judge = question(), Judge.of(question())
    best = best_of(answer(None))
    cheaper = [
        near
        for near in Grid(scenario).near(best, 2)
        if objective(scenario, near) < objective(scenario, best)
    ]
    assert cheaper
    assert not any(judge(near).meets for near in cheaper)


def test_jobs_change_nothing() -> None:
    assert told(answer(None, 2)) == told(answer(None, 1))


def test_an_impossible_question_has_no_best() -> None:
    result = search_sampled(question(rate=100), 1, 24)
    assert result.best is None
    assert all(family.best is None for family in result.families)
    assert any(family.certificate.better_excluded for family in result.families)


def test_a_sampler_with_nothing_new_to_propose_is_not_asked_for_ever() -> None:
    ranges = {"machines": "1:9", "prompt_machines": "1:3", "token_machines": "1:3"}
    scenario = question(**ranges, rate=5, duration=40)
    told_of: list[Progress] = []
    result = search_sampled(scenario, 1, 100_000, report=told_of.append)
    assert best_of(result) == best_of(search(scenario, 1))
    assert 0 < told_of[-1].simulated <= told_of[-1].space


def test_small_spaces_are_gone_through_and_large_ones_sampled() -> None:
    assert not is_large(load_scenario(Catalog(), None, {"rate": 70}))
    wide = {"prompt_machines": "1:400", "token_machines": "1:400", "rate": 700}
    assert is_large(load_scenario(Catalog(), None, {"families": ["splitwise-hh"], **wide}))


def with_goodput(scenario: Scenario) -> Scenario:
    attainment = Attainment(0.9, (("ttft", 2.0, "slowdown"), ("tbt", 1.5, "slowdown")))
    return replace(scenario, slos=replace(scenario.slos, attainments=(attainment,)))


@pytest.mark.parametrize("scenario", [question(rate=12), with_goodput(question(rate=12))])
def test_results_are_written_and_read_to_the_bit(scenario: Scenario) -> None:
    judge = Judge.of(scenario)
    for space in scenario.spaces:
        for design in list(designs(space))[::7]:
            judged = judge(design)
            told_of = json.loads(json.dumps(judged.to_json()))
            assert repr(from_json(scenario.slos, design, told_of)) == repr(judged)


def test_a_constraint_is_kept_exactly_where_the_verdict_is_meets() -> None:
    scenario = question()
    judge = Judge.of(scenario)
    for space in scenario.spaces:
        for design in list(designs(space))[::5]:
            judged = judge(design)
            assert judged.meets == (judged.excess <= 0.0), design


def test_every_design_has_coordinates() -> None:
    scenario = question()
    grid = Grid(scenario)
    for space in scenario.spaces:
        axes = [range(grid.steps)] * 2
        points = [(p, t) for p in axes[0] for t in axes[1]]
        reached = {
            grid.design({"family": space.family.id, "prompt_machines": p, "token_machines": t})
            for p, t in points
        }
        assert reached == set(designs(space))


def test_questions_have_names_of_their_own() -> None:
    scenario = question()
    assert fingerprint(scenario) == fingerprint(question())
    others = [question(rate=11), question(minimize="power"), question(seed=2), question(seeds=3)]
    others += [replace(scenario, spaces=scenario.spaces[1:])]
    assert len({fingerprint(one) for one in (scenario, *others)}) == 6


def test_a_study_about_something_else_is_refused(tmp_path: Any) -> None:
    storage = str(tmp_path / "journal.log")
    search_sampled(question(), 1, 24, storage, study_name="mine")
    with pytest.raises(InputError, match="about another question"):
        search_sampled(question(rate=11), 1, 24, storage, study_name="mine")
