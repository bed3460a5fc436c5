"""A latency and power profile of one LLM on one machine: medians of measurements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curve:
    """Medians `y` at strictly increasing `x`; linear between, and beyond the ends."""

    x: Floats
    y: Floats

    def __call__(self, at: float) -> float:
        """Value at `at`, extrapolating linearly through the outermost two points."""
        if len(self.x) == 1:
            return float(self.y[0])
        right = int(np.clip(np.searchsorted(self.x, at), 1, len(self.x) - 1))
        slope = (self.y[right] - self.y[right - 1]) / (self.x[right] - self.x[right - 1])
        return float(self.y[right - 1] + slope * (at - self.x[right - 1]))


@dataclass(frozen=True, slots=True)
class Profile:
    """Curves of one (machine, LLM, tensor parallelism). Times in seconds, power as TDP fraction.

    `prompt_time`, `token_time_by_batch_tokens`: x = prompt tokens x batch size, all measurements.
    `token_time_by_batch`: x = sequences, 512-token prompts. `token_time_by_context`: x = prompt
    tokens, one sequence; both at 128 output tokens.
    `prompt_power`: x = prompt tokens x batch size. `token_power`: x = sequences.
    """

    machine: str
    llm: str
    tensor_parallel: int
    prompt_time: Curve
    token_time_by_batch_tokens: Curve
    token_time_by_batch: Curve
    token_time_by_context: Curve
    prompt_power: Curve
    token_power: Curve
