"""A day in parts: how long each lasts, its load at most, and on average."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import cos, pi, sin
from pathlib import Path
from typing import Any

from splitwise_plan.errors import InputError, Problem, raise_if_any
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.scenario.arrivals.keys import DEFAULT_DURATION_S
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.arrivals.shapes import Days, Pieces
from splitwise_plan.scenario.loads.load import load_loads
from splitwise_plan.scenario.loads.schema import Load, LoadSet
from splitwise_plan.scenario.scenario import Scenario

HOURS = 24
"""Parts of a period of a sine."""

DEFAULT_AMPLITUDE = 0.5
HOUR_S = 3600.0


@dataclass(frozen=True, slots=True, eq=False)
class Period:
    """A part of the day. `busiest`: its load at most, which sizes it; `mean`: what it draws."""

    name: str
    hours: float
    busiest: Scenario
    mean: Scenario

    @property
    def rate_rps(self) -> float | None:
        """Mean rate."""
        return self.mean.arrivals.rate_rps


@dataclass(frozen=True, slots=True, eq=False)
class Day:
    """`base`: the scenario as it is, with machines, prices and objective."""

    base: Scenario
    periods: tuple[Period, ...]

    @property
    def hours(self) -> float:
        return sum(period.hours for period in self.periods)

    def loads(self) -> LoadSet:
        """The busiest loads, each once, as one plan must serve them."""
        found = {same_load(one.busiest): Load(one.name, one.busiest) for one in self.periods}
        step = self.base.rate_step_rps
        return LoadSet(self.base, tuple(found.values()), "least", None, step)


def load_day(
    catalog: Catalog,
    path: Path | None,
    overrides: Mapping[str, Any],
    amplitude: float | None = None,
) -> Day:
    """The parts of a day: `[[loads]]` with hours, pieces, or the hours of a sine around the rate.

    `amplitude`: of the sine, as a share of the rate; that of the scenario, or half. Raises
    `InputError`.
    """
    loads = load_loads(catalog, path, overrides, amplitude=amplitude, default=())
    if any(one.hours is not None for one in loads.loads):
        raise_if_any(_problems(loads))
        periods = [
            Period(one.name, one.hours or 0.0, one.scenario, one.scenario) for one in loads.loads
        ]
        return Day(loads.base, tuple(periods))
    return Day(loads.base, tuple(_of_shape(loads.base, loads.amplitude)))


def _problems(loads: LoadSet) -> Iterator[Problem]:
    for one in loads.loads:
        if one.hours is None:
            yield Problem("loads", f"{one.name} has no hours, and others have", "add them")
    if loads.amplitude is not None:
        what = "has no effect: the loads of the scenario make the day"
        yield Problem("amplitude", what, "drop it, or their hours")


def _of_shape(base: Scenario, amplitude: float | None) -> Iterator[Period]:
    """The pieces of the scenario's arrivals, or hours of a sine."""
    arrivals = base.arrivals
    shape, rate = arrivals.shape, arrivals.rate_rps
    if rate is None or (shape is not None and not isinstance(shape, Days | Pieces)):
        what = "a day needs a rate, and arrivals that are diurnal, piecewise or plain"
        raise InputError([Problem("arrivals", what, "or [[loads]] that say their hours")])
    if isinstance(shape, Pieces):
        if amplitude is not None:
            what = "has no effect: the pieces of the scenario make the day"
            raise InputError([Problem("amplitude", what, "drop it")])
        yield from _pieces(base, shape, rate)
        return
    day = shape if isinstance(shape, Days) else Days(DEFAULT_AMPLITUDE, HOURS * HOUR_S)
    swing = day.amplitude if amplitude is None else amplitude
    hours = day.period_s / HOUR_S / HOURS
    for hour in range(HOURS):
        start, end = (1.0 - swing * cos(2 * pi * at / HOURS) for at in (hour, hour + 1))
        mean = 1.0 - swing * _mean_cosine(hour)
        name = f"{_clock(hour * hours)}-{_clock((hour + 1) * hours)}"
        yield Period(name, hours, _at(base, rate * max(start, end)), _at(base, rate * mean))


def _mean_cosine(hour: int) -> float:
    """Mean of the cosine of a turn over one of its hours."""
    turn = 2 * pi / HOURS
    return (sin(turn * (hour + 1)) - sin(turn * hour)) / turn


def _pieces(base: Scenario, shape: Pieces, rate: float) -> Iterator[Period]:
    start = 0.0
    for lasts_s, piece in zip(shape.lasts_s, shape.rates_rps, strict=True):
        end = start + lasts_s / HOUR_S
        asked = _at(base, rate * piece / shape.mean_rps) if piece > 0.0 else None
        if asked is None:
            what = "a piece of the day has no requests at all"
            raise InputError([Problem("piecewise", what, "give every piece a rate above 0")])
        yield Period(f"{_clock(start)}-{_clock(end)}", end - start, asked, asked)
        start = end


def _at(base: Scenario, rate_rps: float) -> Scenario:
    """The scenario at a constant rate; runs of a scenario with a shape are as long as usual."""
    arrivals = base.arrivals
    lasting_s = arrivals.duration_s if arrivals.shape is None else DEFAULT_DURATION_S
    bursty = arrivals.process == "gamma"
    steady = Arrivals(
        "gamma" if bursty else "poisson", round(rate_rps, 9), lasting_s, arrivals.burstiness
    )
    return replace(base, arrivals=steady)


def _clock(hours: float) -> str:
    minutes = round(hours * 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def same_load(scenario: Scenario) -> tuple[object, ...]:
    """What makes two loads the same."""
    workload = scenario.workload.id if scenario.workload else id(scenario.trace)
    return scenario.arrivals, workload, scenario.llm.id
