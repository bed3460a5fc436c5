"""A profile from measurements: what was left out, what looks odd, how well it predicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from splitwise_plan.facts.measurements import Measurements
from splitwise_plan.models.fitting import (
    Medians,
    can_be_fitted,
    has_sweeps,
    power_curves,
    split_batch,
    time_curves,
)
from splitwise_plan.models.validation import Accuracy, accuracy_of, predict

SPREAD = 0.2
"""Repeats of a cell that lie further from their median than this are flagged."""
OFF = 0.15
"""So are cells that the profile without them predicts worse than this."""
MIN_POWER_POINTS = 2


class Flagged(NamedTuple):
    """A cell of the measurements that is not as it should be. `left_out`: not in the profile."""

    prompt_tokens: int
    batch_size: int
    what: str
    left_out: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """The curves of one tensor parallelism.

    `swept`: token times are the medians of sweeps; else they are fitted to all cells. `power`: None
    where none was measured.
    """

    tensor_parallel: int
    rows: Measurements
    curves: dict[str, Medians]
    power: dict[str, Medians] | None
    swept: bool
    flagged: tuple[Flagged, ...]
    accuracy: tuple[Accuracy, ...]


def fit(rows: Measurements, tensor_parallel: int) -> Fit | None:
    """Fit measurements of one LLM, machine and parallelism; None if there are too few of them."""
    used, flagged = _without_split(rows)
    if not can_be_fitted(used):
        return None
    flagged += [*_spread(used), *_far_off(used)]
    power = power_curves(rows)
    enough = all(len(curve.x) >= MIN_POWER_POINTS for curve in power.values())
    return Fit(
        tensor_parallel,
        used,
        time_curves(used),
        power if enough else None,
        has_sweeps(used),
        tuple(flagged),
        tuple(accuracy_of(used)),
    )


def _without_split(rows: Measurements) -> tuple[Measurements, list[Flagged]]:
    """Leave out batches that did not fit into memory and were run in parts."""
    flagged: list[Flagged] = []
    while (largest := split_batch(rows)) is not None:
        what = "faster than half of it: it did not fit into memory and ran in parts"
        of_it = np.unique(rows.prompt_tokens[rows.batch_size == largest])
        flagged += [Flagged(int(tokens), largest, what, left_out=True) for tokens in of_it]
        rows = rows.select(rows.batch_size != largest)
    return rows, flagged


def _spread(rows: Measurements) -> Iterator[Flagged]:
    """Cells whose repeats disagree."""
    for prompt, batch, cell in _cells(rows):
        for name, times in (("prompt", cell.prompt_s), ("token", cell.token_s)):
            median = float(np.median(times))
            apart = float(np.max(np.abs(times - median))) / median
            if apart > SPREAD:
                what = f"{name} times of its {len(times)} runs are up to {100 * apart:.0f} % apart"
                yield Flagged(prompt, batch, what, left_out=False)


def _far_off(rows: Measurements) -> Iterator[Flagged]:
    """Cells that the others predict badly: a fault of the measurement, or of the model there."""
    inside = rows.batch_tokens[(rows.batch_tokens > rows.batch_tokens.min())].max(initial=0)
    for prompt, batch, cell in _cells(rows):
        others = rows.select((rows.prompt_tokens != prompt) | (rows.batch_size != batch))
        at_an_end = prompt * batch in (rows.batch_tokens.min(), inside)
        if at_an_end or not can_be_fitted(others) or has_sweeps(others) != has_sweeps(rows):
            continue
        predicted = predict("measured", others, cell)
        for name, guess, times in zip(
            ("prompt", "token"), predicted, (cell.prompt_s, cell.token_s), strict=True
        ):
            error = float(np.median(guess) / np.median(times)) - 1.0
            if abs(error) > OFF:
                what = f"{name} time is predicted {100 * error:+.0f} % off by the other cells"
                yield Flagged(prompt, batch, what, left_out=False)


def _cells(rows: Measurements) -> Iterator[tuple[int, int, Measurements]]:
    """Prompt tokens, batch size and the runs of each cell."""
    for prompt, batch in np.unique(np.stack([rows.prompt_tokens, rows.batch_size], 1), axis=0):
        chosen = (rows.prompt_tokens == prompt) & (rows.batch_size == batch)
        yield int(prompt), int(batch), rows.select(chosen)
