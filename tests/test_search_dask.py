"""On Dask workers: a real scheduler and two worker processes give the bytes of one process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from commands import run
from sampled_searches import answer, question, told

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.planner.capacity import maximize_rate
from splitwise_plan.planner.driver import Cluster, in_order, threads
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.figure_data import figure_data
from splitwise_plan.planner.sweep import sweep_map
from splitwise_plan.questions.pareto.analysis import pareto
from splitwise_plan.scenario.load import load_scenario

distributed = pytest.importorskip("distributed", reason="needs the extra [dask]")

pytestmark = pytest.mark.filterwarnings("ignore")  # of libraries, at connecting and closing


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """On 127.0.0.1, at ports the system chooses."""
    local = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        scheduler_port=0,
        dashboard_address=None,
    )
    with local, Cluster(local.scheduler_address) as opened:
        yield opened


def slow(number: int) -> tuple[int, int]:
    import os
    import time

    time.sleep(0.05 * (number % 3))
    return number, os.getpid()


def test_results_come_in_the_order_asked_from_two_processes(cluster: Cluster) -> None:
    import os

    assert threads(cluster) == 2
    results = list(in_order(slow, range(30), cluster))
    assert [number for number, _ in results] == [*range(30)]
    workers = {process for _, process in results}
    assert len(workers) == 2
    assert os.getpid() not in workers


def test_the_exhaustive_search_gives_the_same_bytes(cluster: Cluster) -> None:
    scenario = question()
    assert told(search(scenario, cluster)) == told(search(scenario, 1))


@pytest.mark.verify
def test_the_sampled_search_gives_the_same_bytes(cluster: Cluster) -> None:
    assert told(answer(None, cluster)) == told(answer(None, 1))


@pytest.mark.verify
def test_the_search_for_a_rate_gives_the_same_bytes(cluster: Cluster) -> None:
    asked: dict[str, Any] = {"maximize": "throughput", "cost_budget": "6xdgx-h100"}
    scenario = load_scenario(
        Catalog(),
        None,
        {"families": ["splitwise-hh"], "duration": 60, "horizon": "window", "seeds": 2, **asked},
    )
    assert told(maximize_rate(scenario, cluster)) == told(maximize_rate(scenario, 1))


@pytest.mark.verify
def test_the_front_gives_the_same_bytes(cluster: Cluster) -> None:
    small = {"machines": "1:4", "prompt_machines": "1:3", "token_machines": "1:2"}
    scenario = replace(question(**small), rate_step_rps=2.0)
    assert told(pareto(scenario, cluster, "exhaustive")) == told(pareto(scenario, 1, "exhaustive"))


@pytest.mark.verify
def test_the_sweeps_and_the_closer_look_give_the_same_bytes(cluster: Cluster) -> None:
    ranges = {"machines": "1:6", "prompt_machines": "1:4", "token_machines": "1:2"}
    families = ["splitwise-hh", "baseline-h100"]
    scenario = question(families=families, rate=6, duration=40, **ranges)
    space = scenario.spaces[0]
    assert repr(sweep_map(scenario, space, cluster)) == repr(sweep_map(scenario, space, 1))
    result = search(scenario, 1)
    looks = [figure_data(scenario, result, jobs) for jobs in (cluster, 1)]
    assert looks[0].load is not None
    assert repr(looks[0]) == repr(looks[1])


def test_a_sweep_on_a_scheduler_prints_what_it_prints_here(cluster: Cluster) -> None:
    asked = ("--designs", "2+1,3+1", "--rates", "4,6", "--duration", "40",
             "--horizon", "window", "--format", "csv")  # fmt: skip
    address = cluster.client.scheduler.address
    there = run("sweep", "load", *asked, "--dask", address)
    assert there.exit_code == 0
    assert there.stdout == run("sweep", "load", *asked).stdout
