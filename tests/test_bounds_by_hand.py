"""The bounds that exclude designs, on numbers small enough to check by hand."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scenes import requests_of

from splitwise_plan.facts.slo import SLOSet, SLOTarget
from splitwise_plan.models.bounds import can_carry, least_iteration_s, memory_work, prompt_rate
from splitwise_plan.models.performance import SWEEP_CONTEXT_TOKENS, PhaseTimes

SLOPE = 0.001


def times(prompt: dict[float, float], token: dict[float, float] | None = None) -> PhaseTimes:
    """Iteration times by prompt tokens, and by sequences whose context is nothing."""
    token = token or {1.0: 1.0, 2.0: 2.0}
    no_context = [y + SLOPE * SWEEP_CONTEXT_TOKENS * n for n, y in token.items()]
    x, y, n = (np.array([*one], np.float64) for one in (prompt, prompt.values(), token))
    return PhaseTimes(x, y, n, np.array(no_context), SLOPE)


@pytest.mark.parametrize(
    ("prompt", "factor", "rate"),
    [
        ({1: 0.01, 100: 0.05, 200: 0.15}, 1.0, 2000.0),  # at a point
        ({1: 0.01, 100: 0.05, 200: 0.15}, 0.5, 4000.0),  # beside token phases
        ({1: 0.01, 100: 0.05, 200: 0.15}, 2.0, 2000.0),  # alone
        ({1: 0.01, 100: 0.2, 200: 0.25}, 1.0, 2000.0),  # far beyond the last
        ({1: 0.001, 100: 0.5, 200: 1.5}, 1.0, 1000.0),  # one token
        ({0: 0.0, 100: 0.1, 200: 0.3}, 1.0, 1000.0),  # between nothing and the first
        ({1: 0.01, 100: 0.05, 200: 0.05}, 1.0, inf),  # more tokens take no more time
    ],
)
def test_the_most_prompt_tokens_a_second(
    prompt: dict[float, float], factor: float, rate: float
) -> None:
    assert prompt_rate(times(prompt), factor) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("prompt", "most", "factor", "seconds"),
    [
        ({1: 0.1, 100: 0.5}, 4, 1.0, 0.024),  # two sequences of two tokens
        ({1: 0.1, 100: 0.5}, 2, 1.0, 0.024),
        ({1: 0.1, 100: 0.5}, 1, 1.0, 0.032),
        ({1: 0.02, 100: 0.5}, 4, 0.5, 0.01),  # beside one prompt token
        ({0: 0.001, 1: 0.02, 100: 0.5}, 4, 1.0, 0.02),
        ({0: 0.001, 2: 0.021, 100: 0.5}, 4, 1.0, 0.011),  # of one token, between two points
    ],
)
def test_the_shortest_iteration_with_a_token_phase(
    prompt: dict[float, float], most: int, factor: float, seconds: float
) -> None:
    of = times(prompt, {1: 0.03, 2: 0.02, 4: 0.05})
    assert least_iteration_s(of, most, factor) == pytest.approx(seconds)


def test_what_a_request_holds_and_for_how_long() -> None:
    """15 tokens for four iterations of half a second, within three seconds; another is excused."""
    requests = requests_of([(7.0, 10, 5), (7.0, 10, 5)])
    every = np.ones(2, bool)
    for percentile, due in ((100.0, 2), (0.0, 1)):
        slos = SLOSet("", (SLOTarget("e2e", percentile, 3.0, "s"),), "dgx-a100")
        needed = memory_work(requests, every, slos, np.ones((3, 2)), 0.5)
        assert needed == pytest.approx(due * 15 * 4 * 0.5 / 3.0)


def test_what_is_just_enough_is_enough() -> None:
    assert can_carry(1.0 * (1.0 + 1e-9), [1.0])
    assert can_carry(3.0, [1.0, 2.0])
    assert not can_carry(1.00001, [1.0])
    assert not can_carry(1.0, [])
