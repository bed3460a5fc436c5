"""Drawn arrivals against theory: rates, dispersion, shapes, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splitwise_plan.data.trace.arrival_stats import dispersion, gap_variation
from splitwise_plan.data.trace.generation import generation
from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.toml_lines import KeyPath
from splitwise_plan.scenario.arrivals.draws import draw_arrivals


def place(path: KeyPath, what: str, fix: str) -> Problem:
    return Problem(".".join(map(str, path)), what, fix)


def drawn(seed: int = 0, **keys: Any) -> Any:
    return draw_arrivals(generation(keys, place), np.random.default_rng(seed))


def told(**keys: Any) -> str:
    with pytest.raises(InputError) as caught:
        generation(keys, place)
    return str(caught.value)


def test_poisson_gaps_and_counts_vary_as_they_should() -> None:
    times = drawn(rate=100, duration=2000)
    assert len(times) == pytest.approx(200_000, rel=0.01)
    assert gap_variation(times) == pytest.approx(1, rel=0.01)
    for window_s in (1.0, 10.0):
        assert dispersion(times, window_s) == pytest.approx(1, rel=0.15)


@pytest.mark.parametrize("burstiness", [0.25, 4.0])
def test_gamma_counts_in_long_windows_disperse_as_its_gaps(burstiness: float) -> None:
    times = drawn(rate=100, duration=4000, arrivals="gamma", burstiness=burstiness)
    assert len(times) == pytest.approx(400_000, rel=0.01)
    assert gap_variation(times) == pytest.approx(np.sqrt(burstiness), rel=0.01)
    assert dispersion(times, 10.0) == pytest.approx(burstiness, rel=0.15)


def test_bursts_disperse_as_a_markov_modulated_process_does() -> None:
    """Fischer and Meier-Hellstern, The MMPP cookbook (1993), on two states."""
    ratio, share, length_s, rate = 5.0, 0.2, 2.0, 50.0
    table = {"ratio": ratio, "share": share, "length": length_s}
    times = drawn(rate=rate, duration=40_000, arrivals="mmpp", mmpp=table)
    low = rate / (1 - share + share * ratio)
    leave_burst, leave_rest = 1 / length_s, share / (1 - share) / length_s
    change = leave_burst + leave_rest
    spread = 2 * (low * (ratio - 1)) ** 2 * share * (1 - share) / (rate * change)
    assert len(times) == pytest.approx(rate * 40_000, rel=0.03)
    for window_s in (1.0, 10.0, 60.0):
        decay = 1 - (1 - np.exp(-change * window_s)) / (change * window_s)
        assert dispersion(times, window_s) == pytest.approx(1 + spread * decay, rel=0.1)


def test_a_day_swings_around_its_mean() -> None:
    table = {"amplitude": 0.8, "period": 1000}
    times = drawn(rate=200, duration=2000, arrivals="diurnal", diurnal=table)
    assert len(times) == pytest.approx(400_000, rel=0.01)
    counts, edges = np.histogram(times % 1000, bins=20, range=(0, 1000))
    turns = edges / 1000
    wave = turns - 0.8 * np.sin(2 * np.pi * turns) / (2 * np.pi)
    assert counts == pytest.approx(400_000 * np.diff(wave), rel=0.05)


def test_a_spike_is_where_it_was_asked_for() -> None:
    table = {"start": 100, "length": 50, "ratio": 4}
    times = drawn(rate=100, duration=300, arrivals="spike", spike=table)
    counts, _ = np.histogram(times, bins=[0, 100, 150, 300])
    assert counts == pytest.approx([10_000, 20_000, 15_000], rel=0.05)


def test_pieces_repeat_and_may_be_empty() -> None:
    pieces = [{"lasts": 60, "rate": 100}, {"lasts": 30, "rate": 0}, {"lasts": 10, "rate": 400}]
    times = drawn(duration=1000, arrivals="piecewise", piecewise=pieces)
    counts, _ = np.histogram(times % 100, bins=[0, 60, 90, 100])
    assert counts == pytest.approx([60_000, 0, 40_000], rel=0.05)
    scaled = drawn(rate=10, duration=1000, arrivals="piecewise", piecewise=pieces)
    assert len(scaled) == pytest.approx(10_000, rel=0.05)


SHAPES = st.one_of(
    st.just({"arrivals": "poisson"}),
    st.builds(lambda b: {"arrivals": "gamma", "burstiness": b}, st.floats(0.1, 50)),
    st.builds(
        lambda r, s, t: {"arrivals": "mmpp", "mmpp": {"ratio": r, "share": s, "length": t}},
        st.floats(1.01, 100),
        st.floats(0.01, 0.99),
        st.floats(0.1, 1000),
    ),
    st.builds(
        lambda a: {"arrivals": "diurnal", "diurnal": {"amplitude": a, "period": 10}},
        st.floats(0, 1),
    ),
    st.builds(
        lambda s, r: {"arrivals": "spike", "spike": {"start": s, "length": 3, "ratio": r}},
        st.floats(0, 7),
        st.floats(1.01, 100),
    ),
    st.builds(
        lambda rate: {
            "arrivals": "piecewise",
            "piecewise": [{"lasts": 4, "rate": rate}, {"lasts": 1, "rate": 1}],
        },
        st.floats(0, 100),
    ),
)


@given(shape=SHAPES, rate=st.floats(0.2, 200), seed=st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_arrivals_of_any_shape_increase_and_repeat_with_the_seed(
    shape: dict[str, Any], rate: float, seed: int
) -> None:
    keys = {"rate": rate, "duration": 10, **shape}
    times = drawn(seed, **keys)
    assert np.all(np.diff(times) >= 0)
    assert np.all((times >= 0) & (times < 10))
    assert np.array_equal(times, drawn(seed, **keys))


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, "rate: is missing"),
        ({"rate": 1, "burstiness": 2}, "burstiness needs arrivals = 'gamma'"),
        ({"rate": 1, "mmpp": {}}, "mmpp: mmpp needs arrivals = 'mmpp'"),
        ({"rate": 1, "arrivals": "spike"}, "arrivals = 'spike' needs a table spike"),
        ({"rate": 1, "arrivals": "piecewise"}, "needs a table piecewise"),
        (
            {"rate": 1, "arrivals": "spike", "spike": {"start": 100, "length": 21}},
            "spike: the spike ends at 121 s, after 120 s",
        ),
        ({"rate": 1, "arrivals": "diurnal", "duration": 100}, "duration: 100 s are 0.001157"),
        (
            {"arrivals": "piecewise", "piecewise": [{"lasts": 1, "rate": 0}]},
            "all rates of piecewise are 0",
        ),
        ({"rate": 1, "arrivals": "mmpp", "mmpp": {"share": 1}}, "must be at least 0.001"),
        ({"rate": 1, "arrivals": "mmpp", "mmpp": {"length": {"value": 1, "unit": "W"}}}, "'W'"),
        (
            {"rate": 9e5, "duration": 11, "arrivals": "spike",
             "spike": {"start": 0, "length": 10, "ratio": 100}},
            "requests (must be 1 to 10,000,000)",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(keys: dict[str, Any], expected: str) -> None:
    assert expected in told(**keys)


def test_periods_are_the_default_duration() -> None:
    assert generation({"rate": 1, "arrivals": "diurnal"}, place).duration_s == 86400
    pieces = [{"lasts": 7, "rate": 3}]
    found = generation({"arrivals": "piecewise", "piecewise": pieces}, place)
    assert (found.duration_s, found.rate_rps) == (7, 3)
