"""Designs that need not be simulated, because a bound proves that they miss."""

from __future__ import annotations

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.scenario import FamilySpace, Scenario
from splitwise_plan.models.bounds import can_carry, prompt_rate, prompt_work
from splitwise_plan.models.performance import phase_times
from splitwise_plan.models.roofline import with_estimates
from splitwise_plan.search.evaluate import Evaluator
from splitwise_plan.sim.simulator import instances_of


class PromptCapacity:
    """The bound of `models.bounds`, for the designs of one family on an evaluator's requests."""

    def __init__(
        self, scenario: Scenario, space: FamilySpace, evaluator: Evaluator | None = None
    ) -> None:
        scenario = with_estimates(scenario)
        factor = scenario.scheduler.mixing_factor
        rates = [0.0, 0.0]
        for pool, machine in enumerate(space.family.machines):
            times = phase_times(
                scenario.profile(machine, space.family.tensor_parallel), scenario.assumptions
            )
            instances = instances_of(machine, 1, space.family.tensor_parallel)
            rates[pool] = instances * prompt_rate(times, factor)
        self._prompt_machine, self._token_machine = rates
        simulators = evaluator.simulators(evaluator.looks[0]) if evaluator else []
        self._needed = min(
            (prompt_work(s.requests, s.counted, scenario.slos, s.alone_s) for s in simulators),
            default=0.0,
        )

    def tokens_per_s(self, design: Design) -> float:
        """Prompt tokens per second that no schedule on a design exceeds."""
        return (
            design.prompt_machines * self._prompt_machine
            + design.token_machines * self._token_machine
        )

    def can_carry(self, design: Design) -> bool:
        """False where a design is proven to miss in every replication of the first look."""
        return can_carry(self._needed, [self.tokens_per_s(design)])


class Bounds:
    """The bounds of all the loads that an evaluator judges: one that misses under any is out."""

    def __init__(self, space: FamilySpace, evaluator: Evaluator) -> None:
        self._of_loads = [PromptCapacity(one.scenario, space, one) for one in evaluator.parts]

    def can_carry(self, design: Design) -> bool:
        """False where a design is proven to miss in every replication of a load's first look."""
        return all(bound.can_carry(design) for bound in self._of_loads)
