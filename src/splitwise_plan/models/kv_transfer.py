"""Time to move a request's KV cache from its prompt machine to its token machine.

    serialized   p x kv_bytes / bandwidth, after the prompt
    layerwise    layer by layer behind the prompt computation: what is still visible after it is
                 max(constant, serialized - prompt_s(p) (layers - 1) / layers)
    auto         the smaller of the two, for each request

Patel et al. 2024, sec. IV-C and Fig. 14. Times in seconds, shaped as `prompt_tokens`; `prompt_s` is
how long each prompt takes alone on its machine.
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
    """The slower bandwidth and the longer constant of two links, or the assumed bandwidth."""
    slower = min(prompt.bandwidth_bytes_per_s, token.bandwidth_bytes_per_s)
    return KVRoute(
        llm.kv_bytes_per_token(assumptions.kv_bytes),
        llm.layers,
        assumptions.kv_bandwidth_bytes_per_s or slower,
        max(prompt.layerwise_visible_s, token.layerwise_visible_s),
    )


def transfer_s(
    assumptions: Assumptions, route: KVRoute, prompt_tokens: ArrayLike, prompt_s: ArrayLike
) -> Floats:
    """Visible transfer time of each request, in the mode of `assumptions`."""
    if assumptions.kv_transfer == "serialized":
        return serialized_s(route, prompt_tokens)
    layerwise = layerwise_s(route, prompt_tokens, prompt_s)
    if assumptions.kv_transfer == "layerwise":
        return layerwise
    return np.minimum(serialized_s(route, prompt_tokens), layerwise)


def serialized_s(route: KVRoute, prompt_tokens: ArrayLike) -> Floats:
    """Transfer time of the whole KV cache after the prompt."""
    tokens = np.asarray(prompt_tokens, dtype=np.float64)
    time: Floats = tokens * route.kv_bytes_per_token / route.bandwidth_bytes_per_s
    return time


def layerwise_s(route: KVRoute, prompt_tokens: ArrayLike, prompt_s: ArrayLike) -> Floats:
    """What of a layer-by-layer transfer is visible after the prompt."""
    hidden = np.asarray(prompt_s, dtype=np.float64) * (route.layers - 1) / route.layers
    return np.maximum(route.layerwise_visible_s, serialized_s(route, prompt_tokens) - hidden)
