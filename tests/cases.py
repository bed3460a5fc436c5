"""Random small cases for the kernel, and the two simulators side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import slow_simulator as slow

from splitwise_plan.facts.machine import Link
from splitwise_plan.facts.profile import Curve
from splitwise_plan.facts.requests import Requests
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.lower import (
    TRANSFER_MODES,
    InstanceModel,
    arrival_records,
    build_state,
    lower_models,
    new_rules,
    target_records,
    with_changes,
)
from splitwise_plan.sim.simulator import run_kernel


@dataclass(frozen=True)
class Case:
    """A cluster, its requests and the rules, in words both simulators understand."""

    requests: list[tuple[float, int, int]]
    prompt: list[slow.MachineTimes]
    token: list[slow.MachineTimes]
    baseline: bool
    rules: slow.Rules
    changes: tuple[slow.Change, ...] = ()


def random_machine(rng: np.random.Generator, memory_tokens: float) -> slow.MachineTimes:
    """A machine whose times are irregular, so that no two events tie by accident."""
    prompt_x = [float(x) for x in (1, 300, 1024, 2048, 4096)]
    prompt_y = np.cumsum(rng.uniform(0.01, 0.3, 5))
    token_x = [1.0, 4.0, 16.0, 64.0]
    token_y = 0.03 + np.cumsum(rng.uniform(0.001, 0.03, 4))
    return slow.MachineTimes(
        prompt_x=prompt_x,
        prompt_y=[float(y) for y in prompt_y],
        token_x=token_x,
        token_y=[float(y) for y in token_y],
        context_slope_s=float(rng.choice([0.0, rng.uniform(0, 3e-6)])),
        memory_bytes=1000.0 + float(round(memory_tokens)) * 10.0,
        weights_bytes=1000.0,
        bandwidth_bytes_per_s=float(rng.uniform(1e4, 1e6)),
        layerwise_visible_s=float(rng.uniform(0.001, 0.02)),
    )


def random_case(seed: int) -> Case:
    """Small pools, tight memory, bursts, every option: whatever shakes the rules."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(5, 120))
    prompts = rng.choice([20, 200, 900, 1500, 2500, 4000], count) + rng.integers(0, 400, count)
    outputs = np.maximum(1, rng.geometric(1 / rng.choice([3.0, 20.0, 80.0]), count))
    arrivals = np.cumsum(rng.exponential(rng.choice([0.02, 0.1, 0.5, 2.0]), count))
    largest = float(np.max(prompts + outputs))
    types = [random_machine(rng, largest * rng.choice([1.02, 1.6, 4.0, 40.0])) for _ in range(2)]
    baseline = bool(rng.random() < 0.25)
    return Case(
        requests=[
            (float(a), int(p), int(o)) for a, p, o in zip(arrivals, prompts, outputs, strict=True)
        ],
        prompt=[types[0]] * int(rng.integers(1, 5)),
        token=[] if baseline else [types[1]] * int(rng.integers(1, 4)),
        baseline=baseline,
        rules=slow.Rules(
            kv_bytes=10.0,
            layers=int(rng.integers(2, 80)),
            transfer=str(rng.choice(["serialized", "layerwise", "auto"])),
            token_end=str(rng.choice(["booked_memory", "booked_memory", "pending_tokens"])),
            mixed_return=str(rng.choice(["idle", "idle", "drained"])),
            prompt_queue_limit_tokens=int(rng.choice([2000, 8192])),
            max_batch_size=int(rng.choice([4, 16, 512])),
            max_batch_tokens=int(rng.choice([1000, 2048])),
            max_passes=int(rng.choice([1, 4])),
        ),
    )


def random_changes(rng: np.random.Generator, instances: int, until_s: float) -> list[slow.Change]:
    """Outages of every instance, some with a drain before them, some of all at the same time."""
    changes: list[slow.Change] = []
    mean_s = until_s / float(rng.choice([0.5, 2.0, 6.0]))
    together = bool(rng.random() < 0.3)
    draws = np.random.default_rng(rng.integers(2**32))
    for i in range(instances):
        own = np.random.default_rng(7) if together and i else draws
        now = 0.0
        while now < 2.0 * until_s and len(changes) < 200:
            now += float(own.exponential(mean_s))
            if own.random() < 0.3:
                changes.append((now, i, "drain"))
                now += float(own.exponential(mean_s / 4))
            changes.append((now, i, "down"))
            now += float(own.exponential(mean_s / 3))
            changes.append((now, i, "up"))
    return sorted(changes, key=lambda change: change[0])


def with_outages(case: Case) -> Case:
    """The same with instances that go down and come back."""
    rng = np.random.default_rng(len(case.requests) + round(1e6 * case.requests[-1][0]))
    until_s = case.requests[-1][0] + float(rng.choice([1.0, 20.0]))
    count = len(case.prompt) + len(case.token)
    rules = replace(case.rules, checkpoint_tokens=int(rng.choice([0, 0, 1, 8])))
    return replace(case, rules=rules, changes=tuple(random_changes(rng, count, until_s)))


def instance_model(times: slow.MachineTimes) -> InstanceModel:
    one = Curve(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    return InstanceModel(
        prompt_time=Curve(np.array(times.prompt_x), np.array(times.prompt_y)),
        token_time=Curve(np.array(times.token_x), np.array(times.token_y)),
        context_slope_s=times.context_slope_s,
        prompt_power=one,
        token_power=one,
        memory_bytes=times.memory_bytes,
        link=Link("any", times.bandwidth_bytes_per_s, times.layerwise_visible_s),
    )


def kernel_state(case: Case, **flags: float) -> k.State:
    """The kernel's state for a case, under the rules of `measured` unless `flags` say otherwise."""
    rules = case.rules
    values: dict[str, float] = {
        "weights_bytes": case.prompt[0].weights_bytes,
        "kv_bytes": rules.kv_bytes,
        "layers": rules.layers,
        "mixing_factor": rules.mixing_factor,
        "retry_s": 1.0,
        "transfer": TRANSFER_MODES[rules.transfer],
        "tbt_gaps": 1,
        "prompt_queue_limit_tokens": rules.prompt_queue_limit_tokens,
        "max_batch_size": rules.max_batch_size,
        "max_batch_tokens": rules.max_batch_tokens,
        "max_passes": rules.max_passes,
        "checkpoint_tokens": rules.checkpoint_tokens,
        "baseline": case.baseline,
        "token_end_by_pending": rules.token_end == "pending_tokens",
        "return_when_drained": rules.mixed_return == "drained",
        "reserve_whole": 1,
        "mixed_at_least_token": 1,
    }
    arrival, prompt, output = (np.array(column) for column in zip(*case.requests, strict=True))
    count = len(case.requests)
    models = [instance_model(times) for times in case.prompt[:1] + case.token[:1]]
    state = build_state(
        lower_models(models, new_rules(**{**values, **flags})),
        prompt_instances=len(case.prompt),
        token_instances=len(case.token),
        arrivals=arrival_records(
            Requests(arrival, prompt, output), np.ones(count, bool), np.ones((3, count))
        ),
        targets=target_records(()),
    )
    return with_changes(state, [(t, i, CHANGES[kind]) for t, i, kind in case.changes])


CHANGES = {"down": k.DOWN, "drain": k.DRAIN, "up": k.UP}

SPLITWISESIM_FLAGS: dict[str, float] = {
    "reserve_whole": 0,
    "mixed_at_least_token": 0,
    "pending_order": 1,
    "long_prompt_does_not_cut": 1,
    "stop_behind_prompts": 1,
    "transfer": k.SERIALIZED,
    "tbt_gaps": 0,
}


def run_case(case: Case, **flags: float) -> tuple[k.State, int, float]:
    """Simulate a case with the kernel: (state, reason to stop, time of the last event)."""
    state = kernel_state(case, **flags)
    stop, end_s = run_kernel(state)
    return state, int(stop), float(end_s)


def run_slow(case: Case) -> slow.Result:
    return slow.simulate(
        case.requests, case.prompt, case.token, case.baseline, case.rules, list(case.changes)
    )
