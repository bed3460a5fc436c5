"""One machine of a stack: iteration times, transfer, power, as the simulator has them."""

from __future__ import annotations

from dataclasses import dataclass

from splitwise_paper.study import Stack, Study
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.profile import Profile
from splitwise_plan.models.kv_transfer import KVRoute, route_between
from splitwise_plan.models.performance import PhaseTimes, phase_times
from splitwise_plan.models.power import InstancePower, instance_power
from splitwise_plan.scenario.scenario import Scenario

A100, H100, CAPPED = "dgx-a100", "dgx-h100", "dgx-h100-cap70"
NAMES = {A100: "A100", H100: "H100", CAPPED: "H100 capped at 70 %"}


@dataclass(frozen=True, slots=True)
class Placed:
    """A machine and the LLM of a scenario on it."""

    scenario: Scenario
    machine: Machine

    @property
    def profile(self) -> Profile:
        return self.scenario.profile(self.machine, self.scenario.tensor_parallel)

    @property
    def times(self) -> PhaseTimes:
        return phase_times(self.profile, self.scenario.assumptions)

    @property
    def power(self) -> InstancePower:
        return instance_power(self.profile, self.machine, self.scenario.tensor_parallel)

    @property
    def route(self) -> KVRoute:
        """From a machine of this type to another one."""
        link = self.machine.link
        return route_between(link, link, self.scenario.llm, self.scenario.assumptions)

    @property
    def provisioned_power(self) -> float:
        """Watts, or the paper's units where the assumptions count in those."""
        paper = self.scenario.assumptions.power_accounting == "paper"
        return self.machine.paper_power if paper else self.machine.provisioned_power_w


def placed(study: Study, stack: Stack, machine: str, **keys: str) -> Placed:
    """A machine of the paper's families in a scenario of a stack."""
    scenario = study.scenario(stack, **keys)
    found = next(
        one for space in scenario.spaces for one in space.family.machines if one.id == machine
    )
    return Placed(scenario, found)
