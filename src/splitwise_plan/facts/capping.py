"""Machines under a power cap between two measured ones: `dgx-h100@85%`.

A machine file names the files of the same machine under a cap (`cap_points`). Between two
neighbouring caps everything that a cap changes is taken as linear in it: provisioned power, draw,
price and the profile's curves.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.profile import Curve, Profile

_CAPPED = re.compile(r"(?P<base>.+)@(?P<percent>\d{1,3}(?:\.\d{1,3})?)%", re.ASCII)

_SAME = ("gpus", "gpu_memory_bytes", "gpu_tdp_w", "link")


@dataclass(frozen=True, slots=True)
class Between:
    """Where a cap lies: `weight` of the way from the machine `low` to the machine `high`."""

    low: Machine
    high: Machine
    weight: float


def split_cap(name: str) -> tuple[str, float] | None:
    """`dgx-h100@85%` as its machine and 0.85; None for any other name."""
    match = _CAPPED.fullmatch(name)
    return (match["base"], float(match["percent"]) / 100) if match else None


def with_cap(name: str, level: float | None) -> str:
    """The name of a machine, or a family, under a cap."""
    return name if level is None else f"{name}@{level * 100:.6g}%"


def locate(name: str, level: float, points: Sequence[Machine]) -> Machine | Between:
    """The machine of `points` at a cap, or the two it lies between.

    Raises `InputError` where the cap is outside what the points cover.
    """
    ordered = sorted(points, key=lambda machine: machine.power_cap)
    for machine in ordered:
        if abs(machine.power_cap - level) < 1e-9:
            return machine
    for low, high in itertools.pairwise(ordered):
        if low.power_cap < level < high.power_cap:
            different = [key for key in _SAME if getattr(low, key) != getattr(high, key)]
            if different:
                what = f"{low.id} and {high.id} differ in {', '.join(different)}"
                raise InputError([Problem(name, what, "a cap changes power and time alone")])
            return Between(low, high, (level - low.power_cap) / (high.power_cap - low.power_cap))
    if len(ordered) < 2:
        what, fix = f"{name}: no profile under a cap is known", "see cap_points"
        raise InputError([Problem("machines", what, f"{fix} in hardware/machines/dgx-h100.toml")])
    span = f"{ordered[0].power_cap * 100:g} % to {ordered[-1].power_cap * 100:g} %"
    raise InputError(
        [Problem("machines", f"{name} is outside the caps that were profiled", f"choose {span}")]
    )


def capped_machine(name: str, between: Between) -> Machine:
    """The machine at a cap between two."""
    low, high = between.low, between.high

    def linear(key: str) -> float:
        return _linear(getattr(low, key), getattr(high, key), between.weight)

    return replace(
        high,
        id=name,
        name=f"{high.name} capped at {linear('power_cap') * 100:g} %",
        power_cap=linear("power_cap"),
        provisioned_power_w=linear("provisioned_power_w"),
        paper_power=linear("paper_power"),
        non_gpu_power_w=linear("non_gpu_power_w"),
        idle_power_w=linear("idle_power_w"),
        cost_usd_per_hour=linear("cost_usd_per_hour"),
        power_usd_per_hour=linear("power_usd_per_hour"),
        profile=name,
        cap_points=(),
        between=(low.id, high.id),
    )


def capped_profile(name: str, low: Profile, high: Profile, weight: float) -> Profile:
    """The curves at a cap between two, point by point."""

    def between(key: str) -> Curve:
        return _between(getattr(low, key), getattr(high, key), weight)

    return replace(
        high,
        machine=name,
        prompt_time=between("prompt_time"),
        token_time_by_batch_tokens=between("token_time_by_batch_tokens"),
        token_time_by_batch=between("token_time_by_batch"),
        token_time_by_context=between("token_time_by_context"),
        prompt_power=between("prompt_power"),
        token_power=between("token_power"),
    )


def _between(low: Curve, high: Curve, weight: float) -> Curve:
    x = np.union1d(low.x, high.x)
    y = [_linear(low(float(at)), high(float(at)), weight) for at in x]
    return Curve(x, np.array(y))


def _linear(low: float, high: float, weight: float) -> float:
    return low + weight * (high - low)
