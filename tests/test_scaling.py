"""Scaled facts: only what is named changes, by exactly the factor."""

from __future__ import annotations

import numpy as np
import pytest

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.models import scaling
from splitwise_plan.models.kv_transfer import route_between, serialized_s
from splitwise_plan.models.scaling import Factors
from splitwise_plan.planner.fingerprint import fingerprint
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.sampling import requests_for
from splitwise_plan.sim.simulator import Simulator

SMALL = {
    "rate": 5,
    "duration": 30,
    "horizon": "window",
    "families": ["splitwise-ha", "splitwise-hhcap"],
}
SCENARIO = load_scenario(Catalog(), None, SMALL)


@pytest.mark.parametrize("arrivals", ["poisson", "gamma", "diurnal", "mmpp"])
@pytest.mark.parametrize("factor", [0.37, 1.0, 1.01, 2.0])
def test_a_load_is_the_same_requests_faster(arrivals: str, factor: float) -> None:
    keys = {**SMALL, "arrivals": arrivals}
    if arrivals == "diurnal":
        keys["diurnal"] = {"period": 30}
    scenario = load_scenario(Catalog(), None, keys)
    before = requests_for(scenario, 1)
    after = requests_for(scaling.with_load(scenario, factor), 1)
    assert np.allclose(after.arrival_s * factor, before.arrival_s, rtol=1e-12)
    assert np.array_equal(after.prompt_tokens, before.prompt_tokens)
    assert np.array_equal(after.output_tokens, before.output_tokens)


def test_limits_stay_where_times_are_scaled() -> None:
    scaled = scaling.with_times(SCENARIO, Factors(prompt=2.0, token=3.0))
    requests = requests_for(SCENARIO, 0)
    before, after = (Simulator.of(one, requests) for one in (SCENARIO, scaled))
    assert np.array_equal(before.alone_s, after.alone_s)
    machine = SCENARIO.spaces[0].family.prompt_machine
    own, other = (one.profile(machine, 8) for one in (SCENARIO, scaled))
    assert np.array_equal(2.0 * own.prompt_time.y, other.prompt_time.y)
    for name in ("token_time_by_batch", "token_time_by_context", "token_time_by_batch_tokens"):
        assert np.array_equal(3.0 * getattr(own, name).y, getattr(other, name).y)
    assert np.array_equal(own.prompt_power.y, other.prompt_power.y)


def test_a_transfer_takes_as_much_longer() -> None:
    scaled = scaling.with_transfer_time(SCENARIO, 3.0)
    routes = [
        route_between(
            one.spaces[0].family.machines[0].link,
            one.spaces[0].family.machines[1].link,
            one.llm,
            one.assumptions,
        )
        for one in (SCENARIO, scaled)
    ]
    times = [serialized_s(route, 1000.0) for route in routes]
    assert times[1] == pytest.approx(3.0 * times[0])
    assert routes[1].layerwise_visible_s == pytest.approx(3.0 * routes[0].layerwise_visible_s)


def test_a_fixed_bandwidth_is_scaled_too() -> None:
    scenario = load_scenario(Catalog(), None, {**SMALL, "assumptions": "splitwisesim"})
    fixed = scenario.assumptions.kv_bandwidth_bytes_per_s
    assert fixed is not None
    scaled = scaling.with_transfer_time(scenario, 2.0)
    assert scaled.assumptions.kv_bandwidth_bytes_per_s == pytest.approx(fixed / 2)


def test_a_price_is_that_of_the_machines_named() -> None:
    scaled = scaling.with_price(SCENARIO, frozenset({"dgx-a100"}), 2.0)
    before, after = (
        [m.cost_usd_per_hour for s in one.spaces for m in s.family.machines]
        for one in (SCENARIO, scaled)
    )
    assert after == [before[0], 2 * before[1], *before[2:]]


def test_a_factor_of_one_changes_no_run() -> None:
    requests = requests_for(SCENARIO, 0)
    for scaled in (
        scaling.with_times(SCENARIO, Factors()),
        scaling.with_transfer_time(SCENARIO, 1.0),
        scaling.with_load(SCENARIO, 1.0),
        scaling.with_power(SCENARIO, frozenset({"dgx-h100"}), 1.0),
    ):
        simulators = [Simulator.of(one, requests) for one in (SCENARIO, scaled)]
        for space in SCENARIO.spaces:
            name = space.family.id
            tables = [one.families[name].tables for one in simulators]
            assert np.array_equal(tables[0], tables[1])
    assert fingerprint(scaling.with_load(SCENARIO, 1.0)) == fingerprint(SCENARIO)
