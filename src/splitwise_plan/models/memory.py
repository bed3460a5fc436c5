"""Bytes: KV cache of a token, memory of an instance, what a request holds at its largest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.assumptions import Assumptions
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.requests import Requests


def kv_bytes_per_token(llm: LLM, assumptions: Assumptions) -> int:
    """Key and value bytes of one token of context, by the rule of `assumptions`."""
    return llm.kv_bytes_per_token(assumptions.kv_bytes)


def instance_memory_bytes(machine: Machine, tensor_parallel: int) -> float:
    """GPU memory of an instance, weights included."""
    return machine.instance_memory_bytes(tensor_parallel)


def kv_room_bytes(machine: Machine, llm: LLM, tensor_parallel: int) -> float:
    """What an instance has left for KV caches; negative if the weights do not fit."""
    return instance_memory_bytes(machine, tensor_parallel) - llm.weights_bytes


def fits(requests: Requests, room_bytes: float, kv_bytes: int) -> NDArray[np.bool_]:
    """Which requests fit into `room_bytes` alone, with all their (p + o) tokens: bool (N,)."""
    tokens = requests.prompt_tokens + requests.output_tokens
    fitting: NDArray[np.bool_] = tokens * float(kv_bytes) <= room_bytes
    return fitting
