"""How long a prompt iteration and a token iteration take on an instance.

Both assumption sets take prompt time from the profile's medians by prompt tokens in the batch.
Token time of n sequences with C tokens of context in all:

    batch_and_context    g(n) + c (C - 512 n)     g: batch sweep, c: slope of the context sweep
    batch_tokens_curve   t(n)                     t: medians by prompt x batch tokens (SplitwiseSim)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.assumptions import Assumptions
from splitwise_plan.facts.profile import Curve, Profile
from splitwise_plan.facts.requests import Requests
from splitwise_plan.models.curves import extended

Floats = NDArray[np.float64]

SWEEP_CONTEXT_TOKENS = 512
"""Prompt tokens of each sequence in the profile's batch sweep: the context its times include."""


@dataclass(frozen=True, slots=True, eq=False)
class PhaseTimes:
    """Iteration times of one instance, as the arrays the kernel interpolates. Seconds.

    `prompt_x` (tokens), `prompt_y`: (M,). `token_x` (sequences), `token_y`: (K,).
    `context_slope_s`: seconds for each token of context beyond 512 a sequence, >= 0.
    """

    prompt_x: Floats
    prompt_y: Floats
    token_x: Floats
    token_y: Floats
    context_slope_s: float

    def prompt_s(self, batch_tokens: ArrayLike) -> Floats:
        """Time of an iteration over `batch_tokens` prompt tokens."""
        return extended(self.prompt_x, self.prompt_y, batch_tokens)

    def token_s(self, sequences: ArrayLike, context_tokens: ArrayLike) -> Floats:
        """Time of an iteration of `sequences` with `context_tokens` of context in all."""
        n = np.asarray(sequences, dtype=np.float64)
        beyond = np.asarray(context_tokens, dtype=np.float64) - SWEEP_CONTEXT_TOKENS * n
        time: Floats = extended(self.token_x, self.token_y, n) + self.context_slope_s * beyond
        return time


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceTimes:
    """Latencies of each request running alone on the reference machine: seconds, (N,) each."""

    ttft_s: Floats
    tbt_s: Floats
    e2e_s: Floats


def phase_times(profile: Profile, assumptions: Assumptions) -> PhaseTimes:
    """Read the iteration times of `profile` as `assumptions` say."""
    prompt = profile.prompt_time
    if assumptions.token_time == "batch_tokens_curve":
        token, slope = profile.token_time_by_batch_tokens, 0.0
    else:
        token, slope = profile.token_time_by_batch, context_slope(profile.token_time_by_context)
    return PhaseTimes(prompt.x, prompt.y, token.x, token.y, slope)


def require_positive(profile: Profile, times: PhaseTimes, max_batch_size: int) -> None:
    """Raise `InputError` where an iteration of 1 to `max_batch_size` sequences takes no time.

    Contexts are at their shortest then: one prompt token and one output token each.
    """
    sequences = np.arange(1, max_batch_size + 1)
    shortest = times.token_s(sequences, 2 * sequences)
    bad = np.flatnonzero(shortest <= 0.0)
    if len(bad):
        where = f"profile of {profile.llm} on {profile.machine}, TP {profile.tensor_parallel}"
        what = (
            f"{sequences[bad[0]]} sequences of 2 tokens would take {shortest[bad[0]] * 1e3:.3g} ms"
        )
        fix = "measure more batch sizes or contexts, or lower max_batch_size"
        raise InputError([Problem(where, what, fix)])


def context_slope(context_sweep: Curve) -> float:
    """Least-squares slope of a context sweep, seconds a token, not below 0."""
    x = context_sweep.x - context_sweep.x.mean()
    return max(0.0, float(x @ (context_sweep.y - context_sweep.y.mean()) / (x @ x)))


def reference_times(
    requests: Requests, times: PhaseTimes, assumptions: Assumptions
) -> ReferenceTimes:
    """Latencies of each request alone on the machine of `times`: what slowdowns are relative to.

    TTFT = prompt_s(p); TBT = token_s(1, p), for `batch_tokens_curve` the curve at x = p;
    E2E = TTFT + (o - 1) TBT.
    """
    prompt = requests.prompt_tokens.astype(np.float64)
    ttft = times.prompt_s(prompt)
    if assumptions.token_time == "batch_tokens_curve":
        tbt = extended(times.token_x, times.token_y, prompt)
    else:
        tbt = times.token_s(np.ones_like(prompt), prompt)
    return ReferenceTimes(ttft, tbt, ttft + (requests.output_tokens - 1) * tbt)
