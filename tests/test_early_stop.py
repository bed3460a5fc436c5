"""A run that ends as soon as a target is proven missed says the same as one that goes on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import random_question
from scenes import requests_of

from splitwise_plan.facts.slo import SLOSet, SLOTarget
from splitwise_plan.sim.records import Stop
from splitwise_plan.sim.simulator import target_counts

NEAR = (0.99, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 1.01)


def assert_same_verdict(seed: int) -> bool:
    """With targets at the edge of what a run reaches. Returns whether the run was cut short."""
    question = random_question(seed)
    design = question.designs[question.rng.integers(len(question.designs))]
    whole = question.simulator.run(design)
    asked = question.with_targets(question.targets_near(whole, NEAR))
    stopped = asked.simulator.run(design, stop_when_missed=True)
    assert asked.meets(whole) == asked.meets(stopped)
    if stopped.stop == Stop.MISSES:
        assert not asked.meets(whole)
        assert stopped.end_s <= whole.end_s
    return stopped.stop == Stop.MISSES


def test_same_verdict_near_the_edge() -> None:
    stopped = [assert_same_verdict(seed) for seed in range(300)]
    assert 50 < sum(stopped) < 250


@pytest.mark.verify
@pytest.mark.parametrize("block", range(10))
def test_same_verdict_on_ten_thousand(block: int) -> None:
    for seed in range(1000 + 1000 * block, 2000 + 1000 * block):
        assert_same_verdict(seed)


@given(n=st.integers(1, 14), percentile=st.floats(0, 100), data=st.data())
@settings(max_examples=500, deadline=None)
def test_one_more_than_allowed_breaks_a_percentile_and_allowed_need_not(
    n: int, percentile: float, data: st.DataObject
) -> None:
    """Brute force over values: the count of `target_counts` is enough, and the least that is."""
    limit = data.draw(st.floats(0.1, 10))
    allowed = allowed_of(n, percentile, limit)
    assert 0 <= allowed < n
    above = st.floats(limit, 1e6, exclude_min=True)
    below = st.floats(0, limit)
    broken = data.draw(st.lists(above, min_size=allowed + 1, max_size=allowed + 1))
    kept = data.draw(st.lists(below, min_size=n - allowed - 1, max_size=n - allowed - 1))
    assert np.percentile(broken + kept, percentile) > limit
    barely = [float(np.nextafter(limit, np.inf))] * allowed + [0.0] * (n - allowed)
    assert np.percentile(barely, percentile) <= limit


def allowed_of(n: int, percentile: float, limit: float) -> int:
    """What `target_counts` allows for n requests."""
    slos = SLOSet("one", (SLOTarget("ttft", percentile, limit, "s"),), "dgx-a100")
    [count] = target_counts(slos, requests_of([(0.0, 1, 2)] * n), np.ones(n, bool))
    return int(count.allowed)


def test_counts_are_of_the_requests_a_metric_is_defined_for() -> None:
    """TBT leaves out those of one output token; none counts those before the window."""
    requests = requests_of([(float(i), 100, 1 + i % 2) for i in range(100)])
    slos = SLOSet("one", (SLOTarget("ttft", 90, 1.0), SLOTarget("tbt", 90, 1.0)), "dgx-a100")
    counts = target_counts(slos, requests, requests.arrival_s >= 50.0)
    assert [(count.metric, count.allowed) for count in counts] == [("ttft", 5), ("tbt", 3)]
