"""From a table of iteration times that can be asked at any point to the curves of a profile.

The profile's token time is g(n) + c (C - 512 n). A sweep over contexts at one sequence may not
give c: alone on many GPUs, a token of context costs three to five times what it does in a batch,
where memory bandwidth decides. So g and c are fitted together, over batches and contexts, in
relative error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.profile import Curve
from splitwise_plan.models.curves import extended
from splitwise_plan.models.fitting import Medians, once, token_fit
from splitwise_plan.models.performance import SWEEP_CONTEXT_TOKENS, context_slope

Floats = NDArray[np.float64]

PROMPTS = (
    *(16, 32, 64, 96, 128, 192, 256, 320, 384, 448, 512, 768, 1024),
    *(1536, 2048, 3072, 4096, 6144, 8192, 16384),
)
SEQUENCES = (1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 256, 320, 384, 512)
CONTEXTS = (128, 256, 512, 1024, 2048, 4096, 8192)

CHECK_PROMPTS = (
    *((1, 24), (1, 100), (1, 200), (1, 400), (1, 900), (1, 1300), (1, 2500), (1, 5000), (1, 7000)),
    *((2, 150), (2, 500), (2, 800), (4, 100), (4, 250), (4, 500), (8, 64), (8, 256)),
)
"""(sequences, prompt tokens of each); several at once only up to the usual limit of a batch."""
CHECK_SEQUENCES = (1, 3, 6, 12, 24, 48, 80, 112, 224, 288, 448)
CHECK_CONTEXTS = (200, 700, 1500, 3000, 6000)


class IterationTimes(Protocol):
    """What can be asked: seconds of one iteration."""

    def prompt_s(self, sequences: int, prompt_tokens: int) -> float:
        """Of `sequences` prompts of `prompt_tokens` each."""

    def token_s(self, sequences: int, context_tokens: int) -> float:
        """Of a token iteration of `sequences` with `context_tokens` of context each."""


class Point(NamedTuple):
    """A point that was not used, as asked and as the curves have it; `phase`: prompt or token."""

    phase: str
    sequences: int
    tokens: int
    asked_s: float
    predicted_s: float

    @property
    def error_percent(self) -> float:
        return 100.0 * (self.predicted_s / self.asked_s - 1.0)


@dataclass(frozen=True, slots=True)
class Derived:
    """The four time curves, and how well they predict points that were not used.

    `alone_slope_s`: what the context sweep of one sequence alone would have given as slope.
    """

    curves: dict[str, Medians]
    checks: tuple[Point, ...]
    slope_s: float
    alone_slope_s: float


def derive(times: IterationTimes, room_tokens: float) -> Derived:
    """Sample `times` and fit; at most `room_tokens` of context are asked for at once."""
    prompt = np.array([times.prompt_s(1, tokens) for tokens in PROMPTS])
    grid = _grid(SEQUENCES, CONTEXTS, room_tokens)
    asked = np.array([times.token_s(n, context) for n, context in grid])
    batch, line = token_fit(np.array(grid), asked)
    slope = context_slope(line.curve)
    x, by_tokens = _by_batch_tokens(np.array(grid), asked)
    curves = {
        "prompt_time": once(np.array(PROMPTS, dtype=np.float64), prompt),
        "token_time_by_batch_tokens": once(x, by_tokens),
        "token_time_by_batch": batch,
        "token_time_by_context": line,
    }
    alone = [(context, s) for (n, context), s in zip(grid, asked, strict=True) if n == 1]
    sweep = np.array(alone, dtype=np.float64)
    return Derived(
        curves,
        _checks(times, curves, slope, room_tokens),
        slope,
        context_slope(Curve(sweep[:, 0], sweep[:, 1])),
    )


def _grid(
    sequences: tuple[int, ...], contexts: tuple[int, ...], room_tokens: float
) -> list[tuple[int, int]]:
    """Pairs that fit into memory; (n, 512) always, so that there is a time for each n."""
    return [
        (n, context)
        for n in sequences
        for context in contexts
        if n * context <= room_tokens or (context == SWEEP_CONTEXT_TOKENS and n == 1)
    ]


def _by_batch_tokens(grid: NDArray[np.int64], asked: Floats) -> tuple[Floats, Floats]:
    """Times over prompt x batch tokens in the two sweeps, as SplitwiseSim would look them up."""
    sweep = (grid[:, 0] == 1) | (grid[:, 1] == SWEEP_CONTEXT_TOKENS)
    tokens = grid[sweep, 0] * grid[sweep, 1]
    x = np.unique(tokens)
    return x.astype(np.float64), np.array([np.median(asked[sweep][tokens == one]) for one in x])


def _checks(
    times: IterationTimes, curves: dict[str, Medians], slope: float, room_tokens: float
) -> tuple[Point, ...]:
    prompt, batch = curves["prompt_time"], curves["token_time_by_batch"]
    found = []
    for n, tokens in CHECK_PROMPTS:
        predicted = float(extended(prompt.x, prompt.y, n * tokens))
        found.append(Point("prompt", n, tokens, times.prompt_s(n, tokens), predicted))
    for n, context in _grid(CHECK_SEQUENCES, CHECK_CONTEXTS, room_tokens):
        predicted = float(extended(batch.x, batch.y, n))
        predicted += slope * n * (context - SWEEP_CONTEXT_TOKENS)
        found.append(Point("token", n, context, times.token_s(n, context), predicted))
    return tuple(found)
