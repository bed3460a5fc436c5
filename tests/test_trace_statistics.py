"""Statistics of arrivals, on traces small enough to count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splitwise_plan.data.trace import arrival_stats as stats
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.trace_window import Window, busiest, in_window, sped_up

arrivals = st.lists(st.floats(0, 1e5), min_size=1, max_size=60).map(sorted).map(np.array)


def test_variation_and_dispersion_by_hand() -> None:
    assert stats.gap_variation(np.arange(50.0)) == 0
    assert stats.gap_variation(np.array([0.0, 1.0])) is None
    assert stats.gap_variation(np.array([3.0, 3.0, 3.0])) is None
    assert stats.gap_variation(np.array([0.0, 1.0, 4.0])) == pytest.approx(0.5)
    # counts 2, 0, 2, 0, ...: mean 1, variance 1
    pairs = np.repeat(np.arange(0, 20, 2) + 0.25, 2)
    assert stats.dispersion(np.append(pairs, 20.25), 1.0) == pytest.approx(1.0)
    assert stats.dispersion(np.arange(9.0), 1.0) is None


def test_the_rate_in_bins() -> None:
    series = stats.rate_series(np.array([100.0, 100.2, 150.0, 219.0]))
    assert series.bin_s == 1.0
    assert series.rate_rps[0] == 2
    assert series.start_s[0] == 100
    assert stats.rate_series(np.array([5.0])).rate_rps.size == 1


def test_the_shape_of_a_day() -> None:
    """One request an hour for two days, and ten more at noon, beginning at 06:00."""
    hours = np.arange(0, 48.5)
    noon = np.repeat([6.0, 30.0], 10) + 0.5
    rates = stats.day_shape(np.sort(np.concatenate((hours, noon))) * 3600, 6 * 3600.0)
    assert rates is not None
    assert rates.argmax() == 12
    assert rates[12] == pytest.approx(11 / 3600)
    assert rates[3] == pytest.approx(1 / 3600)
    assert stats.day_shape(np.array([0.0, 86399.0]), 0.0) is None


def test_the_busiest_window_by_hand() -> None:
    times = np.array([0.0, 1.0, 10.0, 10.5, 11.0, 12.0, 30.0])
    assert busiest(times, 1.0) == (2, 4)
    assert busiest(times, 1.01) == (2, 5)
    requests = Requests(times, np.arange(1, 8), np.arange(1, 8))
    kept = in_window(requests, Window(2.5))
    assert kept.arrival_s.tolist() == [0.0, 0.5, 1.0, 2.0]
    assert kept.prompt_tokens.tolist() == [3, 4, 5, 6]
    assert sped_up(kept, 2.0).arrival_s.tolist() == [0.0, 0.25, 0.5, 1.0]


@given(arrivals, st.floats(0.01, 1e4))
@settings(max_examples=80, deadline=None)
def test_no_window_is_busier_than_the_busiest(times: np.ndarray, length_s: float) -> None:
    first, end = busiest(times, length_s)
    most = max(int(((times >= at) & (times < at + length_s)).sum()) for at in times)
    assert end - first == most


@given(arrivals, st.floats(0, 86400))
@settings(max_examples=80, deadline=None)
def test_statistics_of_any_trace_are_finite_and_count_every_request(
    times: np.ndarray, of_day_s: float
) -> None:
    found = stats.times_of(times, of_day_s)
    assert np.all(np.isfinite(found.series.rate_rps))
    assert found.day_rps is None or np.all(np.isfinite(found.day_rps))
    assert all(np.isfinite(value) for value in found.dispersion.values())
    assert len(found.series.start_s) <= stats.MOST_BINS + 1
