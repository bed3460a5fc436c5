"""When machines are down: outages that are given, drawn and planned, as changes of instances."""

from __future__ import annotations

import numpy as np
from test_search_exhaustive import small_scenario

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.failures import Failures, Maintenance, Outage
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.outages import Histories


def design(prompt: int, token: int) -> Design:
    [space] = small_scenario(families=["splitwise-hh"], machines=None).spaces
    return Design(space.family, prompt, token)


def changes(failures: Failures, of: Design, seeds: tuple[int, int] = (0, 0)) -> list[object]:
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
    assert [one for one in large if one[1] < 2] == [one for one in small if one[1] < 2]  # type: ignore[index]
    assert changes(drawn, design(1, 1)) == small
    assert changes(drawn, design(1, 1), (0, 1)) != small
    assert changes(drawn, design(1, 1), (1, 0)) != small
    many = Histories(drawn, (0.0, 1e5), (0, 0)).changes(design(20, 20), (1, 1))
    for i in (0, 7, 39):
        times = np.diff([time_s for time_s, one, _ in many if one == i])
        for mean_s, part in ((60.0, times[::2]), (300.0, times[1::2])):
            error = mean_s / np.sqrt(len(part))
            assert abs(part.mean() - mean_s) < 4 * error
