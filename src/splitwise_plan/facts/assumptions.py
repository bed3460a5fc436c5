"""The two named sets of modelling assumptions, as data (`hardware/assumptions/<id>.toml`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Horizon = Literal["steady", "window"]
"""What percentiles and averages are about: `steady` the stationary regime of arrivals that go on
for ever, `window` the requests of one window of time that begins with an empty cluster."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Every rule in which `measured` and `splitwisesim` differ; the file says why."""

    id: str
    token_time: Literal["batch_and_context", "batch_tokens_curve"]
    mixed_iteration: Literal["longer_of_both", "prompt_only"]
    kv_bytes: Literal["kv_heads", "hidden_size"]
    kv_transfer: Literal["auto", "serialized", "layerwise"]
    kv_bandwidth_bytes_per_s: float | None
    """One bandwidth for any pair of machines; None: the slower of the two machines' links."""
    memory: Literal["reserve_whole", "as_it_grows"]
    ageing: Literal["token_phases", "pending_order"]
    long_prompt_cuts: bool
    """Whether a prompt beyond the batch-token limit cuts a token stretch when it arrives."""
    newcomers: Literal["all", "before_waiting_prompts"]
    """Which new token phases may join a batch: all that arrived, or none past a waiting prompt."""
    tbt_denominator: Literal["gaps", "tokens"]
    lengths: Literal["joint", "independent"]
    power_accounting: Literal["watts", "paper"]
    horizon: Horizon
    """Where the scenario does not say, and arrivals are stationary."""
