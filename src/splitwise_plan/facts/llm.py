"""A large language model: what of it decides memory and KV-cache sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class LLM:
    """A model's architecture. Sources are in its file, `workloads/llms/<id>.toml`."""

    id: str
    name: str
    layers: int
    hidden_size: int
    attention_heads: int
    kv_heads: int
    head_dim: int
    bytes_per_value: int
    weights_bytes: float

    def kv_bytes_per_token(self, rule: Literal["kv_heads", "hidden_size"]) -> int:
        """Key and value bytes that one token of context holds in all layers.

        `kv_heads`: 2 x layers x kv_heads x head_dim x bytes. `hidden_size`: 2 x layers x hidden x
        bytes, as SplitwiseSim, which overlooks grouped-query attention.
        """
        width = self.hidden_size if rule == "hidden_size" else self.kv_heads * self.head_dim
        return 2 * self.layers * width * self.bytes_per_value
