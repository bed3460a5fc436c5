"""What `[[loads]]` and `[growth]` of a scenario may say: several loads that one plan must serve."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from splitwise_plan.facts.quantity import Strict
from splitwise_plan.scenario.arrivals.keys import SHAPES, ArrivalKeys, Rate, Time
from splitwise_plan.scenario.loads.growth import Growth
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.scenario.schema import Id, Speed, TraceWindow

Choose = Literal["least", "regret"]
Name = Annotated[str, Field(min_length=1, max_length=60)]
Factor = Annotated[float, Field(gt=0, le=1000)]
Hours = Annotated[float, Field(gt=0, le=10_000)]
Share = Annotated[float, Field(ge=0, le=1)]

LENGTHS = ("workload", "mix", "trace", "trace_window", "trace_speed")
ARRIVALS = ("arrivals", "burstiness", *SHAPES)
SEEDS = ("seed", "seeds", "max_seeds")


class LoadTable(ArrivalKeys):
    """`[[loads]]`: what of the scenario is different under this load."""

    name: Name
    rate_factor: Factor | None = None
    hours: Hours | None = None
    workload: Id | None = None
    mix: Annotated[dict[Id, Share], Field(min_length=1, max_length=20)] | None = None
    trace: Id | None = None
    trace_window: TraceWindow | None = None
    trace_speed: Speed | None = None
    llm: Id | None = None
    warm_up: Time | None = None


def _day(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


class GrowthTable(Strict):
    """`[growth]`"""

    rate: Name
    start: Annotated[Name, BeforeValidator(_day)] = Field(alias="from")
    rate_step: Rate | None = None


class DayTable(Strict):
    """`[day]`: how far the rate goes up and down in 24 hours."""

    amplitude: Share


class LoadKeys(Strict):
    """The keys of a scenario that are about several loads."""

    loads: Annotated[list[LoadTable], Field(min_length=1, max_length=100)] | None = None
    choose: Choose = "least"
    growth: GrowthTable | None = None
    day: DayTable | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """One load: a scenario with the same machines, prices, SLOs and ranges as the others."""

    name: str
    scenario: Scenario
    hours: float | None = None
    """How much of a day it lasts, where that was said."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadSet:
    """`base`: the scenario as it is without a load. `growth` of its load, if it is known."""

    base: Scenario
    loads: tuple[Load, ...]
    choose: Choose
    growth: Growth | None
    rate_step_rps: float
    """Capacities are multiples of it."""
    amplitude: float | None = None
    """Of the day's sine, where it was said."""
