"""Facts that are those of others, times a factor: what if this number is wrong by so much?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from splitwise_plan.facts.design import FamilySpace
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.profile import Curve, Profile
from splitwise_plan.facts.trace_window import sped_up
from splitwise_plan.models.roofline import with_estimates
from splitwise_plan.scenario.scenario import Scenario

PROMISED = " as promised"
"""Behind the profile id of the reference machine where other times are scaled and its are not."""


@dataclass(frozen=True, slots=True)
class Factors:
    """Prompt time = `prompt` x base + `overhead_s` an iteration; token time = `token` x base."""

    prompt: float = 1.0
    token: float = 1.0
    overhead_s: float = 0.0


def scaled(profile: Profile, factors: Factors) -> Profile:
    """`profile` with its times scaled; power stays."""

    def token(curve: Curve) -> Curve:
        return Curve(curve.x, factors.token * curve.y)

    prompt = profile.prompt_time
    return replace(
        profile,
        prompt_time=Curve(prompt.x, factors.prompt * prompt.y + factors.overhead_s),
        token_time_by_batch_tokens=token(profile.token_time_by_batch_tokens),
        token_time_by_batch=token(profile.token_time_by_batch),
        token_time_by_context=token(profile.token_time_by_context),
    )


def with_times(scenario: Scenario, factors: Factors) -> Scenario:
    """Every machine's times scaled. What slowdowns are relative to stays: limits are promises."""
    scenario = with_estimates(scenario)
    reference, degree = scenario.reference_machine, scenario.tensor_parallel
    fixed = replace(reference, profile=reference.profile + PROMISED)
    profiles = {key: scaled(profile, factors) for key, profile in scenario.profiles.items()}
    profiles[fixed.profile, degree] = scenario.profile(reference, degree)
    return replace(scenario, profiles=profiles, reference_machine=fixed)


def with_transfer_time(scenario: Scenario, factor: float) -> Scenario:
    """KV caches take `factor` times as long, what stays visible of a layer-wise transfer too."""

    def slower(machine: Machine) -> Machine:
        link = replace(
            machine.link,
            bandwidth_bytes_per_s=machine.link.bandwidth_bytes_per_s / factor,
            layerwise_visible_s=machine.link.layerwise_visible_s * factor,
        )
        return replace(machine, link=link)

    assumptions = scenario.assumptions
    if assumptions.kv_bandwidth_bytes_per_s is not None:
        fixed = assumptions.kv_bandwidth_bytes_per_s / factor
        assumptions = replace(assumptions, kv_bandwidth_bytes_per_s=fixed)
    return replace(with_machines(scenario, slower), assumptions=assumptions)


def with_load(scenario: Scenario, factor: float) -> Scenario:
    """The same requests, arriving `factor` times as fast; the warm-up is as much shorter."""
    arrivals = replace(scenario.arrivals, speed=scenario.arrivals.speed * factor)
    trace = scenario.trace
    if trace is not None and arrivals.process == "trace":
        trace = sped_up(trace, factor)
    return replace(scenario, arrivals=arrivals, trace=trace, warm_up_s=scenario.warm_up_s / factor)


def with_price(scenario: Scenario, machines: frozenset[str], factor: float) -> Scenario:
    """The rent of some machines scaled."""

    def dearer(machine: Machine) -> Machine:
        return replace(machine, cost_usd_per_hour=machine.cost_usd_per_hour * factor)

    return with_machines(scenario, dearer, machines)


def with_power(scenario: Scenario, machines: frozenset[str], factor: float) -> Scenario:
    """The power of some machines scaled, provisioned and drawn, and what it costs."""
    names = (
        *("provisioned_power_w", "paper_power", "power_usd_per_hour"),
        *("gpu_tdp_w", "non_gpu_power_w", "idle_power_w"),
    )

    def hungrier(machine: Machine) -> Machine:
        return replace(machine, **{name: getattr(machine, name) * factor for name in names})

    return with_machines(scenario, hungrier, machines)


def with_machines(
    scenario: Scenario, change: Callable[[Machine], Machine], only: frozenset[str] | None = None
) -> Scenario:
    """Machines changed in all families; `only`: those of these ids."""

    def changed(machine: Machine) -> Machine:
        return change(machine) if only is None or machine.id in only else machine

    def of_space(space: FamilySpace) -> FamilySpace:
        family = space.family
        token = family.token_machine
        family = replace(
            family,
            prompt_machine=changed(family.prompt_machine),
            token_machine=changed(token) if token else None,
        )
        return replace(space, family=family)

    return replace(scenario, spaces=tuple(map(of_space, scenario.spaces)))
