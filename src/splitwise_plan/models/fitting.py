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


NOISE = 0.1
"""Two times that differ by less may be the same."""


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
    groups = np.split(y[order], starts[1:]) if len(values) else []
    return Medians(
        values.astype(np.float64),
        np.array([np.median(group) for group in groups]),
        np.array([len(group) for group in groups]),
    )


def time_curves(rows: Measurements) -> dict[str, Medians]:
    """The four time curves of one LLM on one machine, seconds.

    Token times are the medians of the two sweeps that `models.performance` names; where there are
    no such sweeps, they are fitted to all cells (`token_fit`). Needs two batch sizes or more.
    """
    sweep = rows.output_tokens == SWEEP_OUTPUT_TOKENS
    batches = rows.select(sweep & (rows.prompt_tokens == SWEEP_CONTEXT_TOKENS))
    contexts = rows.select(sweep & (rows.batch_size == 1))
    if has_sweeps(rows):
        by_batch = medians(batches.batch_size, batches.token_s)
        by_context = medians(contexts.prompt_tokens, contexts.token_s)
    else:
        by_batch, by_context = token_fit(*_cells(rows))
    return {
        "prompt_time": medians(rows.batch_tokens, rows.prompt_s),
        "token_time_by_batch_tokens": medians(rows.batch_tokens, rows.token_s),
        "token_time_by_batch": by_batch,
        "token_time_by_context": by_context,
    }


def can_be_fitted(rows: Measurements) -> bool:
    """Whether there are two batch sizes and two numbers of prompt tokens in a batch, or more."""
    return all(len(np.unique(values)) > 1 for values in (rows.batch_size, rows.batch_tokens))


def has_sweeps(rows: Measurements) -> bool:
    """Whether batches were swept at 512-token prompts, and contexts at one sequence."""
    sweep = rows.output_tokens == SWEEP_OUTPUT_TOKENS
    batches = rows.batch_size[sweep & (rows.prompt_tokens == SWEEP_CONTEXT_TOKENS)]
    contexts = rows.prompt_tokens[sweep & (rows.batch_size == 1)]
    return len(np.unique(batches)) > 1 and len(np.unique(contexts)) > 1


def token_fit(cells: NDArray[np.int64], token_s: NDArray[np.float64]) -> tuple[Medians, Medians]:
    """g(n), and a line whose slope is c: those of least squared relative error over all cells.

    `cells`: (M, 2), sequences n and context tokens of each; `token_s`: (M,). Linear in g and c,
    so one least-squares solution. Where all contexts are alike, c is 0.
    """
    sequences, which = np.unique(cells[:, 0], return_inverse=True)
    design = np.zeros((len(cells), len(sequences) + 1))
    design[np.arange(len(cells)), which] = 1.0
    design[:, -1] = cells[:, 0] * (cells[:, 1] - SWEEP_CONTEXT_TOKENS)
    scale = np.maximum(np.abs(design).max(axis=0), 1.0)
    weighed = design / scale / token_s[:, None]
    solution = np.linalg.lstsq(weighed, np.ones(len(cells)), rcond=None)[0] / scale
    slope = max(0.0, float(solution[-1])) if len(np.unique(cells[:, 1])) > 1 else 0.0
    if slope != solution[-1]:
        solution = np.linalg.lstsq(weighed[:, :-1], np.ones(len(cells)), rcond=None)[0]
        solution = solution / scale[:-1]
    batch = solution[: len(sequences)].copy()
    batch[-1] = batch[-2:].max()  # g is extended beyond its end, where it must not fall
    ends = [SWEEP_CONTEXT_TOKENS, 2 * SWEEP_CONTEXT_TOKENS]
    contexts = np.unique(np.append(cells[:, 1], ends)).astype(np.float64)
    line = float(batch[0]) + slope * (contexts - SWEEP_CONTEXT_TOKENS)
    return once(sequences.astype(np.float64), batch), once(contexts, line)


def once(x: NDArray[np.float64], y: NDArray[np.float64]) -> Medians:
    """Points of which there is one value each."""
    return Medians(x, y, np.ones(len(x), dtype=np.int64))


def _cells(rows: Measurements) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each (batch, prompt) measured, and its median token time."""
    cells, which = np.unique(
        np.stack([rows.batch_size, rows.prompt_tokens], axis=1), axis=0, return_inverse=True
    )
    times = [float(np.median(rows.token_s[which == cell])) for cell in range(len(cells))]
    return cells, np.array(times)


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

    Then it did not fit into memory and was run in parts: no time of one iteration. Times of short
    prompts hardly grow with the batch, so a little less is not a sign of it.
    """
    sweep = rows.select(rows.prompt_tokens == SWEEP_CONTEXT_TOKENS)
    curve = medians(sweep.batch_size, sweep.prompt_s)
    split = len(curve.x) > 1 and curve.y[-1] < (1.0 - NOISE) * curve.y[-2]
    return int(curve.x[-1]) if split else None


def borrowed_power(profile: Profile) -> dict[str, Medians]:
    """The power curves of another profile, where none was measured: 0 measurements each."""
    return {
        name: Medians(curve.x, curve.y, np.zeros(len(curve.x), dtype=np.int64))
        for name, curve in (
            ("prompt_power", profile.prompt_power),
            ("token_power", profile.token_power),
        )
    }
