"""A day: its parts by hand, and the least machines of each part against brute force."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.questions.day.analysis import DayResult, follow
from splitwise_plan.questions.day.periods import Day, load_day
from splitwise_plan.questions.day.totals import totals

SMALL = {"rate": 4, "duration": 110, "horizon": "window", "families": ["splitwise-hh"]}
"""At night 140 requests come in a window, enough for a P99."""

TWO = """
rate = 5
duration = 30
horizon = "window"
families = ["splitwise-hh"]
[[loads]]
name = "code"
hours = 14
[[loads]]
name = "talk"
hours = 10
workload = "conversation"
rate = 7
"""


def of_file(tmp_path: Path, text: str) -> Day:
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    return load_day(Catalog(), path, {})


@cache
def followed() -> DayResult:
    return follow(load_day(Catalog(), None, SMALL, 0.7), 2)


def test_hours_of_a_sine() -> None:
    day = load_day(Catalog(), None, SMALL, 0.7)
    assert len(day.periods) == day.hours == 24
    means = [one.mean.arrivals.rate_rps or 0.0 for one in day.periods]
    most = [one.busiest.arrivals.rate_rps or 0.0 for one in day.periods]
    assert np.mean(means) == pytest.approx(4.0)
    assert max(most) == pytest.approx(4.0 * 1.7)
    time = np.linspace(0, 24, 24 * 600 + 1)
    rate = 4.0 * (1 - 0.7 * np.cos(2 * np.pi * time / 24))
    for hour in range(24):
        within = rate[hour * 600 : (hour + 1) * 600 + 1]
        assert most[hour] == pytest.approx(within.max(), rel=1e-9)
        assert means[hour] == pytest.approx((within[:-1] + within[1:]).mean() / 2, rel=1e-5)
    assert len(day.loads().loads) == 12


def test_pieces_are_the_parts(tmp_path: Path) -> None:
    day = of_file(
        tmp_path,
        "arrivals = 'piecewise'\nfamilies = ['splitwise-hh']\n"
        "piecewise = [{ lasts = { value = 8, unit = 'h' }, rate = 2 },"
        " { lasts = { value = 16, unit = 'h' }, rate = 5 }]\n",
    )
    assert [(one.name, one.hours, one.rate_rps) for one in day.periods] == [
        ("00:00-08:00", 8, 2),
        ("08:00-24:00", 16, 5),
    ]


def test_a_diurnal_scenario_is_its_day(tmp_path: Path) -> None:
    day = of_file(tmp_path, "rate = 5\narrivals = 'diurnal'\ndiurnal = { amplitude = 0.2 }\n")
    rates = [one.busiest.arrivals.rate_rps or 0.0 for one in day.periods]
    assert max(rates) == pytest.approx(6.0)
    assert {one.busiest.arrivals.duration_s for one in day.periods} == {120.0}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rate = 5\narrivals = 'mmpp'\n", "a day needs a rate, and arrivals"),
        (TWO.replace("hours = 10\n", ""), "talk has no hours, and others have"),
        (TWO + "[day]\namplitude = 0.5\n", "the loads of the scenario make the day"),
    ],
)
def test_what_is_no_day(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        of_file(tmp_path, text)


def test_each_part_has_its_least_machines() -> None:
    result = followed()
    cluster = result.cluster
    assert cluster is not None
    family = cluster.family
    seen: dict[object, Evaluator] = {}
    for one in result.hours:
        rate = one.period.busiest.arrivals.rate_rps
        evaluator = seen.setdefault(rate, Evaluator(one.period.busiest))
        assert evaluator.judge(cluster).verdict == "meets"
        assert evaluator.judge(one.sized.least).verdict == "meets"
        fewer = [
            Design(family, p, t)
            for p in range(1, cluster.prompt_machines + 1)
            for t in range(1, cluster.token_machines + 1)
            if p + t < one.sized.least.machines
        ]
        assert not [d for d in fewer if evaluator.judge(d).verdict == "meets"]
        assert one.sized.switched is not None
        assert one.sized.switched.machines <= one.sized.least.machines


def test_what_is_off_draws_nothing_and_idle_something() -> None:
    result = followed()
    all_on, idle, off, switched = totals(result)
    assert off.wh < idle.wh
    assert off.machine_hours < all_on.machine_hours == idle.machine_hours
    cluster = result.cluster
    assert cluster is not None
    assert all_on.machine_hours == 24 * cluster.machines
    assert all_on.rent_usd == pytest.approx(24 * cluster.rent_usd_per_hour)
    assert switched.machines <= cluster.machines
    idle_w = cluster.family.prompt_machine.idle_power_w
    parked = all_on.machine_hours - off.machine_hours
    assert idle.wh - off.wh == pytest.approx(parked * idle_w)
    hours = [one.period.hours for one in result.hours]
    assert all_on.wh == pytest.approx(np.dot(hours, [one.all_on_w for one in result.hours]))


def test_machines_that_change_pools_serve_two_workloads_with_fewer(tmp_path: Path) -> None:
    result = follow(of_file(tmp_path, TWO), 2)
    cluster, switched = result.cluster, result.switched_machines
    assert cluster is not None
    assert switched is not None
    code, talk = (one.sized.switched for one in result.hours)
    assert code is not None
    assert talk is not None
    assert switched == max(code.machines, talk.machines)
    assert switched <= cluster.machines
    assert cluster.prompt_machines >= 1
    for one in result.hours:
        space = [
            Design(cluster.family, p, t)
            for p in range(1, switched)
            for t in range(1, switched)
            if one.sized.switched and p + t < one.sized.switched.machines
        ]
        evaluator = Evaluator(one.period.busiest)
        assert not [d for d in space if evaluator.judge(d).verdict == "meets"]


def test_different_machines_do_not_change_pools() -> None:
    result = follow(load_day(Catalog(), None, {**SMALL, "families": ["splitwise-ha"]}), 2)
    assert result.switched_machines is None
    assert len(list(totals(result))) == 3


def test_no_cluster_for_the_day() -> None:
    keys = {**SMALL, "rate": 60, "prompt_machines": "1:2", "token_machines": "1:2"}
    result = follow(load_day(Catalog(), None, keys), 2)
    assert result.cluster is None
    assert result.hours == ()
    assert list(totals(result)) == []
