"""Time to move a request's KV cache from its prompt machine to its token machine.

    serialized   p x kv_bytes / bandwidth, after the prompt
    layerwise    layer by layer behind the prompt computation: what is still visible after it is
                 max(constant, serialized - prompt_s(p) (layers - 1) / layers)

`kernel.timing` says the same for a single request, and chooses between them. Patel et al. 2024,
sec. IV-C and Fig. 14. Times in seconds, shaped as `prompt_tokens`; `prompt_s` is how long each
prompt takes alone on its machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splitwise_plan.facts.assumptions import Assumptions
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Link

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KVRoute:
    """The way of a model's KV caches from a prompt machine to a token machine."""

    kv_bytes_per_token: int
    layers: int
    bandwidth_bytes_per_s: float
    layerwise_visible_s: float


def route_between(prompt: Link, token: Link, llm: LLM, assumptions: Assumptions) -> KVRoute:
    """The way between two links, at the assumed bandwidth if there is one."""
    bandwidth_bytes_per_s, layerwise_visible_s = worse_of(prompt, token)
    return KVRoute(
        llm.kv_bytes_per_token(assumptions.kv_bytes),
        llm.layers,
        assumptions.kv_bandwidth_bytes_per_s or bandwidth_bytes_per_s,
        layerwise_visible_s,
    )


def worse_of(a: Link, b: Link) -> tuple[float, float]:
    """The lower bandwidth and the longer visible constant of two links: bytes/s, seconds."""
    return (
        min(a.bandwidth_bytes_per_s, b.bandwidth_bytes_per_s),
        max(a.layerwise_visible_s, b.layerwise_visible_s),
    )


def serialized_s(route: KVRoute, prompt_tokens: ArrayLike) -> Floats:
    """Transfer time of the whole KV cache after the prompt."""
    tokens = np.asarray(prompt_tokens, dtype=np.float64)
    time: Floats = tokens * route.kv_bytes_per_token / route.bandwidth_bytes_per_s
    return time


def layerwise_s(route: KVRoute, prompt_tokens: ArrayLike, prompt_s: ArrayLike) -> Floats:
    """What of a layer-by-layer transfer is visible after the prompt."""
    hidden = np.asarray(prompt_s, dtype=np.float64) * (route.layers - 1) / route.layers
    return np.maximum(route.layerwise_visible_s, serialized_s(route, prompt_tokens) - hidden)
