"""A day added up: energy, machine-hours and what they cost, for each way to follow the load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from splitwise_plan.facts.design import Design
from splitwise_plan.search.day import DayResult, Hour

WAYS = ("all on", "rest idle", "rest off", "pools switched, rest off")


class Total(NamedTuple):
    """Of a day. `wh`: drawn by the machines. `electricity_usd`: of the site; None: no price given.

    `rent_usd`: if machines that are off are not paid for; `machine_hours`: of those that are paid.
    """

    way: str
    machines: int
    machine_hours: float
    wh: float
    rent_usd: float
    electricity_usd: float | None


def totals(result: DayResult) -> Iterator[Total]:
    """For each way to run the day that there is; nothing where no cluster serves it."""
    cluster, switched = result.cluster, result.switched_machines
    if cluster is None:
        return
    for way in WAYS:
        if way == WAYS[3] and switched is None:
            continue
        paid = [(_paid(way, one, cluster), one.period.hours) for one in result.hours]
        wh = sum(_watts(way, one) * one.period.hours for one in result.hours)
        yield Total(
            way,
            switched if way == WAYS[3] and switched is not None else cluster.machines,
            sum(design.machines * hours for design, hours in paid),
            wh,
            sum(design.rent_usd_per_hour * hours for design, hours in paid),
            _electricity(result, wh),
        )


def switches(result: DayResult) -> int:
    """Parts of the day in which machines in the other pool save some."""
    return sum(one.sized.switched not in (None, one.sized.least) for one in result.hours)


def _paid(way: str, hour: Hour, cluster: Design) -> Design:
    if way == WAYS[3]:
        return hour.sized.switched or cluster
    return hour.sized.least if way == WAYS[2] else cluster


def _watts(way: str, hour: Hour) -> float:
    if way == WAYS[3]:
        return hour.switched_off_w or hour.rest_off_w
    return {WAYS[0]: hour.all_on_w, WAYS[1]: hour.rest_idle_w, WAYS[2]: hour.rest_off_w}[way]


def _electricity(result: DayResult, wh: float) -> float | None:
    energy = result.day.base.tariff.energy
    if energy.price_usd_per_kwh is None:
        return None
    return wh / 1e3 * energy.site_factor * energy.price_usd_per_kwh
