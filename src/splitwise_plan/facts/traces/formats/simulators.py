"""Traces of two other simulators, SplitwiseSim and Vidur."""

from __future__ import annotations

from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.formats.base import TableFormat

SPLITWISESIM = TableFormat(
    "splitwisesim", "SplitwiseSim", Names("arrival_timestamp", "prompt_size", "token_size"), "s"
)
VIDUR = TableFormat(
    "vidur", "Vidur", Names("arrived_at", "num_prefill_tokens", "num_decode_tokens"), "s"
)
