"""The numbers that a plan rests on, each as a factor that it may be wrong by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from splitwise_plan.facts.capping import split_cap
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.machine import Machine
from splitwise_plan.models import scaling
from splitwise_plan.models.scaling import Factors
from splitwise_plan.planner.space import objective
from splitwise_plan.scenario.scenario import Scenario

Kind = Literal["prompt time", "token time", "transfer time", "load", "price", "power"]
MONEY: tuple[Kind, ...] = ("price", "power")
"""Kinds that no latency depends on."""


@dataclass(frozen=True, slots=True, eq=False)
class Knob:
    """`apply`: the scenario with the number scaled. `value`: the number as it is, in `unit`."""

    kind: Kind
    apply: Callable[[Scenario, float], Scenario]
    machine: Machine | None = None
    """Of a price or a power: the machine, its capped variants included."""
    value: float | None = None
    unit: str = ""

    @property
    def name(self) -> str:
        """`price of dgx-h100`, `token time`"""
        return self.kind if self.machine is None else f"{self.kind} of {self.machine.id}"

    @property
    def is_money(self) -> bool:
        return self.kind in MONEY


def knobs(scenario: Scenario) -> list[Knob]:
    """All that a scenario's plan rests on."""

    def times(asked: Scenario, factor: float, which: str) -> Scenario:
        return scaling.with_times(asked, Factors(**{which: factor}))

    rate = scenario.arrivals.rate_rps
    found = [
        Knob("prompt time", partial(times, which="prompt")),
        Knob("token time", partial(times, which="token")),
        Knob("transfer time", scaling.with_transfer_time),
        Knob("load", scaling.with_load, value=rate, unit="" if rate is None else "rps"),
    ]
    for ids, machine in _bought(scenario):
        scale = partial(_scaled, with_=scaling.with_price, machines=ids)
        found.append(Knob("price", scale, machine, machine.cost_usd_per_hour, "USD/h"))
    for ids, machine in _bought(scenario):
        scale = partial(_scaled, with_=scaling.with_power, machines=ids)
        found.append(Knob("power", scale, machine, machine.provisioned_power_w, "W"))
    return found


def counts(scenario: Scenario, knob: Knob) -> bool:
    """Whether the objective depends on a price or a power at all."""
    scaled = knob.apply(scenario, 2.0)
    return any(
        objective(scenario, Design(space.family, *pools)) != objective(scaled, Design(own, *pools))
        for space, own in zip(scenario.spaces, (one.family for one in scaled.spaces), strict=True)
        for pools in ((1, 0), (1, 0 if space.token_machines is None else 1))
    )


def _scaled(
    scenario: Scenario,
    factor: float,
    with_: Callable[[Scenario, frozenset[str], float], Scenario],
    machines: frozenset[str],
) -> Scenario:
    return with_(scenario, machines, factor)


def _bought(scenario: Scenario) -> Iterator[tuple[frozenset[str], Machine]]:
    """The machine types, each with its capped variants: those have its price and its power."""
    machines = {one.id: one for space in scenario.spaces for one in space.family.machines}
    owner = {name: _uncapped(name, machines) for name in machines}
    for name in dict.fromkeys(owner.values()):
        ids = frozenset(one for one in machines if owner[one] == name)
        yield ids, machines.get(name) or machines[min(ids)]


def _uncapped(name: str, machines: dict[str, Machine]) -> str:
    """The machine that one is a capped variant of, or itself."""
    if (capped := split_cap(name)) is not None:
        name = capped[0]
    return next((one.id for one in machines.values() if name in one.cap_points), name)
