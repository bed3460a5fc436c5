"""Requests drawn from a table: laws of the arrival process, of pairing and of seeds."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.workload import LengthTable
from splitwise_plan.scenario.arrivals.draws import draw_arrivals
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.sampling import draw_requests, requests_for


def lengths(*rows: tuple[int, int, int]) -> LengthTable:
    prompt, output, count = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return LengthTable(prompt, output, count)


@given(
    process=st.sampled_from(["poisson", "gamma"]),
    rate=st.floats(0.01, 500),
    expected=st.floats(0.1, 500),
    burstiness=st.floats(0.1, 50),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_arrivals_increase_within_the_duration(
    process: Literal["poisson", "gamma"], rate: float, expected: float, burstiness: float, seed: int
) -> None:
    arrivals = Arrivals(process, rate, expected / rate, burstiness)
    times = draw_arrivals(arrivals, np.random.default_rng(seed))
    assert np.all(np.diff(times) >= 0)
    assert np.all((times >= 0) & (times < arrivals.duration_s))


@pytest.mark.parametrize(
    ("process", "burstiness", "expected"), [("poisson", 9.0, 1.0), ("gamma", 4.0, 4.0)]
)
def test_rate_and_burstiness(
    process: Literal["poisson", "gamma"], burstiness: float, expected: float
) -> None:
    arrivals = Arrivals(process, 100.0, 2000.0, burstiness)
    times = draw_arrivals(arrivals, np.random.default_rng(1))
    gaps = np.diff(times)
    assert len(times) == pytest.approx(200_000, rel=0.02)
    assert gaps.var() / gaps.mean() ** 2 == pytest.approx(expected, rel=0.05)


def test_joint_lengths_are_rows_of_the_table_and_independent_ones_are_not() -> None:
    table = lengths((1, 10, 3), (2, 20, 1))
    arrivals = Arrivals("poisson", 1000.0, 20.0)
    joint = draw_requests(table, arrivals, "joint", np.random.default_rng(0))
    assert np.all(joint.output_tokens == 10 * joint.prompt_tokens)
    assert (joint.prompt_tokens == 1).mean() == pytest.approx(0.75, abs=0.02)
    apart = draw_requests(table, arrivals, "independent", np.random.default_rng(0))
    assert (apart.prompt_tokens == 1).mean() == pytest.approx(0.75, abs=0.02)
    assert abs(np.corrcoef(apart.prompt_tokens, apart.output_tokens)[0, 1]) < 0.03


def test_a_replication_is_the_same_for_every_design_and_others_differ() -> None:
    scenario = load_scenario(Catalog(), None, {"duration": 20, "horizon": "window"})
    first, again = requests_for(scenario, 0), requests_for(scenario, 0)
    other = requests_for(scenario, 1)
    reseeded = requests_for(replace(scenario, seed=1), 0)
    assert np.array_equal(first.arrival_s, again.arrival_s)
    assert np.array_equal(first.prompt_tokens, again.prompt_tokens)
    assert not np.array_equal(first.arrival_s[:5], other.arrival_s[:5])
    assert not np.array_equal(first.arrival_s[:5], reseeded.arrival_s[:5])


def test_arrivals_do_not_depend_on_how_lengths_are_paired() -> None:
    measured = load_scenario(Catalog(), None, {"duration": 20, "horizon": "window"})
    paper = load_scenario(
        Catalog(), None, {"duration": 20, "horizon": "window", "assumptions": "splitwisesim"}
    )
    assert np.array_equal(requests_for(measured, 0).arrival_s, requests_for(paper, 0).arrival_s)
