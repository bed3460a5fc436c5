"""Iteration times of an LLM on a machine that nobody measured: an estimate, and marked as one.

    overhead    layers x (layer_s, + sharing_s where several GPUs share the model)
    prompt(B)   overhead + max(floating-point operations / rate, weights / bandwidth)
    token(n, C) overhead + max(operations / rate, (weights + KV cache of C tokens) / bandwidth)

Operations: 2 a parameter and token, and attention 2 x layers x hidden x B^2. Rates are the peaks of
the GPUs of an instance, times the share of them that is usually reached. Parameters are weights
over the bytes of a value. How the GPUs are connected does not count, so machines without a fast
interconnect look better than they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.profile import Curve, Profile
from splitwise_plan.facts.roofline import Roofline
from splitwise_plan.models.performance import SWEEP_CONTEXT_TOKENS
from splitwise_plan.scenario.scenario import Scenario

Floats = NDArray[np.float64]

PROMPTS: Floats = np.logspace(0, 15, 16, base=2.0)
SEQUENCES: Floats = np.concatenate([np.logspace(0, 5, 6, base=2.0), np.arange(64.0, 513.0, 32.0)])
CONTEXTS = np.array([1.0, SWEEP_CONTEXT_TOKENS, 131072.0])


def with_estimates(scenario: Scenario) -> Scenario:
    """`scenario` with an estimate for each machine without a profile, if it asks for those."""
    if scenario.roofline is None:
        return scenario
    profiles = dict(scenario.profiles)
    families = [space.family for space in scenario.spaces]
    instances = [(one, family.tensor_parallel) for family in families for one in family.machines]
    for machine, degree in (*instances, (scenario.reference_machine, scenario.tensor_parallel)):
        if (machine.profile, degree) not in profiles:
            profiles[machine.profile, degree] = estimated_profile(
                machine, scenario.llm, degree, scenario.roofline
            )
    return replace(scenario, profiles=profiles)


def estimated_profile(
    machine: Machine, llm: LLM, tensor_parallel: int, roofline: Roofline
) -> Profile:
    """The curves of an LLM on a machine whose `gpu_flops` and `gpu_bandwidth` are known."""
    if machine.gpu_flops_per_s is None or machine.gpu_bandwidth_bytes_per_s is None:
        raise ValueError(f"{machine.id} has no gpu_flops or gpu_bandwidth")
    rate = tensor_parallel * machine.gpu_flops_per_s * roofline.compute
    bandwidth = tensor_parallel * machine.gpu_bandwidth_bytes_per_s * roofline.bandwidth
    sharing = roofline.sharing_s if tensor_parallel > 1 else 0.0
    overhead = llm.layers * (roofline.layer_s + sharing)
    parameters = llm.weights_bytes / llm.bytes_per_value
    kv_bytes = llm.kv_bytes_per_token("kv_heads")
    width = llm.attention_heads * llm.head_dim

    def prompt(tokens: Floats) -> Floats:
        operations = 2 * parameters * tokens + 2 * llm.layers * width * tokens**2
        return overhead + np.maximum(operations / rate, llm.weights_bytes / bandwidth)

    def token(sequences: Floats, context: Floats) -> Floats:
        read = llm.weights_bytes + kv_bytes * sequences * context
        return overhead + np.maximum(2 * parameters * sequences / rate, read / bandwidth)

    one = np.ones_like(CONTEXTS)
    flat = np.array([1.0, 2.0])
    return Profile(
        machine=machine.profile,
        llm=llm.id,
        tensor_parallel=tensor_parallel,
        prompt_time=Curve(PROMPTS, prompt(PROMPTS)),
        token_time_by_batch_tokens=Curve(PROMPTS, token(np.ones_like(PROMPTS), PROMPTS)),
        token_time_by_batch=Curve(
            SEQUENCES, token(SEQUENCES, np.full_like(SEQUENCES, SWEEP_CONTEXT_TOKENS))
        ),
        token_time_by_context=Curve(CONTEXTS, token(one, CONTEXTS)),
        prompt_power=Curve(flat, np.full(2, roofline.prompt_power)),
        token_power=Curve(flat, np.full(2, roofline.token_power)),
    )
