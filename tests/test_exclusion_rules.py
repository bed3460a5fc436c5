"""What bounds exclude: the capacity of a design's machines against given requests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import pytest
from scenes import requests_of, scenario_of

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOSet, SLOTarget
from splitwise_plan.models.bounds import (
    CAPACITY,
    MEMORY,
    least_iteration_s,
    prompt_rate,
)
from splitwise_plan.models.memory import kv_bytes_per_token, kv_room_bytes
from splitwise_plan.models.performance import PhaseTimes, phase_times
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exclusion import Bounds, MemoryCapacity, PromptCapacity
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.simulator import Simulator

HA, H = "splitwise-ha", "baseline-h100"


@dataclass
class Requests:
    """Stands in for an evaluator: lists of requests, the first of which are those of a look."""

    scenario: Scenario
    works: list[Simulator]
    looks: tuple[int, ...] = (2, 3)

    def simulators(self, count: int) -> list[Simulator]:
        return self.works[:count]

    @property
    def parts(self) -> tuple[Evaluator, ...]:
        return (self.evaluator,)

    @property
    def evaluator(self) -> Evaluator:
        return cast("Evaluator", self)


LIMIT_S = 200.0


def bounded(family: str, metric: Literal["ttft", "e2e"], **keys: Any) -> Scenario:
    """A window whose only target is that every request is done after so many seconds."""
    scenario = scenario_of(family, horizon="window", **keys)
    target = SLOTarget(metric, 100.0, LIMIT_S, "s")
    [space] = scenario.spaces
    token = space.family.token_machine
    larger = token and replace(token, gpu_memory_bytes=1.5 * token.gpu_memory_bytes)
    space = replace(space, family=replace(space.family, token_machine=larger))
    return replace(scenario, slos=SLOSet("one", (target,), "dgx-a100"), spaces=(space,))


def at_once(scenario: Scenario, count: int, prompt: int, output: int) -> Simulator:
    return Simulator.of(scenario, requests_of([(0.0, prompt, output)] * count))


def times_of(scenario: Scenario) -> list[PhaseTimes]:
    [space] = scenario.spaces
    degree = space.family.tensor_parallel
    return [
        phase_times(scenario.profile(machine, degree), scenario.assumptions)
        for machine in space.family.machines
    ]


def prompts(scenario: Scenario, tokens_per_s: float) -> Simulator:
    """Requests that need so many prompt tokens per second."""
    return at_once(scenario, 20, round(tokens_per_s * LIMIT_S / 20), 1)


@pytest.mark.parametrize("degree", [4, 8])
def test_prompt_capacity_is_the_sum_over_the_instances(degree: int) -> None:
    scenario = bounded(HA, "ttft", llm="llama2-70b", tensor_parallel=degree)
    [space] = scenario.spaces
    fast, slow = (8 // degree * prompt_rate(times) for times in times_of(scenario))
    capacity = PromptCapacity(scenario, space)
    for prompt, token in ((1, 1), (2, 1), (1, 3), (0, 0)):
        design = Design(space.family, prompt, token)
        assert capacity.tokens_per_s(design) == pytest.approx(prompt * fast + token * slow)
        assert capacity.can_carry(design)  # of no requests


def test_the_least_that_a_replication_of_the_first_look_needs_counts() -> None:
    scenario = bounded(H, "ttft")
    [space] = scenario.spaces
    rate = prompt_rate(times_of(scenario)[0], scenario.scheduler.mixing_factor)
    works = [prompts(scenario, times * rate) for times in (2.5, 1.5, 0.5)]
    stand_in = Requests(scenario, works)
    capacity = PromptCapacity(scenario, space, stand_in.evaluator)
    carried = [capacity.can_carry(Design(space.family, machines)) for machines in (1, 2, 3)]
    assert carried == [False, True, True]


def keeping(scenario: Scenario, tokens: float, iteration_s: float) -> Simulator:
    """Requests whose KV caches fill so many tokens of memory on average until the limit."""
    count, output = 200, round(LIMIT_S / iteration_s / 4) + 1
    each_s = (output - 1) * iteration_s
    return at_once(scenario, count, round(tokens * LIMIT_S / each_s / count) - output, output)


@pytest.mark.parametrize("degree", [4, 8])
def test_memory_capacity(degree: int) -> None:
    """Of two pools with different rooms, whose faster machine sets the least iteration."""
    options = {"scheduler": {"mixing_factor": 1.5, "max_batch_size": 16}}
    scenario = bounded(HA, "e2e", llm="llama2-70b", tensor_parallel=degree, **options)
    [space] = scenario.spaces
    kv_bytes = kv_bytes_per_token(scenario.llm, scenario.assumptions)
    prompt_room, token_room = (
        8 // degree * kv_room_bytes(machine, scenario.llm, degree) / kv_bytes
        for machine in space.family.machines
    )
    assert token_room > 1.4 * prompt_room
    least, other = (least_iteration_s(times, 16, 1.5) for times in times_of(scenario))
    assert least < 0.8 * other
    for prompt, token in ((1, 1), (2, 1), (1, 2), (3, 2)):
        design, room = (
            Design(space.family, prompt, token),
            prompt * prompt_room + token * token_room,
        )
        for share, carried in ((0.999, True), (1.001, False)):
            works = [keeping(scenario, times * room, least) for times in (2.0, share, 0.3)]
            capacity = MemoryCapacity(scenario, space, Requests(scenario, works).evaluator)
            assert capacity.can_carry(design) == carried


@dataclass
class Loads:
    """Stands in for an evaluator of several loads."""

    parts: tuple[Evaluator, ...]

    @property
    def evaluator(self) -> Evaluator:
        return cast("Evaluator", self)


def test_a_design_that_misses_under_any_load_is_out_by_the_first_bound_that_says_so() -> None:
    prompt_bound, memory_bound = (bounded(H, metric) for metric in ("ttft", "e2e"))
    [space] = prompt_bound.spaces
    [times] = times_of(prompt_bound)
    rate = prompt_rate(times, 1.1)
    least = least_iteration_s(times, 512, 1.1)
    room = kv_room_bytes(space.family.prompt_machine, prompt_bound.llm, 8)
    room /= kv_bytes_per_token(prompt_bound.llm, prompt_bound.assumptions)

    def excluded(prompt_load: float, memory_load: float, machines: int) -> str | None:
        both = [
            Requests(prompt_bound, [prompts(prompt_bound, prompt_load * rate)] * 2).evaluator,
            Requests(
                memory_bound, [keeping(memory_bound, memory_load * room, least)] * 2
            ).evaluator,
        ]
        found = [
            Bounds(space, Loads(tuple(order)).evaluator) for order in (both, list(reversed(both)))
        ]
        design = Design(space.family, machines)
        [name] = {bounds.excluded_by(design) for bounds in found}
        assert all(bounds.can_carry(design) == (name is None) for bounds in found)
        return name

    assert excluded(1.5, 0.1, 1) == CAPACITY
    assert excluded(1.5, 0.1, 2) is None
    assert excluded(0.3, 0.5, 1) is None
    assert excluded(0.3, 1.5, 1) == MEMORY
    assert excluded(0.3, 1.5, 2) is None
    assert excluded(1.5, 1.5, 1) == CAPACITY
