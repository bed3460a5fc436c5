"""The rules of a verdict one by one: of one run, and of the interval over several."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from math import inf, nan, pi, sqrt, tan
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from splitwise_plan.facts.slo import Attainment, SLOSet, SLOTarget
from splitwise_plan.planner.confidence import (
    Estimate,
    Interval,
    decide,
    estimates,
    looks,
    t_quantile,
)
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.sim.metrics import Latencies
from splitwise_plan.sim.records import Run, Stop
from splitwise_plan.sim.verdict import (
    TargetResult,
    Verdict,
    binding,
    is_growing,
    target_results,
    too_few,
    verdict,
)

TTFT, TBT = SLOTarget("ttft", 50.0, 4.0), SLOTarget("tbt", 90.0, 0.5, "s")

LEVEL = [1.0] * 40
GROWING = [1.0] * 10 + [2.0] * 10 + [3.0] * 10 + [4.0] * 10


def ended(stop: Stop) -> Run:
    """A run of which a verdict reads how it ended and nothing else."""
    return cast("Run", SimpleNamespace(stop=stop))


def arrivals(process: str = "poisson", *, is_stationary: bool = True) -> Arrivals:
    """Arrivals of which a verdict reads no more than this."""
    return cast("Arrivals", SimpleNamespace(process=process, is_stationary=is_stationary))


CHANGING, REPLAYED = (arrivals(process, is_stationary=False) for process in ("diurnal", "trace"))


def slowdowns(ttft: list[float], tbt: list[float], e2e: list[float]) -> Latencies:
    return Latencies({}, {"ttft": np.array(ttft), "tbt": np.array(tbt), "e2e": np.array(e2e)})


def said(
    values: list[float],
    stop: Stop = Stop.DRAINED,
    *,
    ttft: list[float] = LEVEL,
    tbt: list[float] = LEVEL,
    e2e: list[float] = LEVEL,
    of: Arrivals = CHANGING,
) -> Verdict:
    results = [TargetResult(TTFT, value) for value in values]
    return verdict(ended(stop), results, slowdowns(ttft, tbt, e2e), of)


@pytest.mark.parametrize(
    ("value", "met", "margin"), [(3.0, True, 0.25), (4.0, True, 0.0), (5.0, False, -0.25)]
)
def test_a_target_is_met_up_to_its_limit(value: float, met: bool, margin: float) -> None:
    result = TargetResult(TTFT, value)
    assert (result.met, result.margin) == (met, margin)


def test_the_binding_target_has_the_least_room_as_a_share_of_its_limit() -> None:
    small, large = TargetResult(TBT, 0.4), TargetResult(TTFT, 3.5)  # 20 % and 12.5 %
    assert binding([small, large]) is large
    assert binding([large, TargetResult(TBT, 0.49)]).target is TBT


def test_targets_come_in_their_order_and_only_a_goodput_has_a_share() -> None:
    goodput = Attainment(0.5, (("ttft", 2.5, "slowdown"),))
    slos = SLOSet("some", (TTFT, TBT), "dgx-a100", (goodput,))
    found = Latencies({"tbt": np.array([0.1, 0.2, 0.3])}, {"ttft": np.array([1.0, 2.0, 3.0])})
    results = target_results(slos, found)
    assert [one.target for one in results] == [TTFT, TBT, goodput.target]
    assert [one.value for one in results] == [2.0, pytest.approx(0.28), pytest.approx(0.8)]
    assert [one.attained for one in results] == [None, None, pytest.approx(2 / 3)]


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        (Stop.DRAINED, "meets"),
        (Stop.MISSES, "misses"),
        (Stop.DEADLOCK, "unstable"),
        (Stop.OVERLOAD, "unstable"),
    ],
)
def test_how_a_run_ended_comes_before_what_was_measured(stop: Stop, expected: Verdict) -> None:
    assert said([1.0], stop) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], "undecided"),
        ([nan, nan], "undecided"),
        ([4.0, nan], "meets"),
        ([4.1, nan], "misses"),
        ([1.0, 4.1], "misses"),
        ([inf], "misses"),
    ],
)
def test_every_target_that_was_measured_must_be_met(values: list[float], expected: Verdict) -> None:
    assert said(values) == expected


def test_a_miss_whose_backlog_grew_is_unstable() -> None:
    assert said([5.0], ttft=GROWING) == "unstable"
    assert said([5.0], e2e=GROWING) == "unstable"
    assert said([5.0], tbt=GROWING) == "misses"  # a batch that grows to its limit is no backlog
    assert said([3.0], ttft=GROWING, e2e=GROWING) == "meets"


def test_a_backlog_that_arrivals_do_not_make_grow_is_unstable_whatever_the_limits() -> None:
    assert said([3.0], ttft=GROWING, of=arrivals()) == "unstable"
    assert said([3.0], e2e=GROWING, of=arrivals()) == "unstable"
    assert said([3.0], tbt=GROWING, of=arrivals()) == "meets"
    assert said([3.0], of=arrivals()) == "meets"
    assert said([3.0], ttft=GROWING, e2e=GROWING, of=REPLAYED) == "meets"


@pytest.mark.parametrize("value", [3.0, 5.0])
def test_too_few_requests_for_a_percentile_decide_nothing(value: float) -> None:
    assert said([value], ttft=[1.0]) == "undecided"  # a P50 takes two
    assert said([value], ttft=[1.0], of=arrivals()) == "undecided"
    assert said([value], ttft=[1.0, nan]) == "undecided"
    assert said([value], ttft=[1.0, inf]) == ("meets" if value < 4.0 else "misses")
    assert said([value], ttft=[1.0], of=REPLAYED) == ("meets" if value < 4.0 else "misses")
    assert said([value], Stop.MISSES, ttft=[1.0]) == "misses"  # proven, however many there are


@pytest.mark.parametrize(
    ("percentile", "fewest"), [(50.0, 2), (90.0, 10), (99.0, 100), (99.9, 1000), (0.0, 1), (100, 1)]
)
def test_a_percentile_takes_requests_beyond_it(percentile: float, fewest: int) -> None:
    result = TargetResult(SLOTarget("ttft", percentile, 4.0), 3.0)
    for count in range(max(1, fewest - 2), fewest + 2):
        found = slowdowns([1.0] * count, [], [])
        assert too_few([result], found) is (result if count < fewest else None)


def quarters(*medians: float) -> np.ndarray:
    return np.repeat(medians, 10)


@pytest.mark.parametrize(
    ("medians", "growing"),
    [
        ((1.0, 2.0, 3.0, 4.0), True),  # twice the second quarter, just so
        ((1.0, 2.0, 3.0, 3.9), False),
        ((1.0, 1.5, 1.6, 3.0), True),
        ((1.0, 2.0, 2.5, 3.0), False),  # three times the first: it is the second that counts
        ((1.0, 1.0, 3.0, 9.0), False),  # no growth from the first to the second
        ((1.0, 2.0, 9.0, 8.0), False),
        ((2.0, 1.0, 3.0, 4.0), False),
        ((4.0, 3.0, 2.0, 1.0), False),
    ],
)
def test_growth_is_from_quarter_to_quarter(medians: tuple[float, ...], growing: bool) -> None:
    assert is_growing(quarters(*medians)) == growing


def test_less_than_forty_requests_grow_nothing() -> None:
    assert is_growing(np.array(GROWING))
    assert not is_growing(np.array(GROWING[:9] + GROWING[10:]))


@pytest.mark.parametrize(
    ("seeds", "max_seeds", "expected"),
    [(3, 100, [3, 6, 12]), (3, 12, [3, 6, 12]), (3, 7, [3, 6, 7]), (4, 4, [4])],
)
def test_looks_double_twice(seeds: int, max_seeds: int, expected: list[int]) -> None:
    assert looks(seeds, max_seeds) == expected


def runs(*values: float, shares: tuple[float | None, ...] = ()) -> list[list[TargetResult]]:
    """One target's results, a run each."""
    given = shares or (None,) * len(values)
    return [[TargetResult(TTFT, value, share)] for value, share in zip(values, given, strict=True)]


TAIL = 1 - 0.05 / 3
"""The level of one end: one in twenty wrong, shared out among three looks."""


def test_quantiles_are_those_of_the_closed_forms() -> None:
    """Student's t with one degree of freedom is Cauchy's; with two it is algebraic."""
    for p in (0.6, 0.9, TAIL):
        assert t_quantile(p, 1) == pytest.approx(tan(pi * (p - 0.5)), rel=1e-12)
        assert t_quantile(p, 2) == pytest.approx((2 * p - 1) / sqrt(2 * p * (1 - p)), rel=1e-12)


def test_intervals_by_hand() -> None:
    [two] = estimates(runs(24.0, 26.0))  # s = sqrt(2), over the square root of two runs
    assert two.mean == 25.0
    half = tan(pi * (TAIL - 0.5))
    assert two.low == pytest.approx(25.0 - half)
    assert two.high == pytest.approx(25.0 + half)
    [three] = estimates(runs(4.0, 5.0, 6.0))
    half = (2 * TAIL - 1) / sqrt(2 * TAIL * (1 - TAIL)) / sqrt(3)
    assert three.mean == 5.0
    assert three.low == pytest.approx(5 - half)
    assert three.high == pytest.approx(5 + half)


def test_an_interval_does_not_go_below_nothing() -> None:
    [two] = estimates(runs(4.0, 6.0))
    assert (two.mean, two.low) == (5.0, 0.0)
    assert two.high - 5.0 == pytest.approx(tan(pi * (TAIL - 0.5)))


def test_one_run_has_no_interval() -> None:
    assert estimates(runs(4.5)) == [Estimate(TTFT, 4.5, 4.5, 4.5)]


def test_values_that_are_no_number_are_left_out() -> None:
    assert estimates(runs(nan, 4.5, nan)) == estimates(runs(4.5))
    assert estimates(runs(nan, nan)) == []
    assert estimates([]) == []


def test_a_run_that_did_not_finish_leaves_no_upper_end() -> None:
    [some] = estimates(runs(3.0, inf, 2.0))
    assert (some.mean, some.low, some.high) == (inf, 2.0, inf)
    [none] = estimates(runs(inf, inf))
    assert (none.mean, none.low, none.high) == (inf, inf, inf)


def test_runs_with_other_targets_are_a_fault() -> None:
    with pytest.raises(ValueError, match="shorter"):
        estimates([[TargetResult(TTFT, 1.0), TargetResult(TBT, 1.0)], [TargetResult(TTFT, 1.0)]])


def test_each_target_has_its_own_estimate() -> None:
    replications = [[TargetResult(TTFT, 1.0 + i), TargetResult(TBT, 10.0 * i)] for i in (1, 3)]
    assert [(one.target, one.mean) for one in estimates(replications)] == [(TTFT, 3.0), (TBT, 20.0)]


def test_shares_are_from_none_to_all() -> None:
    [wide] = estimates(runs(1.0, 1.0, shares=(0.0, 1.0)))
    assert wide.attained == Interval(0.5, 0.0, 1.0)
    [narrow] = estimates(runs(1.0, 1.0, shares=(0.5, 0.5)))
    assert narrow.attained == Interval(0.5, 0.5, 0.5)
    [near] = estimates(runs(1.0, 1.0, shares=(0.49, 0.51)))
    half = 0.01 * tan(pi * (TAIL - 0.5))
    assert near.attained is not None
    assert [*near.attained] == [0.5, pytest.approx(0.5 - half), pytest.approx(0.5 + half)]
    [partly] = estimates(runs(1.0, 1.0, shares=(None, 0.75)))
    assert partly.attained == Interval(0.75, 0.75, 0.75)
    [without] = estimates(runs(1.0, 1.0))
    assert without.attained is None


def between(low: float, high: float, limit: float = 4.0) -> Estimate:
    return Estimate(SLOTarget("ttft", 50.0, limit), (low + high) / 2, low, high)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], "undecided"),
        ([between(3.0, 4.0)], "meets"),  # up to the limit is within it
        ([between(4.0, 4.0)], "meets"),
        ([between(4.0, 4.1)], "undecided"),
        ([between(4.1, 4.2)], "misses"),
        ([between(1.0, 2.0), between(3.0, 5.0)], "undecided"),
        ([between(1.0, 2.0), between(4.1, 5.0)], "misses"),
        ([between(3.0, 5.0), between(4.1, 5.0)], "misses"),  # one that misses is enough
        ([between(3.0, 5.0), between(3.0, 5.0, limit=6.0)], "undecided"),
        ([between(4.1, 5.0, limit=6.0)], "meets"),
    ],
)
def test_what_a_look_decides(found: list[Estimate], expected: Verdict) -> None:
    assert decide(found) == expected


@pytest.mark.parametrize("value", [TargetResult(TTFT, 1.0), between(1.0, 2.0)], ids=type)
def test_what_was_measured_stays_as_it_is(value: Any) -> None:
    """Results are shared between threads and remembered."""
    with pytest.raises(FrozenInstanceError):
        value.target = TBT
    assert not hasattr(value, "__dict__")
