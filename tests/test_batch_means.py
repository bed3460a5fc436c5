"""Intervals from batches: how often they hold the truth, and what makes them narrower."""

from __future__ import annotations

from math import inf, log, nan

import numpy as np
import pytest

from splitwise_plan.facts.requests import Requests
from splitwise_plan.planner.batch_means import (
    BATCHES,
    Pooled,
    batch_loads,
    batched,
    percentile_interval,
    share_interval,
)
from splitwise_plan.planner.confidence import Interval

ERROR = 0.05
NO_LOADS = np.zeros((3 * BATCHES, 3))


def flat(runs: int) -> np.ndarray:
    """Loads that are as expected, with some scatter that explains nothing."""
    return np.random.default_rng(0).normal(0.0, 0.01, (runs * BATCHES, 3))


def correlated(rng: np.random.Generator, size: int, memory: float) -> np.ndarray:
    """Normal values, each `memory` times the one before and something new."""
    new = rng.normal(0.0, (1.0 - memory**2) ** 0.5, size)
    values = np.empty(size)
    last = rng.normal()
    for at, one in enumerate(new):
        values[at] = last = memory * last + one
    return values


def interval(runs: list[np.ndarray], percentile: float) -> Interval:
    return percentile_interval(Pooled.of(runs), flat(len(runs)), percentile, ERROR)


@pytest.mark.parametrize("percentile", [50.0, 90.0, 99.0])
@pytest.mark.parametrize("memory", [0.0, 0.9])
def test_the_ends_are_wrong_as_often_as_is_said(percentile: float, memory: float) -> None:
    """Dependent requests widen the interval; half as often again may be chance."""
    rng = np.random.default_rng(int(percentile))
    normal = {50.0: 0.0, 90.0: 1.2815515655446004, 99.0: 2.3263478740408408}
    truth, draws = normal[percentile], 200
    found = [
        interval([correlated(rng, 2400, memory) for _ in range(3)], percentile)
        for _ in range(draws)
    ]
    assert sum(one.low > truth for one in found) <= 1.6 * ERROR * draws
    assert sum(one.high < truth for one in found) <= 1.6 * ERROR * draws


def test_the_percentile_of_equal_values_is_that_value() -> None:
    found = interval([np.full(1200, 3.0)] * 2, 99.0)
    assert found == Interval(3.0, 3.0, 3.0)


def test_unfinished_requests_are_beyond_every_limit() -> None:
    values = np.r_[np.ones(990), np.full(210, inf)]
    rng = np.random.default_rng(1)
    found = interval([rng.permutation(values) for _ in range(3)], 90.0)
    assert found.mean == found.high == inf
    assert interval([rng.permutation(values) for _ in range(3)], 50.0).high == 1.0


def test_too_few_values_leave_the_upper_end_open() -> None:
    rng = np.random.default_rng(2)
    found = interval([rng.exponential(size=60) for _ in range(3)], 99.0)
    assert found.high == inf
    assert found.low > 0.0


def test_values_that_there_are_not_count_neither_way() -> None:
    """TBT of requests of one output token."""
    rng = np.random.default_rng(3)
    whole = [rng.exponential(size=2400) for _ in range(3)]
    holes = [np.where(np.arange(2400) % 4 == 0, nan, run) for run in whole]
    found = interval(holes, 90.0)
    assert found.low < -log(0.1) < found.high
    assert len(Pooled.of(holes).ordered) == 3 * 1800


def test_what_the_load_explains_does_not_widen_the_interval() -> None:
    """Batches of a run are slow in proportion to their load, and the loads happen to be high."""
    rng = np.random.default_rng(4)
    loads = rng.normal(0.05, 0.1, (3 * BATCHES, 3))
    shares = np.clip(0.1 + 0.5 * loads[:, 0], 0.0, 1.0)
    runs = [
        np.concatenate([np.arange(1000) < 1000 * share for share in part])
        for part in shares.reshape(3, BATCHES)
    ]
    values = Pooled.of([np.ones(len(run)) for run in runs])
    known = share_interval(runs, values, loads, ERROR)
    blind = share_interval(runs, values, flat(3), ERROR)
    assert known.high - known.low < 0.1 * (blind.high - blind.low)
    assert known.mean == pytest.approx(0.1, abs=0.002)  # of the load that is expected
    assert np.mean(np.concatenate(runs)) > 0.11


def test_a_lone_run_may_be_given_a_wider_interval() -> None:
    values = Pooled.of([np.random.default_rng(5).exponential(size=24_000)])
    usual = percentile_interval(values, flat(1), 90.0, ERROR)
    wider = percentile_interval(values, flat(1), 90.0, ERROR, wider=2.0)
    assert wider.mean == usual.mean
    assert wider.low < usual.low < usual.high < wider.high


def test_loads_of_batches_by_hand() -> None:
    size = 5
    arrival_s = np.arange(1.0 + BATCHES * size)
    tokens = np.arange(1 + BATCHES * size) // size * 10
    loads = batch_loads(Requests(arrival_s, tokens + 1, tokens + 2))
    assert loads.shape == (BATCHES, 3)
    assert np.all(loads[:, 0] == 1.0)  # a request a second
    assert batched(arrival_s)[0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]  # the first is left over
    assert loads[0, 1] == pytest.approx(np.mean(tokens[1:6]) + 1)
