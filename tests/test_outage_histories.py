"""When machines are down: outages that are given, drawn and planned, as changes of instances."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from test_search_exhaustive import small_scenario

from splitwise_plan.facts.design import Design
from splitwise_plan.scenario.failures import Failures, Maintenance, Outage
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.outages import Change, Histories, down_s


def design(prompt: int, token: int) -> Design:
    [space] = small_scenario(families=["splitwise-hh"], machines=None).spaces
    return Design(space.family, prompt, token)


def changes(failures: Failures, of: Design, seeds: tuple[int, int] = (0, 0)) -> list[Change]:
    found = Histories(failures, (100.0, 200.0), seeds).changes(of, (2, 1))
    return [(time_s - 100.0, i, kind) for time_s, i, kind in found]


def test_a_machine_goes_down_with_all_its_instances_and_outages_that_touch_are_one() -> None:
    outages = (
        *(Outage("prompt", 2, 10.0, 20.0), Outage("prompt", 2, 15.0, 30.0)),
        *(Outage("prompt", 2, 30.0, 40.0), Outage("token", 1, 5.0, 6.0)),
        Outage("token", 3, 5.0, 6.0),
    )
    assert changes(Failures(outages=outages), design(2, 2)) == [
        *((5.0, 4, k.DOWN), (6.0, 4, k.UP)),
        *((10.0, 2, k.DOWN), (10.0, 3, k.DOWN), (40.0, 2, k.UP), (40.0, 3, k.UP)),
    ]


def test_maintenance_goes_round_and_drains_before() -> None:
    plan = Maintenance(start_s=50.0, every_s=30.0, for_s=10.0, drain_s=5.0)
    rolling = Failures(maintenance=plan, outages=(Outage("token", 1, 70.0, 77.0),))
    assert changes(rolling, design(1, 1)) == [
        *((45.0, 0, k.DRAIN), (45.0, 1, k.DRAIN), (50.0, 0, k.DOWN), (50.0, 1, k.DOWN)),
        *((60.0, 0, k.UP), (60.0, 1, k.UP)),
        *((70.0, 2, k.DOWN), (77.0, 2, k.DRAIN), (80.0, 2, k.DOWN), (90.0, 2, k.UP)),
    ]


def test_failures_are_drawn_from_the_seeds_for_each_machine_alone() -> None:
    drawn = Failures(mtbf_s=300.0, mttr_s=60.0)
    small, large = changes(drawn, design(1, 1)), changes(drawn, design(2, 1))
    assert [one for one in large if one[1] < 2] == [one for one in small if one[1] < 2]
    assert changes(drawn, design(1, 1)) == small
    assert changes(drawn, design(1, 1), (0, 1)) != small
    assert changes(drawn, design(1, 1), (1, 0)) != small
    many = Histories(drawn, (0.0, 1e5), (0, 0)).changes(design(20, 20), (1, 1))
    for i in (0, 7, 39):
        times = np.diff([time_s for time_s, one, _ in many if one == i])
        for mean_s, part in ((60.0, times[::2]), (300.0, times[1::2])):
            error = mean_s / np.sqrt(len(part))
            assert abs(part.mean() - mean_s) < 4 * error


def test_an_outage_within_another_and_one_that_outlasts_the_one_before() -> None:
    spans = ((1.0, 2.0), (10.0, 40.0), (15.0, 20.0), (30.0, 50.0), (60.0, 61.0))
    outages = tuple(Outage("token", 1, start_s, end_s) for start_s, end_s in spans)
    assert changes(Failures(outages=outages), design(1, 1)) == [
        *((1.0, 2, k.DOWN), (2.0, 2, k.UP)),
        *((10.0, 2, k.DOWN), (50.0, 2, k.UP)),
        *((60.0, 2, k.DOWN), (61.0, 2, k.UP)),
    ]


def test_a_drain_of_a_second_is_one_and_none_is_none() -> None:
    plan = Maintenance(start_s=50.0, every_s=100.0, for_s=10.0, drain_s=1.0)
    ends = [(50.0, 2, k.DOWN), (60.0, 2, k.UP)]
    token = [one for one in changes(Failures(maintenance=plan), design(1, 1)) if one[1] == 2]
    assert token == [(149.0, 2, k.DRAIN), *((100.0 + at, i, kind) for at, i, kind in ends)]
    at_once = Failures(maintenance=replace(plan, drain_s=0.0))
    assert [kind for _, _, kind in changes(at_once, design(1, 1))] == [
        *[k.DOWN] * 2,
        *[k.UP] * 2,
        *(k.DOWN, k.UP),
    ]


def test_failures_begin_within_ten_times_the_span_of_the_arrivals() -> None:
    drawn = Failures(mtbf_s=50.0, mttr_s=5.0)
    found = Histories(drawn, (1000.0, 2000.0), (3, 1)).changes(design(1, 1), (1, 1))
    begins = [time_s for time_s, _, kind in found if kind == k.DOWN]
    assert 9000.0 < max(begins) - 1000.0 < 10_000.0
    short = Histories(drawn, (0.0, 10.0), (3, 1)).changes(design(1, 1), (1, 1))
    assert 3400.0 < max(time_s for time_s, _, kind in short if kind == k.DOWN) < 3600.0


def test_seconds_down_by_hand() -> None:
    """From 1 s to 10 s: within, from before, after, to the end, beyond it, never."""
    rows = [
        *((0.0, 1, k.DOWN), (2.0, 0, k.DOWN), (3.0, 0, k.DRAIN), (4.0, 1, k.UP)),
        *((5.0, 0, k.UP), (8.0, 3, k.DOWN), (11.0, 2, k.DOWN), (11.0, 4, k.DOWN)),
        *((12.0, 2, k.UP),),
    ]
    found = np.array(rows, k.CHANGE).view(np.recarray)
    assert down_s(found, 6, 1.0, 10.0).tolist() == [1.0, 3.0, 0.0, 2.0, 0.0, 0.0]


def test_histories_are_values() -> None:
    one = Histories(Failures(), (0.0, 1.0), (0, 0))
    assert not hasattr(one, "__dict__")
    with pytest.raises(FrozenInstanceError):
        one.seeds = (1, 1)  # type: ignore[misc]
