"""Random scenarios by the dozen: no crash, no broken law, no memory that is not given back."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soak
from soak_scenarios import draw

from splitwise_plan.sim import outages

KINDS = (
    *("assumptions measured", "assumptions splitwisesim", "scenarios with failures"),
    *("arrivals trace", "arrivals poisson", "arrivals gamma", "arrivals mmpp"),
    *("arrivals diurnal", "arrivals spike", "arrivals piecewise", "ended drained"),
    *("verdict meets", "verdict misses", "restarts after an outage"),
    *("horizon steady", "horizon window"),
)


def test_fifty() -> None:
    seen, wrong, _ = soak.soak(0, 50)
    assert wrong == []
    assert seen["scenarios"] == 50
    assert [kind for kind in KINDS if not seen[kind]] == []


def test_what_is_wrong_is_told_with_what_repeats_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> soak.Seen:
        raise ZeroDivisionError

    monkeypatch.setattr(soak, "endure", crash)
    seen, wrong, _ = soak.soak(41, 2)
    assert seen == {}
    assert [one.split(":")[0] for one in wrong] == ["41", "42"]
    assert all("ZeroDivisionError" in one and '"families": [' in one for one in wrong)


def test_a_scenario_is_the_same_again(tmp_path: Path) -> None:
    one, again, other = (draw(np.random.default_rng(n), tmp_path) for n in (5, 5, 6))
    assert one == again != other


@pytest.mark.verify
@pytest.mark.parametrize("number", [1_025, 1_028])
def test_one_with_runs_as_long_as_they_are(number: int) -> None:
    seen, wrong, _ = soak.soak(number, 1, whole=True)
    assert wrong == []
    assert seen["horizon steady"] == 1


@pytest.mark.verify
@pytest.mark.parametrize("block", range(4))
def test_two_thousand(block: int) -> None:
    _, wrong, _ = soak.soak(10_000 + 500 * block, 500)
    assert wrong == []


def held_bytes() -> int:
    """What Python holds, but for failures that were drawn and may be asked for again."""
    outages._drawn.cache_clear()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.verify
def test_memory_is_given_back() -> None:
    soak.soak(20_000, 50)  # what is read once and kept has been read
    tracemalloc.start()
    try:
        soak.soak(20_100, 20)
        before = held_bytes()
        soak.soak(20_200, 100)
        assert held_bytes() - before < 100_000
    finally:
        tracemalloc.stop()
