"""Brackets around a change that is known."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from splitwise_plan.questions.sensitivity.thresholds import (
    MOST,
    PRECISION,
    WAYS,
    Bracket,
    Way,
    bracket,
)


@given(st.floats(1.0001, MOST), st.sampled_from(WAYS))
def test_a_step_is_bracketed(at: float, way: Way) -> None:
    def changed(factor: float) -> str | None:
        return "x" if max(factor, 1.0 / factor) >= at * (1.0 - 1e-12) else None

    found = bracket(changed, way)
    assert found.change == "x"
    assert found.outside is not None
    inside, outside = (max(one, 1.0 / one) for one in (found.inside, found.outside))
    assert inside <= at <= outside * (1.0 + 1e-12)
    assert outside / inside <= 1.0 + PRECISION + 1e-9
    assert (found.outside > 1.0) == (way == "up")


def test_nothing_changes() -> None:
    seen: list[float] = []

    def changed(factor: float) -> None:
        seen.append(factor)

    found: Bracket[None] = bracket(changed, "up")
    assert (found.inside, found.outside, found.change) == (MOST, None, None)
    assert seen == sorted(seen)
    assert max(b / a for a, b in pairwise(seen)) <= 1.1 + 1e-9


def test_the_change_is_that_of_the_outer_end() -> None:
    found = bracket(lambda factor: round(factor, 9) if factor > 1.3 else None, "up")
    assert found.outside is not None
    assert found.change == round(found.outside, 9)
