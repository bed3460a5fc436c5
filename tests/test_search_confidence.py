"""The sequential test: what it decides, and how often it is wrong."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.confidence import ERROR_RATE, decide, estimates, looks, t_quantile
from splitwise_plan.sim.verdict import TargetResult

TARGET = SLOTarget("ttft", 99.0, 6.0)


def results(*values: float) -> list[list[TargetResult]]:
    return [[TargetResult(TARGET, value)] for value in values]


def verdict_on(values: np.ndarray) -> str:
    """Look as often as a search would, on values that come one by one."""
    verdict = "undecided"
    for look in looks(3, 12):
        verdict = decide(estimates(results(*values[:look])))
        if verdict != "undecided":
            break
    return verdict


def test_looks() -> None:
    assert looks(3, 12) == [3, 6, 12]
    assert looks(3, 5) == [3, 5]
    assert looks(1, 1) == [1]


def test_t_quantiles_are_those_of_the_tables() -> None:
    assert t_quantile(0.975, 2) == pytest.approx(4.303, abs=5e-4)
    assert t_quantile(0.95, 11) == pytest.approx(1.796, abs=5e-4)


def test_one_replication_is_its_own_verdict() -> None:
    [only] = estimates(results(5.9))
    assert (only.mean, only.low, only.high) == (5.9, 5.9, 5.9)
    assert decide([only]) == "meets"
    assert decide(estimates(results(6.1))) == "misses"


def test_equal_replications_leave_no_doubt() -> None:
    assert decide(estimates(results(5.999, 5.999, 5.999))) == "meets"


def test_interval_by_hand() -> None:
    # mean 5, s = 1, three values: 5 +- t(1 - 0.05 / 3, 2 degrees) / sqrt(3)
    [one] = estimates(results(4.0, 5.0, 6.0))
    half = t_quantile(1 - 0.05 / 3, 2) / 3**0.5
    assert one.low == pytest.approx(5 - half)
    assert one.high == pytest.approx(5 + half)


def test_unfinished_requests_never_meet() -> None:
    assert decide(estimates(results(1.0, 1.0, inf))) == "undecided"
    assert decide(estimates(results(7.0, 8.0, inf))) == "misses"


def test_a_target_without_values_is_left_out() -> None:
    assert estimates(results(nan, nan)) == []


@pytest.mark.parametrize("limit_off_by", [-0.02, 0.02])
def test_error_rate(limit_off_by: float) -> None:
    """Windows scatter normally around a truth just beside the limit: wrong in at most 5 %."""
    rng = np.random.default_rng(1)
    wrong = "meets" if limit_off_by > 0 else "misses"
    truth = TARGET.limit * (1 + limit_off_by)
    draws = rng.normal(truth, 0.5, (2000, 12))
    share = np.mean([verdict_on(values) == wrong for values in draws])
    assert share <= ERROR_RATE
