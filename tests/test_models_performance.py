"""Iteration times: laws of both assumption sets, and numbers of the profile."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.profile import Curve, Profile
from splitwise_plan.facts.requests import Requests
from splitwise_plan.models.curves import extended, held
from splitwise_plan.models.performance import (
    PhaseTimes,
    context_slope,
    phase_times,
    reference_times,
    require_positive,
)

CATALOG = Catalog()
MEASURED, PAPER = CATALOG.assumptions("measured"), CATALOG.assumptions("splitwisesim")
SETS = [(name, tp) for name in CATALOG.list("profiles") for tp in (2, 4, 8)]
SETS = [(name, tp) for name, tp in SETS if tp == 8 or "llama2" in name]


@pytest.fixture(params=SETS, ids=lambda item: f"{item[0]}-{item[1]}")
def profile(request: pytest.FixtureRequest) -> Profile:
    name, tensor_parallel = request.param
    machine, llm = name.split("__")
    return CATALOG.profile(machine, llm, tensor_parallel)


def bloom(machine: str = "dgx-a100", measured: bool = True) -> PhaseTimes:
    return phase_times(CATALOG.profile(machine, "bloom-176b", 8), MEASURED if measured else PAPER)


@given(st.lists(st.tuples(st.floats(0.1, 100), st.floats(-9, 9)), min_size=2, max_size=8))
@settings(deadline=None)
def test_curves_pass_through_their_points_and_go_on_straight(
    steps: list[tuple[float, float]],
) -> None:
    x = np.cumsum([step for step, _ in steps])
    y = np.array([value for _, value in steps])
    assert extended(x, y, x) == pytest.approx(y, abs=1e-9)
    assert held(x, y, x) == pytest.approx(y, abs=1e-9)
    beyond = x[-1] + np.array([1.0, 2.0])
    assert np.diff(extended(x, y, beyond))[0] == pytest.approx(
        (y[-1] - y[-2]) / (x[-1] - x[-2]), abs=1e-6
    )
    assert held(x, y, [x[0] - 5, x[-1] + 5]).tolist() == [y[0], y[-1]]
    assert [Curve(x, y)(at) for at in x] == pytest.approx(y, abs=1e-9)


def test_arrays_and_curves_agree(profile: Profile) -> None:
    curve, at = profile.prompt_time, np.array([1.0, 128, 700, 32768, 90_000])
    assert extended(curve.x, curve.y, at) == pytest.approx([curve(x) for x in at], rel=1e-12)


def test_times_pass_through_the_medians(profile: Profile) -> None:
    measured, paper = phase_times(profile, MEASURED), phase_times(profile, PAPER)
    for times in (measured, paper):
        assert times.prompt_s(profile.prompt_time.x) == pytest.approx(profile.prompt_time.y)
    sweep = profile.token_time_by_batch
    assert measured.token_s(sweep.x, 512 * sweep.x) == pytest.approx(sweep.y)
    tokens = profile.token_time_by_batch_tokens
    assert paper.token_s(tokens.x, 12345) == pytest.approx(tokens.y)


def test_times_are_positive_and_grow_with_batch_and_context(profile: Profile) -> None:
    times = phase_times(profile, MEASURED)
    sequences = np.arange(1, 513)
    assert np.all(times.prompt_s(np.arange(1, 100_000, 37)) > 0)
    assert np.all(times.token_s(sequences, sequences) > 0)
    assert times.context_slope_s >= 0
    assert np.all(times.token_s(8, [8 * 4096]) >= times.token_s(8, [8 * 512]))
    assert np.all(phase_times(profile, PAPER).token_s(sequences, 0) > 0)


@pytest.mark.parametrize("machine", ["dgx-a100", "dgx-h100"])
def test_prompt_and_token_times_of_bloom_rise(machine: str) -> None:
    times = bloom(machine)
    assert np.all(np.diff(times.prompt_s(np.arange(1, 40_000, 13))) > 0)
    assert np.all(np.diff(times.token_s(np.arange(1, 513), 512 * np.arange(1, 513))) > 0)


def test_sixty_four_sequences_cost_twice_as_much_and_the_simulator_does_not_see_it() -> None:
    assert float(bloom().token_s(64, 64 * 512)) == pytest.approx(0.09658, rel=1e-3)
    assert float(bloom(measured=False).token_s(64, 64 * 512)) == pytest.approx(0.0476, rel=2e-3)


def test_a_capped_machine_is_slower_in_prompts_only() -> None:
    full, capped = bloom("dgx-h100"), bloom("dgx-h100-cap70")
    tokens = np.array([128, 2048, 8192])
    assert capped.prompt_s(tokens) == pytest.approx(1.3 * full.prompt_s(tokens), rel=1e-9)
    assert capped.token_s(8, 4096) == pytest.approx(full.token_s(8, 4096))


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=9))
@settings(deadline=None)
def test_the_slope_is_that_of_least_squares_and_not_negative(y: list[float]) -> None:
    x = 128.0 * 2.0 ** np.arange(len(y), dtype=np.float64)
    expected = max(0.0, float(np.polyfit(x, y, 1)[0]))
    assert context_slope(Curve(x, np.array(y, dtype=np.float64))) == pytest.approx(
        expected, abs=1e-12
    )


def test_reference_latencies() -> None:
    requests = Requests(np.zeros(2), np.array([512, 4096]), np.array([1, 101]))
    for times, assumptions in ((bloom(), MEASURED), (bloom(measured=False), PAPER)):
        reference = reference_times(requests, times, assumptions)
        assert reference.ttft_s == pytest.approx(times.prompt_s([512, 4096]))
        assert reference.e2e_s[0] == reference.ttft_s[0]
        assert reference.e2e_s[1] == pytest.approx(reference.ttft_s[1] + 100 * reference.tbt_s[1])
    assert reference.tbt_s == pytest.approx(extended(times.token_x, times.token_y, [512, 4096]))
    measured = reference_times(requests, bloom(), MEASURED)
    assert measured.tbt_s == pytest.approx(bloom().token_s([1, 1], [512, 4096]))


def test_a_profile_in_which_an_iteration_takes_no_time_is_refused() -> None:
    x = np.array([1.0, 64.0])
    flat = Curve(x, np.array([0.030, 0.0301]))  # hardly longer for 64 sequences, and beyond
    steep = Curve(np.array([128.0, 8192.0]), np.array([0.020, 0.060]))
    profile = Profile("m", "l", 8, flat, flat, flat, steep, flat, flat)
    times = phase_times(profile, MEASURED)
    require_positive(profile, times, 8)
    with pytest.raises(InputError, match="sequences of 2 tokens would take -"):
        require_positive(profile, times, 64)
