"""The clusters that are timed: 40 and 1,000 machines, at the same load a machine."""

from __future__ import annotations

from dataclasses import dataclass
from time import thread_time

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.requests import Requests
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.sampling import requests_for
from splitwise_plan.sim.simulator import Simulator

ASSUMPTIONS = ("measured", "splitwisesim")


@dataclass(frozen=True)
class Cluster:
    """A Splitwise-HH design and its load."""

    workload: str
    prompt_machines: int
    token_machines: int
    rate_rps: float

    @property
    def name(self) -> str:
        """As a table shows it."""
        machines = self.prompt_machines + self.token_machines
        return f"{machines:,} machines, {self.workload}, {self.rate_rps:,.0f} rps"

    def runner(self, assumptions: str, requests: int) -> Runner:
        """All that a run needs, but for the run."""
        keys = {
            "families": ["splitwise-hh"],
            "workload": self.workload,
            "assumptions": assumptions,
            "rate": self.rate_rps,
            "duration": requests / self.rate_rps,
        }
        scenario = load_scenario(Catalog(), None, keys)
        family = scenario.spaces[0].family
        design = Design(family, self.prompt_machines, self.token_machines)
        return Runner(Simulator.of(scenario, requests_for(scenario, 0)), design)


@dataclass(frozen=True)
class Runner:
    """One run, to be timed."""

    simulator: Simulator
    design: Design

    @property
    def requests(self) -> Requests:
        """What is simulated."""
        return self.simulator.requests

    def seconds(self) -> float:
        """Processor time of one run to its end, records included."""
        start = thread_time()
        self.simulator.run(self.design)
        return thread_time() - start


MIDDLE = (Cluster("coding", 35, 5, 70.0), Cluster("conversation", 25, 15, 70.0))
LARGE = (Cluster("coding", 875, 125, 1750.0), Cluster("conversation", 625, 375, 1750.0))
CLUSTERS = (*MIDDLE, *LARGE)
