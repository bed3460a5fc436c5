"""How well the performance models predict measurements they have not seen.

The paper claims a mean error below 3 % over both phases for its piecewise-linear model in an 80:20
split. Such a split mostly leaves other repeats of the same run in the training set, so whole cells
(prompt, batch) and whole values of prompt x batch tokens are held out as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.measurements import Measurements
from splitwise_plan.models.curves import extended
from splitwise_plan.models.fitting import Medians, can_be_fitted, time_curves
from splitwise_plan.models.performance import SWEEP_CONTEXT_TOKENS, context_slope

Floats = NDArray[np.float64]
Model = Literal["measured", "splitwisesim"]
MODELS: tuple[Model, ...] = ("measured", "splitwisesim")

GROUPS = tuple(
    (llm, hardware)
    for llm in ("bloom-176b", "llama2-70b")
    for hardware in ("a100-80gb", "h100-80gb")
)
"""(LLM, hardware) of the measurements that accuracy is a mean over, at tensor parallelism 8."""
SEEDS = 100
RECORD = "hardware/profiles/validation.csv"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Mean absolute percentage errors of a model on what was held out. Percent."""

    model: str
    held_out: str
    prompt_mape_percent: float
    token_mape_percent: float

    @property
    def mean_percent(self) -> float:
        return (self.prompt_mape_percent + self.token_mape_percent) / 2.0


class _Errors(NamedTuple):
    prompt: Floats
    token: Floats


def validation_table(measurements: Measurements, seeds: int = SEEDS) -> list[Accuracy]:
    """Accuracy of both models for each way of holding out, mean over groups (and seeds)."""
    groups = [measurements.of(llm, hardware, 8) for llm, hardware in GROUPS]
    table = []
    for model in MODELS:
        splits = [_mean(list(_random_splits(model, rows, seeds))) for rows in groups]
        table.append(_accuracy(model, "random_20_percent", splits))
        for held_out, keys in (("cell", _cells), ("batch_tokens", _batch_tokens)):
            left_out = [_mean(list(_leave_out(model, rows, keys(rows)))) for rows in groups]
            table.append(_accuracy(model, held_out, left_out))
        table.append(_accuracy(model, "in_use", [_in_use(model, rows) for rows in groups]))
    return table


def accuracy_of(rows: Measurements, seeds: int = SEEDS) -> list[Accuracy]:
    """Accuracy of the model we plan with on measurements of one LLM on one machine.

    A way of holding out is left out where what remains of the measurements gives no curves.
    """
    found = {
        "random_20_percent": list(_random_splits("measured", rows, seeds)),
        "cell": list(_leave_out("measured", rows, _cells(rows))),
        "batch_tokens": list(_leave_out("measured", rows, _batch_tokens(rows))),
    }
    return [_accuracy("measured", name, [_mean(parts)]) for name, parts in found.items() if parts]


def recorded_validation(catalog: Catalog) -> list[Accuracy]:
    """The table as recorded in `hardware/profiles/validation.csv`."""
    lines = [
        line for line in catalog.recorded_text(RECORD).splitlines() if not line.startswith("#")
    ]
    cells = [line.split(",") for line in lines[1:]]
    return [Accuracy(row[0], row[1], float(row[2]), float(row[3])) for row in cells]


def predict(
    model: Model, train: Measurements, test: Measurements
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Prompt and token times of `test`, seconds, by `model` fitted to `train`."""
    curves = time_curves(train)
    prompt = _at(curves["prompt_time"], test.batch_tokens)
    if model == "splitwisesim":
        return prompt, _at(curves["token_time_by_batch_tokens"], test.batch_tokens)
    slope = context_slope(curves["token_time_by_context"].curve)
    beyond = test.batch_tokens - SWEEP_CONTEXT_TOKENS * test.batch_size
    return prompt, _at(curves["token_time_by_batch"], test.batch_size) + slope * beyond


def _errors(model: Model, train: Measurements, test: Measurements) -> _Errors:
    prompt, token = predict(model, train, test)
    return _Errors(_percent(prompt, test.prompt_s), _percent(token, test.token_s))


def _random_splits(model: Model, rows: Measurements, seeds: int) -> Iterator[_Errors]:
    """Random 80:20 splits, one a seed."""
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(rows))
        held_out = len(rows) // 5
        train = rows.select(order[held_out:])
        if held_out and can_be_fitted(train):
            yield _errors(model, train, rows.select(order[:held_out]))


def _leave_out(model: Model, rows: Measurements, keys: NDArray[np.int64]) -> Iterator[_Errors]:
    """Each group of rows with the same key in turn; key -1 is always kept."""
    for key in np.unique(keys[keys >= 0]):
        train = rows.select(keys != key)
        if can_be_fitted(train):
            yield _errors(model, train, rows.select(keys == key))


def _cells(rows: Measurements) -> NDArray[np.int64]:
    """A number for each (prompt, batch) cell inside its sweep; -1 at the ends of either sweep."""
    prompt, batch = rows.prompt_tokens, rows.batch_size
    inside_prompts = (batch == 1) & (prompt > prompt.min()) & (prompt < prompt.max())
    centre = (batch == 1) & (prompt == SWEEP_CONTEXT_TOKENS)
    inside_batches = (batch > 1) & (batch < batch.max())
    inside = (inside_prompts & ~centre) | inside_batches
    return np.where(inside, prompt * (int(batch.max()) + 1) + batch, -1)


def _batch_tokens(rows: Measurements) -> NDArray[np.int64]:
    """Prompt x batch tokens; -1 for the smallest and the largest value."""
    tokens = rows.batch_tokens
    return np.where((tokens > tokens.min()) & (tokens < tokens.max()), tokens, -1)


def _in_use(model: Model, rows: Measurements) -> _Errors:
    """Token times of the batch sweep as the simulation looks them up: by number of sequences.

    Nothing is held out: this is the error that SplitwiseSim's lookup makes by itself.
    """
    curves = time_curves(rows)
    at = "token_time_by_batch_tokens" if model == "splitwisesim" else "token_time_by_batch"
    sweep = curves["token_time_by_batch"]
    prompt = _percent(_at(curves["prompt_time"], rows.batch_tokens), rows.prompt_s)
    return _Errors(prompt.mean(keepdims=True), _percent(_at(curves[at], sweep.x), sweep.y))


def _at(curve: Medians, x: NDArray[np.int64] | Floats) -> Floats:
    return extended(curve.x, curve.y, x)


def _percent(predicted: Floats, measured: Floats) -> Floats:
    errors: Floats = 100.0 * np.abs(predicted / measured - 1.0)
    return errors


def _mean(parts: Sequence[_Errors]) -> _Errors:
    """The mean error of each part, as arrays of one entry a part."""
    return _Errors(
        np.array([part.prompt.mean() for part in parts]),
        np.array([part.token.mean() for part in parts]),
    )


def _accuracy(model: Model, held_out: str, groups: Sequence[_Errors]) -> Accuracy:
    mean = _mean(groups)
    return Accuracy(model, held_out, float(mean.prompt.mean()), float(mean.token.mean()))
