"""Watts that an instance draws in a prompt iteration, in a token iteration, and idle.

    phase(x) = min(share x provisioned, GPUs x TDP x fraction(x) + share x non-GPU draw)
    idle     = share x the machine's idle draw       share = GPUs of the instance / of the machine

`fraction` is the profile's, of prompt tokens or of sequences in the batch, held beyond the ends of
what was measured. A capped machine never draws more than its cap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.profile import Curve, Profile


@dataclass(frozen=True, slots=True, eq=False)
class InstancePower:
    """Watts of one instance. Both curves are flat beyond their ends, so they may be extended.

    `prompt_w`: over prompt tokens of an iteration. `token_w`: over sequences.
    """

    prompt_w: Curve
    token_w: Curve
    idle_w: float


def instance_power(profile: Profile, machine: Machine, tensor_parallel: int) -> InstancePower:
    """The power of an instance of `tensor_parallel` GPUs of `machine`."""
    share = tensor_parallel / machine.gpus
    gpus_w = tensor_parallel * machine.gpu_tdp_w
    limit_w, other_w = share * machine.provisioned_power_w, share * machine.non_gpu_power_w

    def watts(fraction: Curve) -> Curve:
        y = np.minimum(limit_w, gpus_w * fraction.y + other_w)
        return _flat_ends(Curve(fraction.x, y))

    return InstancePower(
        watts(profile.prompt_power), watts(profile.token_power), share * machine.idle_power_w
    )


def _flat_ends(curve: Curve) -> Curve:
    """`curve` with one more point at each end, of the same height: extended, it stays there."""
    x = np.concatenate([[curve.x[0] - 1.0], curve.x, [curve.x[-1] + 1.0]])
    return Curve(x, np.concatenate([curve.y[:1], curve.y, curve.y[-1:]]))
