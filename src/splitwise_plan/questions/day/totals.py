"""A day added up: energy, machine-hours and what they cost, for each way to follow the load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from splitwise_plan.facts.design import Design
from splitwise_plan.questions.day.analysis import DayResult, Hour

ON, IDLE, OFF = "all on", "rest idle", "rest off"
SWITCHED = "pools switched, rest idle"
WAYS = (ON, IDLE, OFF, SWITCHED)


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
        machines = switched if way == SWITCHED else cluster.machines
        if machines is None:
            continue
        paid = [_paid(way, one, cluster, machines) for one in result.hours]
        hours = [one.period.hours for one in result.hours]
        wh = sum(
            watts(way, result, one) * lasting
            for one, lasting in zip(result.hours, hours, strict=True)
        )
        yield Total(
            way,
            machines,
            sum(count * lasting for (count, _), lasting in zip(paid, hours, strict=True)),
            wh,
            sum(rent * lasting for (_, rent), lasting in zip(paid, hours, strict=True)),
            _electricity(result, wh),
        )


def switches(result: DayResult) -> bool:
    """Whether machines that change pools save any, in all or in some part of the day."""
    cluster, switched = result.cluster, result.switched_machines
    if cluster is None or switched is None:
        return False
    return switched < cluster.machines or any(
        one.sized.switched != one.sized.least for one in result.hours
    )


def _paid(way: str, hour: Hour, cluster: Design, machines: int) -> tuple[int, float]:
    """Machines that are paid for, and their rent in USD/h."""
    if way == SWITCHED:
        return machines, machines * cluster.family.prompt_machine.cost_usd_per_hour
    design = hour.sized.least if way == OFF else cluster
    return design.machines, design.rent_usd_per_hour


def watts(way: str, result: DayResult, hour: Hour) -> float:
    """What all machines draw in a part of the day; of a switched cluster those it has."""
    switched, most = hour.sized.switched, result.switched_machines
    if way == SWITCHED and switched is not None and most is not None:
        rest = (most - switched.machines) * switched.family.prompt_machine.idle_power_w
        return (hour.switched_off_w or 0.0) + rest
    return {ON: hour.all_on_w, IDLE: hour.rest_idle_w, OFF: hour.rest_off_w}[way]


def _electricity(result: DayResult, wh: float) -> float | None:
    energy = result.day.base.tariff.energy
    if energy.price_usd_per_kwh is None:
        return None
    return wh / 1e3 * energy.site_factor * energy.price_usd_per_kwh
