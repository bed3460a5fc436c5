"""A run that ends as soon as a target is proven missed says the same as one that goes on."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import random_question
from scenes import requests_of

from splitwise_plan.facts.slo import SLOSet, SLOTarget
from splitwise_plan.sim.records import Run, Stop
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
    assert_same_run(asked.simulator.run_unless_missed(design), stopped)
    return stopped.stop == Stop.MISSES


def assert_same_run(found: Run | None, stopped: Run) -> None:
    """Where a run comes to its end nothing is left out, whichever way it was asked for."""
    assert (found is None) == (stopped.stop == Stop.MISSES)
    if found is not None:
        for name, values in asdict(found.requests).items():
            assert np.array_equal(values, getattr(stopped.requests, name), equal_nan=True), name


def test_requests_that_a_short_run_never_saw_are_untouched() -> None:
    missed = 0
    for seed in range(100):
        question = random_question(seed)
        asked = question.with_targets(
            question.targets_near(question.simulator.run(question.designs[0]), (0.5,))
        )
        run = asked.simulator.run(question.designs[0], stop_when_missed=True)
        later = asked.simulator.requests.arrival_s > run.end_s
        missed += bool(later.any())
        for name in ("first_token_s", "last_token_s", "prompt_start_s"):
            assert np.all(np.isinf(getattr(run.requests, name)[later]))
        assert np.all(run.requests.prompt_instance[later] == -1)
        assert np.all(run.requests.kv_transfer_s[later] == 0.0)
    assert missed > 10


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
