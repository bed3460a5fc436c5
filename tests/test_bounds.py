"""A design that a bound excludes really misses: the bound against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from questions import Question, random_question
from scenes import BOTH, requests_of, scenario_of

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.models.bounds import (
    can_carry,
    least_iteration_s,
    memory_work,
    prompt_rate,
    prompt_work,
)
from splitwise_plan.models.memory import kv_bytes_per_token, kv_room_bytes
from splitwise_plan.models.performance import PhaseTimes, phase_times
from splitwise_plan.sim.metrics import latencies
from splitwise_plan.sim.simulator import Simulator, instances_of

REACHED_EXACTLY = (1.0,)
ANY = (0.02, 0.1, 0.3, 0.7, 1.0, 3.0, 1e6)
"""Limits as a factor of what some design of the space reaches."""


def times_of(simulator: Simulator, machine_profile: str) -> PhaseTimes:
    scenario = simulator.scenario
    return phase_times(scenario.profiles[machine_profile, 8], scenario.assumptions)


def is_excluded(simulator: Simulator, design: Design) -> bool:
    """What a search does with the bound, for one list of requests."""
    scenario, family = simulator.scenario, design.family
    needed = prompt_work(simulator.requests, simulator.counted, scenario.slos, simulator.alone_s)
    counts = (design.prompt_machines, design.token_machines)
    rates = [
        instances_of(machine, count, design.family.tensor_parallel)
        * prompt_rate(times_of(simulator, machine.profile), scenario.scheduler.mixing_factor)
        for machine, count in zip(family.machines, counts, strict=False)
    ]
    return not can_carry(needed, rates) or is_excluded_by_memory(simulator, design)


def is_excluded_by_memory(simulator: Simulator, design: Design) -> bool:
    scenario, family = simulator.scenario, design.family
    kv_bytes = kv_bytes_per_token(scenario.llm, scenario.assumptions)
    counts = (design.prompt_machines, design.token_machines)
    rooms = [
        instances_of(machine, count, family.tensor_parallel)
        * kv_room_bytes(machine, scenario.llm, family.tensor_parallel)
        / kv_bytes
        for machine, count in zip(family.machines, counts, strict=False)
    ]
    options = scenario.scheduler
    iteration_s = min(
        least_iteration_s(
            times_of(simulator, machine.profile), options.max_batch_size, options.mixing_factor
        )
        for machine in family.machines
    )
    needed = memory_work(
        *(simulator.requests, simulator.counted, scenario.slos, simulator.alone_s), iteration_s
    )
    return not can_carry(needed, rooms)


def assert_sound(question: Question) -> int:
    """Every design excluded, simulated to its end, misses. Returns how many there were."""
    excluded = [d for d in question.designs if is_excluded(question.simulator, d)]
    for design in excluded:
        assert not question.meets(question.simulator.run(design)), design
    return len(excluded)


def assert_keeps_what_meets(seed: int) -> None:
    """Targets set to just what a design reaches: it meets them, so no bound may exclude it."""
    question = random_question(seed)
    for design in question.designs:
        run = question.simulator.run(design)
        asked = question.with_targets(question.targets_near(run, REACHED_EXACTLY))
        if asked.meets(run):
            assert not is_excluded(asked.simulator, design), design


def excluded_of(seed: int) -> int:
    question = random_question(seed)
    some = question.designs[question.rng.integers(len(question.designs))]
    targets = question.targets_near(question.simulator.run(some), ANY)
    return assert_sound(question.with_targets(targets))


def test_excluded_designs_miss() -> None:
    assert sum(excluded_of(seed) for seed in range(300)) > 100


def test_designs_that_meet_are_kept() -> None:
    for seed in range(150):
        assert_keeps_what_meets(seed)


@pytest.mark.verify
@pytest.mark.parametrize("block", range(10))
def test_sound_on_many(block: int) -> None:
    for seed in range(1000 + 500 * block, 1500 + 500 * block):
        excluded_of(seed)
        assert_keeps_what_meets(seed)


@pytest.mark.parametrize("assumptions", BOTH)
@pytest.mark.parametrize("llm", ["bloom-176b", "llama2-70b"])
@pytest.mark.parametrize("machine", ["a100", "h100"])
def test_no_batch_beats_the_rate(assumptions: str, llm: str, machine: str) -> None:
    """Brute force over every batch of up to 40 000 tokens, alone and mixed with token phases."""
    scenario = scenario_of(f"baseline-{machine}", assumptions=assumptions, llm=llm)
    times = phase_times(scenario.profiles[f"dgx-{machine}", 8], scenario.assumptions)
    tokens = np.arange(1, 40_001)
    rate = prompt_rate(times)
    best = np.max(tokens / times.prompt_s(tokens))
    assert best <= rate * (1 + 1e-12)
    assert rate <= 1.2 * best  # and it is not idle talk
    for sequences in (1, 64, 512):
        mixed_s = 1.1 * times.prompt_s(tokens + sequences)
        assert np.all(tokens / mixed_s <= rate)


@pytest.mark.parametrize("assumptions", BOTH)
@pytest.mark.parametrize("machines", [1, 2, 5])
@pytest.mark.parametrize("start_s", [0.0, 12_345.678])
def test_the_bound_is_reached(assumptions: str, machines: int, start_s: float) -> None:
    """All at once, in batches of the best size: the bound is tight, and still excludes nothing."""
    scenario = scenario_of("baseline-a100", assumptions=assumptions)
    times = phase_times(scenario.profiles["dgx-a100", 8], scenario.assumptions)
    best = int(times.prompt_x[np.argmax(times.prompt_x / times.prompt_y)])
    requests = requests_of([(start_s, best, 1)] * 20 * machines)
    design = Design(scenario.spaces[0].family, machines)
    simulator = Simulator.of(scenario, requests)
    slowest = float(latencies(simulator, simulator.run(design)).seconds["ttft"].max())
    for share, excluded in ((1.0, False), (0.999, True)):
        target = SLOTarget("ttft", 100.0, slowest * share, "s")
        asked = Question(np.random.default_rng(0), simulator, [design]).with_targets((target,))
        assert is_excluded(asked.simulator, design) == excluded


@pytest.mark.parametrize("assumptions", BOTH)
@pytest.mark.parametrize("machines", [1, 2])
def test_long_outputs_are_bound_by_memory(assumptions: str, machines: int) -> None:
    """Requests that fill the memory one after the other, and a limit that is kept, or cannot be."""
    scenario = scenario_of("baseline-a100", assumptions=assumptions)
    room = kv_room_bytes(
        scenario.spaces[0].family.prompt_machine, scenario.llm, 8
    ) / kv_bytes_per_token(scenario.llm, scenario.assumptions)
    output = int(0.6 * room)  # two of them do not fit
    requests = requests_of([(0.0, 8, output)] * 3 * machines)
    design = Design(scenario.spaces[0].family, machines)
    simulator = Simulator.of(scenario, requests)
    slowest = float(latencies(simulator, simulator.run(design)).seconds["e2e"].max())
    for share, excluded in ((1.0, False), (0.4, True)):
        target = SLOTarget("e2e", 100.0, slowest * share, "s")
        asked = Question(np.random.default_rng(0), simulator, [design]).with_targets((target,))
        assert is_excluded_by_memory(asked.simulator, design) == excluded
        assert asked.meets(asked.simulator.run(design)) != excluded


@pytest.mark.parametrize("assumptions", BOTH)
@pytest.mark.parametrize("llm", ["bloom-176b", "llama2-70b"])
def test_no_iteration_is_shorter_than_the_least(assumptions: str, llm: str) -> None:
    scenario = scenario_of("baseline-h100", assumptions=assumptions, llm=llm)
    times = phase_times(scenario.profiles["dgx-h100", 8], scenario.assumptions)
    least = least_iteration_s(times, 512, 1.1)
    sequences = np.arange(1, 513)
    assert least <= times.token_s(sequences, 2 * sequences).min()
    assert least <= 1.1 * times.prompt_s(np.arange(1, 40_001)).min() + 1e-15
    assert least > 0.02
