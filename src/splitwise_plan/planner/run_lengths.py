"""How long runs in the steady state are: what is dropped, measured, and simulated after that."""

from __future__ import annotations

from splitwise_plan.scenario.arrivals.shapes import Bursts
from splitwise_plan.scenario.scenario import Scenario

UNIT_S, UNIT_REQUESTS, UNIT_CYCLES = 120.0, 8_000, 0.5
"""Lengths of runs are multiples of the longest of these: seconds, requests, cycles of bursts."""

WARM_UP, COOL_DOWN = 1 / 3, 1 / 16
"""Of what is measured: how much more is simulated before and after."""

LONG = 24.0
"""Units of a run that may accept a design: 48 minutes, or 192,000 requests that come slowly."""


def unit_s(scenario: Scenario) -> float:
    """The unit of lengths of runs, in seconds."""
    arrivals = scenario.arrivals
    cycle_s = 0.0
    if isinstance(arrivals.shape, Bursts):
        cycle_s = arrivals.shape.length_s / arrivals.shape.share / arrivals.speed
    return max(UNIT_S, UNIT_REQUESTS / arrivals.mean_rps, UNIT_CYCLES * cycle_s)


def measured_s(scenario: Scenario, units: float = LONG) -> float:
    """What is measured of a run; of a long one as much as is asked for, or more."""
    asked_s = scenario.arrivals.duration_s if units == LONG else 0.0
    return max(units * unit_s(scenario), asked_s)


def warm_up_s(scenario: Scenario, units: float = LONG) -> float:
    """What is dropped of a run before that."""
    return max(WARM_UP * measured_s(scenario, units), scenario.warm_up_s)


def lasting_s(scenario: Scenario, units: float = LONG) -> float:
    """How long requests arrive in a run."""
    return warm_up_s(scenario, units) + (1.0 + COOL_DOWN) * measured_s(scenario, units)


def shortest_s(scenario: Scenario) -> float:
    """About how long a run is that rejects a design: for guesses of how long a search takes."""
    return unit_s(scenario) if scenario.horizon == "steady" else scenario.arrivals.duration_s
