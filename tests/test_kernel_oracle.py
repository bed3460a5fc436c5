"""The kernel against the slow simulator, event for event."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, random_case, run_case, run_slow, with_outages

from splitwise_plan.sim.kernel import state as k

TIMES = ("first_token_s", "second_token_s", "last_token_s", "prompt_start_s")


def assert_same(case: Case) -> None:
    expected = run_slow(case)
    state, stop, _ = run_case(case)
    assert (stop == k.DEADLOCK) == expected.deadlock
    for end in ("prompt_instance", "token_instance"):
        np.testing.assert_array_equal(state.requests[end], getattr(expected, end), err_msg=end)
    for name in TIMES:
        np.testing.assert_allclose(
            state.requests[name], getattr(expected, name), rtol=1e-9, atol=1e-9, err_msg=name
        )
    finished = np.isfinite(state.requests.last_token_s)
    np.testing.assert_allclose(
        state.requests.kv_transfer_s[finished],
        np.array(expected.kv_transfer_s)[finished],
        rtol=1e-9,
        atol=1e-9,
    )
    np.testing.assert_array_equal(state.instances.iterations, expected.iterations)
    np.testing.assert_array_equal(state.instances.peak_bytes, expected.peak_memory_bytes)
    for name in ("prompt_busy_s", "token_busy_s"):
        np.testing.assert_allclose(state.instances[name], getattr(expected, name), atol=1e-7)
    assert state.counters[k.POOL_MOVES] == expected.pool_moves
    assert state.counters[k.MIXED_REQUESTS] == expected.mixed_requests
    assert state.counters[k.RESTARTS] == expected.restarts
    assert state.counters[k.LOST_PROMPT_TOKENS] == expected.lost_prompt_tokens
    assert state.counters[k.LOST_OUTPUT_TOKENS] == expected.lost_output_tokens


@pytest.mark.parametrize("seed", range(100))
def test_kernel_equals_slow_simulator(seed: int) -> None:
    assert_same(random_case(seed))


@pytest.mark.parametrize("seed", range(3000, 3100))
def test_kernel_equals_slow_simulator_with_outages(seed: int) -> None:
    assert_same(with_outages(random_case(seed)))


@pytest.mark.verify
@pytest.mark.parametrize("block", range(10))
def test_kernel_equals_slow_simulator_on_a_thousand_cases(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        assert_same(random_case(seed))


@pytest.mark.verify
@pytest.mark.parametrize("block", range(10))
def test_kernel_equals_slow_simulator_with_outages_on_a_thousand_cases(block: int) -> None:
    for seed in range(4000 + 100 * block, 4100 + 100 * block):
        assert_same(with_outages(random_case(seed)))
