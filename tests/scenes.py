"""A scenario, its requests and one design: what a run needs, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.requests import Requests
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.sampling import requests_for
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim import simulator
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

BOTH = ("measured", "splitwisesim")
"""The assumption sets."""

Row = tuple[float, int, int]
"""Arrival in seconds, prompt tokens, output tokens."""


def scenario_of(family: str, **keys: Any) -> Scenario:
    """A scenario with one family; `keys` as in a scenario file."""
    return load_scenario(Catalog(), None, {"families": [family], **keys})


def requests_of(rows: Sequence[Row]) -> Requests:
    arrival, prompt, output = zip(*rows, strict=True)
    return Requests(np.array(arrival, float), np.array(prompt, int), np.array(output, int))


@dataclass(frozen=True)
class Scene:
    """A design and the simulator it runs in."""

    simulator: Simulator
    design: Design

    @property
    def requests(self) -> Requests:
        return self.simulator.requests

    def run(self, *, stop_when_missed: bool = False) -> Run:
        return self.simulator.run(self.design, stop_when_missed=stop_when_missed)


def scene(
    family: str, prompt: int, token: int = 0, rows: Sequence[Row] | None = None, **keys: Any
) -> Scene:
    """`prompt` + `token` machines under given requests, or else under those of the scenario."""
    scenario = scenario_of(family, **keys)
    requests = requests_for(scenario, 0) if rows is None else requests_of(rows)
    design = Design(scenario.spaces[0].family, prompt, token)
    return Scene(Simulator.of(scenario, requests), design)


def state_of(one: Scene) -> k.State:
    """The kernel's state as `Simulator.run` hands it over, before anything has happened."""
    states: list[k.State] = []

    def keep(state: k.State, *, outages: bool) -> tuple[int, float]:
        states.append(state)
        return k.DRAINED, 0.0

    with patch.object(simulator, "run_kernel", keep):
        one.run()
    return states[0]
