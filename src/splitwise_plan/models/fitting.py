"""From measurements to the curves of a profile: medians, nothing fitted that was not measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.measurements import Measurements
from splitwise_plan.facts.profile import Curve, Profile
from splitwise_plan.models.performance import SWEEP_CONTEXT_TOKENS

SWEEP_OUTPUT_TOKENS = 128
"""Output tokens of each request in the batch and context sweeps."""


class Medians(NamedTuple):
    """Medians `y` at `x`, and how many measurements are behind each: (M,) each."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    measurements: NDArray[np.int64]

    @property
    def curve(self) -> Curve:
        return Curve(self.x, self.y)


def medians(x: NDArray[np.int64], y: NDArray[np.float64]) -> Medians:
    """Median of `y` for each value of `x`: (R,) each."""
    order = np.argsort(x, kind="stable")
    values, starts = np.unique(x[order], return_index=True)
    groups = np.split(y[order], starts[1:])
    return Medians(
        values.astype(np.float64),
        np.array([np.median(group) for group in groups]),
        np.array([len(group) for group in groups]),
    )


def time_curves(rows: Measurements) -> dict[str, Medians]:
    """The four time curves of one LLM on one machine, seconds."""
    sweep = rows.output_tokens == SWEEP_OUTPUT_TOKENS
    batches = rows.select(sweep & (rows.prompt_tokens == SWEEP_CONTEXT_TOKENS))
    contexts = rows.select(sweep & (rows.batch_size == 1))
    return {
        "prompt_time": medians(rows.batch_tokens, rows.prompt_s),
        "token_time_by_batch_tokens": medians(rows.batch_tokens, rows.token_s),
        "token_time_by_batch": medians(batches.batch_size, batches.token_s),
        "token_time_by_context": medians(contexts.prompt_tokens, contexts.token_s),
    }


def power_curves(rows: Measurements) -> dict[str, Medians]:
    """The two power curves, fractions of GPU TDP; rows without a power measurement are left out.

    Peak power belongs to the prompt phase, average power of a run to its (much longer) token phase.
    """
    rows = rows.select(rows.peak_power > 0)
    batches = rows.select(
        (rows.output_tokens == SWEEP_OUTPUT_TOKENS) & (rows.prompt_tokens == SWEEP_CONTEXT_TOKENS)
    )
    return {
        "prompt_power": medians(rows.batch_tokens, rows.peak_power),
        "token_power": medians(batches.batch_size, batches.average_power),
    }


def split_batch(rows: Measurements) -> int | None:
    """The largest batch, if its prompts took less time than those of the next smaller one.

    Then it did not fit into memory and was run in parts: no time of one iteration.
    """
    sweep = rows.select(rows.prompt_tokens == SWEEP_CONTEXT_TOKENS)
    curve = medians(sweep.batch_size, sweep.prompt_s)
    return int(curve.x[-1]) if curve.y[-1] < curve.y[-2] else None


def borrowed_power(profile: Profile) -> dict[str, Medians]:
    """The power curves of another profile, where none was measured: 0 measurements each."""
    return {
        name: Medians(curve.x, curve.y, np.zeros(len(curve.x), dtype=np.int64))
        for name, curve in (
            ("prompt_power", profile.prompt_power),
            ("token_power", profile.token_power),
        )
    }
