"""Intervals of percentiles of the steady state, from batches of requests of long runs.

Above the percentile q lies a share 1 - q of all requests. That share is a mean, so its error is
that of a mean of dependent values. Each run is cut into batches of as many requests, in order of
arrival; the shares of the batches are all but normal, and depend on each other little. What
dependence is left widens the interval by their lag-1 autocorrelation, and their skewness bends it,
as in Skart (Tafazzoli and Wilson, IIE Transactions 43, 2011). The interval of the percentile is
what the sorted values have at the ends of the share's (Woodruff, J. Am. Stat. Assoc. 47, 1952).

Much of what a share varies by is the load of its batch: how fast its requests came, and how long
they are. What these are on average is known, so that regression on them takes their part out of
the variance (control variates; Lavenberg and Welch, Management Science 27, 1981).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cbrt, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.requests import Requests
from splitwise_plan.planner.confidence import Interval, t_quantile
from splitwise_plan.sim.metrics import in_order_of_size, interpolated

Floats = NDArray[np.float64]

BATCHES = 12
"""Of each run: a batch then lasts minutes, longer than what most queues remember."""

MOST_CORRELATED = 0.9


def batch_loads(run: Requests) -> Floats:
    """Mean seconds between requests, prompt tokens and output tokens of batches: (BATCHES, 3)."""
    arrival_s = batched(run.arrival_s)
    gap_s = (arrival_s[:, -1] - arrival_s[:, 0]) / max(arrival_s.shape[1] - 1, 1)
    tokens = (batched(of).mean(axis=1) for of in (run.prompt_tokens, run.output_tokens))
    return np.stack([gap_s, *tokens], axis=1)


def batched(run: NDArray[Any]) -> NDArray[Any]:
    """A run's requests in batches of as many, (BATCHES, size); the few left over come first."""
    size = max(len(run) // BATCHES, 1)
    return run[max(len(run) - BATCHES * size, 0) :].reshape(-1, size)


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """Values of runs: each float64 (N,), in order of arrival, and all but nan in order of size.

    `known`: how many of each batch are values, (batches,).
    """

    runs: tuple[Floats, ...]
    ordered: Floats
    known: NDArray[np.int64]

    @classmethod
    def of(cls, runs: Sequence[Floats]) -> Pooled:
        """nan is no value."""
        ordered = in_order_of_size(np.concatenate(runs))
        known = [(~np.isnan(batched(run))).sum(axis=1) for run in runs]
        return cls(tuple(runs), ordered, np.concatenate(known))

    @classmethod
    def together(cls, parts: Sequence[Pooled]) -> Pooled:
        """The runs of several."""
        return parts[0] if len(parts) == 1 else cls.of([run for part in parts for run in part.runs])

    def at(self, share: float) -> float:
        """The value below which a share lies, if there are so many."""
        return inf if share > 1.0 else interpolated(self.ordered, max(share, 0.0))


def percentile_interval(
    values: Pooled, loads: Floats, percentile: float, error: float, wider: float = 1.0
) -> Interval:
    """A percentile (0..100) of values, of which there are some.

    `loads`: of all runs' batches, `batch_loads` over what they are in the long run, less 1. Each
    end is wrong with a probability of `error`, if it were not so many times `wider`; one is
    infinite where requests are unfinished, or too few to tell.
    """
    share = percentile / 100.0
    found = values.at(share)
    above = share_interval([run > found for run in values.runs], values, loads, error, wider)
    here = 1.0 - float(np.searchsorted(values.ordered, found, side="right")) / len(values.ordered)
    return Interval(*(values.at(share + one - here) for one in above))


def share_interval(
    runs: Sequence[NDArray[np.bool_]],
    values: Pooled,
    loads: Floats,
    error: float,
    wider: float = 1.0,
) -> Interval:
    """The share of values of which something is true, under the load of the long run."""
    true = [batched(run).sum(axis=1) for run in runs]
    shares = np.concatenate(true) / np.maximum(values.known, 1)
    count, terms = len(shares), 1 + loads.shape[1]
    if count <= 2 * terms:
        return Interval(float(shares.mean()), 0.0, 1.0)
    regressors = np.column_stack([np.ones(count), loads])
    inverse = np.linalg.pinv(regressors)
    off = shares - regressors @ (inverse @ shares)
    mean = float(inverse[0] @ shares)
    freedom = count - terms
    deviation = sqrt(float(off @ off) / freedom)
    if deviation <= 1e-12:
        return Interval(mean, mean, mean)
    by_run = off.reshape(len(runs), -1)
    correlation = float((by_run[:, 1:] * by_run[:, :-1]).mean()) / (float(off @ off) / count)
    correlation = min(max(correlation, 0.0), MOST_CORRELATED)
    half = wider * deviation * float(np.linalg.norm(inverse[0]))
    half *= sqrt((1.0 + correlation) / (1.0 - correlation))
    skewness = float((off**3).mean()) / deviation**3
    quantile = t_quantile(1.0 - error, freedom)
    low, high = (mean - _bent(end, skewness, count) * half for end in (quantile, -quantile))
    return Interval(*(min(max(end, 0.0), 1.0) for end in (mean, low, high)))


def _bent(quantile: float, skewness: float, count: int) -> float:
    """Willink's quantile: with a long tail to the right the upper end is further off."""
    beta = skewness / (6.0 * sqrt(count))
    if abs(beta) < 1e-9:
        return quantile
    return (cbrt(1.0 + 6.0 * beta * (quantile - beta)) - 1.0) / (2.0 * beta)
