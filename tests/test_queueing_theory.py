"""The kernel against queueing theory: one machine, prompts only, one prompt a batch.

Prompts of more than half the batch limit never share a batch, so a machine that serves requests of
one output token is a single server, first come first served: M/D/1 for one prompt length, M/G/1 for
several. Its mean wait is that of Pollaczek and Khinchine, rate x E[S^2] / (2 (1 - load)), and an
arrival finds it idle with probability 1 - load.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scenes import BOTH, Scene, scene

from splitwise_plan.facts.requests import Requests
from splitwise_plan.models.performance import phase_times
from splitwise_plan.scenario.arrivals.draws import draw_arrivals
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.sim.simulator import Simulator

Floats = NDArray[np.float64]

M_D_1 = (1500,)
M_G_1 = (1030, 1400, 2048)
WARM_UP = 1000
"""Requests left out at the start of a run, which begins idle."""
STANDARD_ERRORS = 4.0


@cache
def machine(assumptions: str) -> Scene:
    return scene("baseline-h100", 1, rows=[(0.0, 1, 1)], assumptions=assumptions)


def service_s(one: Scene, prompts: tuple[int, ...]) -> Floats:
    """Service time of each prompt length."""
    scenario = one.simulator.scenario
    times = phase_times(scenario.profiles["dgx-h100", 8], scenario.assumptions)
    return times.prompt_s(np.array(prompts))


def waits_s(one: Scene, prompts: tuple[int, ...], rate_rps: float, count: int, seed: int) -> Floats:
    """Waits of `count` Poisson arrivals, whose prompt lengths are equally likely."""
    rng = np.random.default_rng(seed)
    arrival = draw_arrivals(Arrivals("poisson", rate_rps, count / rate_rps), rng)
    requests = Requests(
        arrival, rng.choice(prompts, len(arrival)), np.ones(len(arrival), dtype=np.int64)
    )
    run = Simulator.of(one.simulator.scenario, requests).run(one.design)
    waits: Floats = run.requests.prompt_start_s - arrival
    return waits[WARM_UP:]


def assert_is_m_g_1(
    one: Scene, prompts: tuple[int, ...], load: float, count: int, replications: int
) -> None:
    """Mean wait and probability of none, each within four standard errors of the theory."""
    service = service_s(one, prompts)
    rate_rps = load / service.mean()
    waits = [waits_s(one, prompts, rate_rps, count, seed) for seed in range(replications)]
    wait_s = rate_rps * np.mean(service**2) / (2.0 * (1.0 - load))
    assert_within_error([float(w.mean()) for w in waits], float(wait_s))
    assert_within_error([float(np.mean(w == 0.0)) for w in waits], 1.0 - load)


def assert_within_error(means: list[float], theory: float) -> None:
    error = np.std(means, ddof=1) / np.sqrt(len(means))
    assert abs(np.mean(means) - theory) < STANDARD_ERRORS * error
    assert error < 0.05 * theory  # or else the comparison says little


@pytest.mark.parametrize("assumptions", BOTH)
@pytest.mark.parametrize("prompts", [M_D_1, M_G_1], ids=["M/D/1", "M/G/1"])
def test_mean_wait(assumptions: str, prompts: tuple[int, ...]) -> None:
    assert_is_m_g_1(machine(assumptions), prompts, 0.7, count=6000, replications=10)


@pytest.mark.verify
@pytest.mark.parametrize("load", [0.2, 0.5, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("prompts", [M_D_1, M_G_1], ids=["M/D/1", "M/G/1"])
@pytest.mark.parametrize("assumptions", BOTH)
def test_mean_wait_at_length(assumptions: str, prompts: tuple[int, ...], load: float) -> None:
    assert_is_m_g_1(machine(assumptions), prompts, load, count=200_000, replications=20)


@pytest.mark.parametrize("assumptions", BOTH)
def test_busy_time_is_the_work_that_came(assumptions: str) -> None:
    """Utilisation law, exactly: busy seconds = sum of service times."""
    one = machine(assumptions)
    rows = Requests(
        np.linspace(0.0, 60.0, 300), np.resize(np.array(M_G_1), 300), np.ones(300, dtype=np.int64)
    )
    whole = (0.0, np.inf)
    run = Simulator.of(one.simulator.scenario, rows, measured=whole).run(one.design)
    work_s = np.resize(service_s(one, M_G_1), 300).sum()
    assert run.instances.prompt_busy_s[0] == pytest.approx(work_s, rel=1e-9)


@pytest.mark.parametrize("assumptions", BOTH)
def test_many_machines_at_low_load_keep_nobody_waiting(assumptions: str) -> None:
    one = scene("baseline-h100", 40, rate=2, duration=300, assumptions=assumptions)
    run = one.run()
    np.testing.assert_array_equal(run.requests.prompt_start_s, one.requests.arrival_s)


@pytest.mark.parametrize("assumptions", BOTH)
def test_an_overloaded_machine_falls_behind_by_what_it_cannot_serve(assumptions: str) -> None:
    """Beyond saturation departures are one service time apart, whatever arrives."""
    one = machine(assumptions)
    service = float(service_s(one, M_D_1)[0])
    count = 500
    arrival = np.arange(count) * service / 2
    rows = Requests(arrival, np.full(count, M_D_1[0]), np.ones(count, dtype=np.int64))
    run = replace(one, simulator=Simulator.of(one.simulator.scenario, rows)).run()
    departures_s = np.sort(run.requests.first_token_s)  # `splitwisesim`: aged prompts overtake
    np.testing.assert_allclose(np.diff(departures_s), service, rtol=1e-9)
    assert run.end_s == pytest.approx(count * service, rel=1e-9)
