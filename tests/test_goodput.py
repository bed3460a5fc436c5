"""Goodput: a share of requests that meet several limits together, counted exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scenes import scene

from splitwise_plan.facts.slo import Attainment, Limit, SLOSet
from splitwise_plan.sim.metrics import Latencies, latencies, value_at
from splitwise_plan.sim.simulator import Simulator
from splitwise_plan.sim.verdict import target_results, verdict

LIMIT_S = 1.0


def goodput(share: float, ttft_s: list[float]) -> float:
    """The goodput value of requests with these TTFTs under a limit of one second."""
    found = Latencies({"ttft": np.array(ttft_s)}, {})
    return value_at(found, Attainment(share, (("ttft", LIMIT_S, "s"),)).target)


@pytest.mark.parametrize(
    ("meeting", "missing", "met"),
    [(9, 1, True), (8, 2, False), (10, 2, False), (18, 2, True), (90, 11, False)],
)
@pytest.mark.parametrize("late_s", [1.0001, 1000.0, np.inf])
def test_ninety_per_cent_is_a_count(meeting: int, missing: int, met: bool, late_s: float) -> None:
    assert (goodput(0.9, [0.5] * meeting + [late_s] * missing) <= 1.0) == met


def test_all_limits_must_be_met_by_the_same_request() -> None:
    ttft, tbt = np.array([0.5, 2.0, 0.5, 0.5]), np.array([0.1, 0.1, 9.0, np.nan])
    found = Latencies({"ttft": ttft, "tbt": tbt}, {})
    both: tuple[Limit, ...] = (("ttft", 1.0, "s"), ("tbt", 1.0, "s"))
    assert value_at(found, Attainment(0.5, both).target) <= 1.0
    assert value_at(found, Attainment(0.51, both).target) > 1.0


def test_an_unreachable_goodput_is_missed() -> None:
    one = scene("splitwise-hh", 2, 2, rate=4, duration=30)
    slos = SLOSet("goodput", (), "dgx-a100", (Attainment(0.99, (("ttft", 1e-6, "s"),)),))
    scenario = replace(one.simulator.scenario, slos=slos)
    simulator = Simulator.of(scenario, one.requests)
    run = simulator.run(one.design)
    found = latencies(simulator, run)
    assert verdict(run, target_results(slos, found), found) == "misses"
