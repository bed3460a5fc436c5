from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from questions import random_question
from scenes import scene

from splitwise_plan.sim.occupancy import (
    Intervals,
    Occupancy,
    merged,
    occupancy,
    prompt_phases,
    time_at,
    token_phases,
)


def brute_force(
    intervals: Intervals, instances: int, from_s: float, until_s: float
) -> dict[int, float]:
    """Between any two neighbouring times of an instance, count what is active by looking."""
    spent: dict[int, float] = {}
    rows = list(
        zip(intervals.instance, intervals.start_s, intervals.end_s, intervals.weight, strict=True)
    )
    for instance in range(instances):
        mine = [row[1:] for row in rows if row[0] == instance]
        times = sorted({from_s, until_s, *(s for s, _, _ in mine), *(e for _, e, _ in mine)})
        for start, end in pairwise(times):
            middle = (start + end) / 2
            number = int(sum(weight for s, e, weight in mine if s <= middle < e))
            spent[number] = spent.get(number, 0.0) + end - start
    return spent


@pytest.mark.parametrize("seed", range(20))
def test_random_intervals_as_counted_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, instances = int(rng.integers(0, 60)), int(rng.integers(1, 5))
    start = np.round(rng.uniform(-5, 15, count), int(rng.integers(0, 3)))
    end = start + np.round(rng.exponential(3, count), 1)
    every = Intervals(
        rng.integers(0, 6, count), start, end, rng.integers(1, 4, count).astype(np.int64)
    )
    inside = every.within(slice(1, 1 + instances), 0.0, 10.0)
    numbers, time_s = time_at(inside, instances, 0.0, 10.0)
    expected = {n: t for n, t in brute_force(inside, instances, 0.0, 10.0).items() if t > 0}
    assert numbers.tolist() == sorted(expected)
    np.testing.assert_allclose(time_s, [expected[n] for n in sorted(expected)], atol=1e-9)
    assert time_s.sum() == pytest.approx(10.0 * instances)


@pytest.mark.parametrize("seed", range(12))
def test_random_runs_as_counted_one_by_one(seed: int) -> None:
    question = random_question(seed)
    simulator = question.simulator
    for design in question.designs[:3]:
        run = simulator.run(design)
        for prompts in (False, True):
            for pool in occupancy(simulator, design, run, prompt_tokens=prompts):
                assert pool.share.sum() == pytest.approx(1.0)
                assert (pool.active >= 0).all()
                assert (np.diff(pool.active) > 0).all()


def test_one_request_by_hand() -> None:
    """Its prompt on the prompt machine, then its token phase, once the KV cache is there."""
    one = scene("splitwise-hh", 1, 1, [(0.0, 1000, 20), (30.0, 1, 1)])
    run = one.run()
    [phase] = zip(*_columns(token_phases(one.simulator, run)), strict=True)
    records = run.requests
    arrived_s = records.first_token_s[0] + records.kv_transfer_s[0]
    assert phase == (1, arrived_s, records.last_token_s[0], 1)
    prompt, token = occupancy(one.simulator, one.design, run, prompt_tokens=True)
    busy_s = records.first_token_s[0] - records.prompt_start_s[0]
    assert prompt.active.tolist() == [0, 1000]
    assert prompt.share[1] == pytest.approx(busy_s / 30.0)
    assert token.active.tolist() == [0, 1]
    assert token.share[1] == pytest.approx((records.last_token_s[0] - arrived_s) / 30.0)
    assert token.mean == pytest.approx(token.share[1])
    np.testing.assert_allclose(token.cumulative, [token.share[0], 1.0])


def test_prompts_are_active_as_long_as_their_machines_are_busy_with_them() -> None:
    one = scene("splitwise-hh", 6, 2, rate=10, duration=30)
    run = one.run()
    assert run.pool_moves == 0
    inside = prompt_phases(one.simulator, run).within(slice(0, 6), *run.measured)
    numbers, time_s = time_at(inside, 6, *run.measured)
    busy_s = float(run.instances.prompt_busy_s[:6].sum())
    assert time_s[numbers > 0].sum() == pytest.approx(busy_s)


def test_unfinished_requests_stay_active() -> None:
    intervals = Intervals(np.array([0]), np.array([1.0]), np.array([np.inf]), np.array([1]))
    numbers, time_s = time_at(intervals.within(slice(0, 1), 0.0, 4.0), 1, 0.0, 4.0)
    assert (numbers.tolist(), time_s.tolist()) == ([0, 1], [1.0, 3.0])


def test_runs_are_merged_alike() -> None:
    parts = [
        Occupancy("token", "dgx-h100", np.array([0, 2]), np.array([0.5, 0.5])),
        Occupancy("token", "dgx-h100", np.array([2, 3]), np.array([0.25, 0.75])),
    ]
    both = merged(parts)
    assert both.active.tolist() == [0, 2, 3]
    np.testing.assert_allclose(both.share, [0.25, 0.375, 0.375])


def _columns(intervals: Intervals) -> list[list[float]]:
    return [
        column.tolist()
        for column in (intervals.instance, intervals.start_s, intervals.end_s, intervals.weight)
    ]
