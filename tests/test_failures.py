"""Failures of a scenario: what the file may say, when machines are down, theory, and the search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import run, run_json
from scenes import Scene, scene
from test_search_exhaustive import (
    assert_is_what_brute_force_finds,
    designs_of,
    really_meets,
    small_scenario,
)

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.models.performance import phase_times
from splitwise_plan.planner.evaluate import Evaluator, records
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.serialize import details_from_json, details_to_json
from splitwise_plan.scenario.failures import Failures, Maintenance, Outage, Straggler
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.sim.records import Run, Stop
from splitwise_plan.sim.simulator import Simulator

WHOLE = """rate = 5
[failures]
mtbf = { value = 30, unit = "d" }
mttr = { value = 1, unit = "h" }
restart = "checkpoint"
checkpoint_interval_tokens = 64
checkpoint_cost = { value = 2, unit = "%" }
at = [{ pool = "token", machine = 2, start = 10, end = { value = 1, unit = "min" } }]
maintenance = { for = 60, every = 90, drain = 20, start = 5 }
straggler = { pool = "prompt", machine = 3, factor = 1.5 }
"""


def test_every_key_is_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(WHOLE, encoding="utf-8")
    scenario = load_scenario(Catalog(), path)
    assert scenario.failures == Failures(
        mtbf_s=30 * 86400.0,
        mttr_s=3600.0,
        outages=(Outage("token", 2, 10.0, 60.0),),
        maintenance=Maintenance(start_s=5.0, every_s=90.0, for_s=60.0, drain_s=20.0),
        straggler=Straggler("prompt", 3, 1.5),
        checkpoint_interval_tokens=64,
        checkpoint_cost=0.02,
    )
    path.write_text(scenario.resolved_toml, encoding="utf-8")
    again = load_scenario(Catalog(), path)
    assert again.failures == scenario.failures
    assert again.resolved_toml == scenario.resolved_toml
    path.write_text("rate = 5\n[failures]\n", encoding="utf-8")
    assert load_scenario(Catalog(), path).failures == Failures()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mtbf = 5", "s.toml:2: failures needs both mtbf and mttr, or neither"),
        ("mtbf = 0.1\nmttr = 1", "s.toml:3: failures.mtbf must be at least 1"),
        ("restart = 'checkpoint'", "s.toml:2: failures needs checkpoint_interval_tokens"),
        ("checkpoint_cost = 0.1", "s.toml:2: failures has checkpoints, which need restart"),
        ("restart = 'never'", "s.toml:3: failures.restart must be 'scratch' or 'checkpoint'"),
        (
            "at = [{ pool = 'token', start = 9, end = 3 }]",
            "s.toml:3: failures.at.0 must end after its start",
        ),
        ("maintenance = { every = 5 }", "failures.maintenance.for is missing"),
        (
            "straggler = { pool = 'token', factor = 0.5 }",
            "s.toml:3: failures.straggler.factor must be at least 1",
        ),
        ("stragler = 1", "s.toml:3: unknown key failures.stragler"),
    ],
)
def test_wrong_keys_are_told(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(f"rate = 5\n[failures]\n{text}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_scenario(Catalog(), path)
    assert problem in str(caught.value).replace(str(tmp_path) + "/", "")


JOBS = 1500
"""Prompts that one machine serves one after the other."""
SEEDS = 12


def served(mean_up: float, mean_down: float) -> tuple[float, list[Run]]:
    """Service time L of a prompt, and runs in which times to failure and repair are in Ls."""
    one: Scene = scene("baseline-h100", 1, rows=[(0.0, 1500, 1)] * JOBS)
    scenario = one.simulator.scenario
    times = phase_times(scenario.profiles["dgx-h100", 8], scenario.assumptions)
    service_s = float(times.prompt_s(np.array([1500]))[0])
    failures = Failures(mtbf_s=mean_up * service_s, mttr_s=mean_down * service_s)
    broken = replace(scenario, failures=failures)
    return service_s, [
        Simulator.of(broken, one.requests, number).run(one.design) for number in range(SEEDS)
    ]


def assert_near(found: list[float], theory: float) -> None:
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert abs(np.mean(found) - theory) < 4.0 * error
    assert error < 0.03 * theory  # or else the comparison says little


@pytest.mark.parametrize(("mean_up", "mean_down"), [(1.0, 0.5), (3.0, 2.0)])
def test_one_machine_agrees_with_the_closed_form(mean_up: float, mean_down: float) -> None:
    """A job of length L at failure rate f, from scratch: (e^(f L) - 1) (1/f + repair) in all.

    It is lost e^(f L) - 1 times, and each loss is a whole prompt. Up and down times take turns, so
    the machine is there 1/f of every 1/f + repair.
    """
    service_s, runs = served(mean_up, mean_down)
    f = 1.0 / (mean_up * service_s)
    failures = np.expm1(f * service_s)
    each_s = failures * (1.0 / f + mean_down * service_s)
    assert all(run.finished == JOBS for run in runs)
    assert_near([run.end_s / JOBS for run in runs], each_s)
    assert_near([run.restarts / JOBS for run in runs], failures)
    assert_near([run.lost_prompt_tokens / JOBS for run in runs], 1500 * failures)
    there = mean_up / (mean_up + mean_down)
    assert_near([1.0 - run.instances.down_s[0] / run.end_s for run in runs], there)
    busy = [run.instances.prompt_busy_s[0] + run.instances.down_s[0] for run in runs]
    np.testing.assert_allclose(busy, [run.end_s for run in runs], rtol=1e-9)


FAILING = {
    "mtbf": {"value": 40, "unit": "s"},
    "mttr": {"value": 3, "unit": "s"},
    "straggler": {"pool": "prompt", "factor": 1.2},
}
KINDS = {
    "drawn": FAILING,
    "saved": {**FAILING, "restart": "checkpoint", "checkpoint_interval_tokens": 8},
    "rolling": {"maintenance": {"for": 2, "every": 5, "drain": 2}},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_search_judges_under_failures(kind: str) -> None:
    """As brute force does, with runs that end early too."""
    given = {"prompt_machines": "1:5", "token_machines": "1:4", "machines": "1:6", "seeds": 1}
    asked = {"rate": 3, "duration": 60, "families": ["baseline-h100", "splitwise-hh"]}
    scenario = small_scenario(**given, **asked, failures=KINDS[kind])
    plain = small_scenario(**given, **asked)
    with_failures = without = 0
    for found in search(scenario, jobs=1).families:
        meeting = [one for one in designs_of(found.space) if really_meets(scenario, one)]
        assert_is_what_brute_force_finds(scenario, found, meeting)
        with_failures += len(meeting)
        without += sum(really_meets(plain, one) for one in designs_of(found.space))
    assert 0 < with_failures < without


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_ends_early_would_have_missed(kind: str) -> None:
    scenario = small_scenario(rate=5, seeds=1, failures=KINDS[kind])
    simulator = Evaluator(scenario).simulator(0)
    stopped = 0
    for space in scenario.spaces:
        for one in designs_of(space):
            if simulator.run(one, stop_when_missed=True).stop == Stop.MISSES:
                assert not really_meets(scenario, one)
                stopped += 1
    assert stopped > 10


def test_jobs_change_nothing() -> None:
    families = ["baseline-h100", "splitwise-hh"]
    scenario = small_scenario(rate=5, families=families, failures=FAILING)
    one, two = (repr(replace(search(scenario, jobs), search_s=0.0)) for jobs in (1, 2))
    assert one == two


def test_drained_machines_lose_less_than_those_taken_at_once() -> None:
    lost = []
    for drain in (0, 20):
        plan = {"for": 5, "every": 6, "start": 20, "drain": drain}
        scenario = small_scenario(rate=4, duration=60, failures={"maintenance": plan})
        [space] = [one for one in scenario.spaces if one.family.id == "splitwise-hh"]
        _, run = records(scenario, Design(space.family, 3, 3))
        assert run.finished == len(run.requests.last_token_s)
        assert run.instances.down_s.tolist() == [5.0] * 6
        lost.append(run.restarts)
    assert lost[0] > 0
    assert lost[1] < lost[0]


def test_details_are_written_with_what_failed() -> None:
    scenario = small_scenario(rate=4, failures=FAILING)
    [space] = [one for one in scenario.spaces if one.family.id == "splitwise-hh"]
    details = Evaluator(scenario).detail(Design(space.family, 3, 2))
    told = details_to_json(details)
    one = details.evaluation.design
    assert details_from_json(scenario.slos, one, told) == details
    assert details.failures is not None
    assert details.failures.restarts > 0
    assert all(0.0 < pool.availability < 1.0 for pool in details.pools)


def test_the_report_tells_availability_and_what_was_lost(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(
        "rate = 4\nduration = 60\nseeds = 1\n"
        "families = ['splitwise-hh']\nprompt_machines = 3\ntoken_machines = 2\n"
        "[failures]\nmtbf = 60\nmttr = 5\n",
        encoding="utf-8",
    )
    document = run_json("simulate", str(path))
    lost = document["failures"]
    assert lost["restarts"] > 0
    assert lost["lost_prompt_tokens"] > 0
    for pool in document["pools"]:
        assert 0.5 < pool["availability"] < 1.0
    assert document["requests"]["unfinished"] == 0
    screen = " ".join(run("simulate", str(path)).stdout.split())
    assert "with failures" in screen
    assert "availability: prompt pool" in screen
    assert f"{lost['restarts']} restarts" in screen
    rows = run("simulate", str(path), "--format", "csv").stdout
    assert f"failures,restarts,{lost['restarts']},restarts" in rows
    searched = run("search", str(path), "--prompt-machines", "2:6", "--token-machines", "1:4")
    assert "with failures" in searched.stdout


def test_failures_without_end_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("rate = 5\nduration = 6002\n[failures]\nmtbf = 2\nmttr = 1\n")
    with pytest.raises(InputError) as caught:
        load_scenario(Catalog(), path)
    told = "s.toml:4: a machine fails about 2,001 times in 6002 s"
    assert [str(one).removeprefix(f"{tmp_path}/") for one in caught.value.problems] == [
        f"{told} (at most 2,000: make mtbf longer, or the run shorter)"
    ]
    assert load_scenario(Catalog(), path, {"duration": 6000, "horizon": "window"}).failures
    late = tmp_path / "late.csv"  # it is not when a trace begins that counts, but how long it is
    late.write_text("arrival_s,prompt_tokens,output_tokens\n1e9,5,5\n1000000100,5,5\n")
    path.write_text("trace = 'late.csv'\n[failures]\nmtbf = 2\nmttr = 1\n")
    assert load_scenario(Catalog(), path).failures
