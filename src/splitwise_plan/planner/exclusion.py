"""Designs that need not be simulated, because a bound proves that they miss."""

from __future__ import annotations

from collections.abc import Sequence

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.models.bounds import (
    CAPACITY,
    MEMORY,
    can_carry,
    least_iteration_s,
    memory_work,
    offered_memory_work,
    offered_prompt_work,
    prompt_rate,
    prompt_work,
)
from splitwise_plan.models.memory import kv_bytes_per_token, kv_room_bytes
from splitwise_plan.models.performance import phase_times
from splitwise_plan.models.roofline import with_estimates
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.scenario.sampling import lengths_of
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.simulator import instances_of


def _prompt_work(scenario: Scenario, evaluator: Evaluator) -> float:
    """In the steady state of what arrives; in windows of what every one of the first look needs."""
    if scenario.horizon == "steady":
        return offered_prompt_work(lengths_of(scenario), scenario.arrivals.mean_rps)
    return min(
        prompt_work(s.requests, s.counted, scenario.slos, s.alone_s)
        for s in evaluator.simulators(evaluator.looks[0])
    )


def _memory_work(scenario: Scenario, evaluator: Evaluator, iteration_s: float) -> float:
    """The same of tokens of KV cache."""
    if scenario.horizon == "steady":
        lengths, rate_rps = lengths_of(scenario), scenario.arrivals.mean_rps
        paired = scenario.assumptions.lengths == "joint"
        return offered_memory_work(lengths, rate_rps, iteration_s, paired=paired)
    return min(
        memory_work(s.requests, s.counted, scenario.slos, s.alone_s, iteration_s)
        for s in evaluator.simulators(evaluator.looks[0])
    )


class PromptCapacity:
    """The bound of `models.bounds`, for the designs of one family under an evaluator's load."""

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
        self._needed = _prompt_work(scenario, evaluator) if evaluator else 0.0

    def tokens_per_s(self, design: Design) -> float:
        """Prompt tokens per second that no schedule on a design exceeds."""
        return (
            design.prompt_machines * self._prompt_machine
            + design.token_machines * self._token_machine
        )

    def can_carry(self, design: Design) -> bool:
        """False where a design is proven to miss."""
        return can_carry(self._needed, [self.tokens_per_s(design)])


class MemoryCapacity:
    """The bound of `models.bounds.memory_work`, for the designs of one family."""

    def __init__(self, scenario: Scenario, space: FamilySpace, evaluator: Evaluator) -> None:
        scenario = with_estimates(scenario)
        degree = space.family.tensor_parallel
        kv_bytes = kv_bytes_per_token(scenario.llm, scenario.assumptions)
        options = scenario.scheduler
        rooms, iterations = [0.0, 0.0], []
        for pool, machine in enumerate(space.family.machines):
            times = phase_times(scenario.profile(machine, degree), scenario.assumptions)
            limits = options.max_batch_size, options.mixing_factor
            iterations.append(least_iteration_s(times, *limits))
            room = kv_room_bytes(machine, scenario.llm, degree) / kv_bytes
            rooms[pool] = instances_of(machine, 1, degree) * room
        self._prompt_machine, self._token_machine = rooms
        least = min(iterations)
        self._needed = _memory_work(scenario, evaluator, least)

    def can_carry(self, design: Design) -> bool:
        """False where a design is proven to miss."""
        machines = design.prompt_machines * self._prompt_machine
        return can_carry(self._needed, [machines, design.token_machines * self._token_machine])


class Bounds:
    """The bounds of all the loads that an evaluator judges: one that misses under any is out."""

    def __init__(self, space: FamilySpace, evaluator: Evaluator) -> None:
        self._by_name: dict[str, Sequence[PromptCapacity | MemoryCapacity]] = {
            CAPACITY: [PromptCapacity(one.scenario, space, one) for one in evaluator.parts],
            MEMORY: [MemoryCapacity(one.scenario, space, one) for one in evaluator.parts],
        }

    def excluded_by(self, design: Design) -> str | None:
        """The name of a bound that proves a miss under one of the loads."""
        for name, of_loads in self._by_name.items():
            if not all(bound.can_carry(design) for bound in of_loads):
                return name
        return None

    def can_carry(self, design: Design) -> bool:
        """Whether no bound excludes a design."""
        return self.excluded_by(design) is None
