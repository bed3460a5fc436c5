"""Laws that a run with outages obeys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from cases import Case, with_outages
from test_kernel_laws import (
    ROUNDING,
    as_bytes,
    law_3_memory_is_conserved,
    law_4_causes_come_before_effects,
    law_5_memory_is_not_exceeded,
    law_9_little,
    law_10_the_clock_stops_with_the_last_token,
)
from worlds import Played, World, random_worlds

from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.outages import down_s


def law_1_requests_are_conserved(run: Played) -> None:
    """Each request finishes exactly once, or is counted as unfinished."""
    finished = np.isfinite(run.requests.last_token_s)
    assert run.state.counters[k.FINISHED] == finished.sum()
    assert np.all(np.isfinite(run.requests.first_token_s[finished]))
    assert run.drained == finished.all()


def law_2_books_are_balanced(run: Played) -> None:
    """When all is done nothing is pending, booked or promised, whatever was lost in between."""
    if run.drained:
        for count in ("context_tokens", "pending_tokens", "pending"):
            assert np.all(run.instances[count] == 0), count
        assert run.state.counters[k.WAITING_HEAD] == 0
    lost = run.state.counters[[k.RESTARTS, k.LOST_PROMPT_TOKENS, k.LOST_OUTPUT_TOKENS]]
    assert np.all(lost >= 0)
    assert (lost[0] > 0) >= (lost[1] > 0)


def law_6_machines_that_are_down_do_nothing(run: Played) -> None:
    """Neither the iterations of the records, nor the busy time, reach into an outage."""
    state, requests = run.state, run.requests
    gone = down_s(state.changes, len(run.instances), 0.0, run.end_s)
    assert np.all(run.busy_s <= run.end_s - gone + ROUNDING * (1 + run.end_s))
    since: dict[int, float] = {}
    for time_s, i, kind in [*state.changes.tolist(), *((np.inf, i, k.UP) for i in range(99))]:
        if kind == k.DOWN:
            since[i] = time_s
        elif i in since:
            start_s = since.pop(i)
            for end, begins, ends in (
                ("prompt_instance", "prompt_start_s", "first_token_s"),
                ("token_instance", "last_token_s", "last_token_s"),
            ):
                here = (requests[end] == i) & np.isfinite(requests[ends])
                inside = (requests[begins] < time_s) & (requests[ends] > start_s)
                assert not np.any(here & inside), (i, start_s, time_s, end)


LAWS: tuple[Callable[[Played], None], ...] = (
    law_1_requests_are_conserved,
    law_2_books_are_balanced,
    law_3_memory_is_conserved,
    law_5_memory_is_not_exceeded,
    law_6_machines_that_are_down_do_nothing,
    law_9_little,
    law_10_the_clock_stops_with_the_last_token,
)

played = cache(World.play)


@pytest.mark.parametrize("world", random_worlds(range(5000, 5040), with_outages), ids=str)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Played], None], world: World) -> None:
    law(played(world))


def from_scratch(case: Case) -> Case:
    broken = with_outages(case)
    return replace(broken, rules=replace(broken.rules, checkpoint_tokens=0))


@pytest.mark.parametrize("world", random_worlds(range(5000, 5040), from_scratch), ids=str)
def test_causes_come_before_effects_in_the_last_attempt(world: World) -> None:
    law_4_causes_come_before_effects(world.play())


@pytest.mark.verify
@pytest.mark.parametrize("block", range(10))
def test_laws_on_two_thousand_runs(block: int) -> None:
    for world in random_worlds(range(30_000 + 100 * block, 30_100 + 100 * block), with_outages):
        run = world.play()
        for law in LAWS:
            law(run)


def later(case: Case, by_s: float) -> Case:
    """The same with outages from a time on that no run reaches."""
    return replace(case, changes=((by_s, 0, "down"), (by_s + 1.0, 0, "up")))


@pytest.mark.parametrize("seed", range(700, 720))
def test_outages_beyond_the_end_change_nothing_to_the_bit(seed: int) -> None:
    without = random_worlds(range(seed, seed + 1))
    beyond = random_worlds(range(seed, seed + 1), partial(later, by_s=1e7))
    for one, other in zip(without, beyond, strict=True):
        run = one.play()
        if run.drained:  # one that is stuck goes on, in case an outage helps
            assert as_bytes(run) == as_bytes(other.play())


def test_a_stuck_run_goes_on_where_an_outage_helps() -> None:
    """Machines full of each other's prompts: what one of them loses may free another."""
    seeds = range(1000, 1040)
    alone, helped = random_worlds(seeds), random_worlds(seeds, partial(later, by_s=1e4))
    pairs = [(one.play(), other.play()) for one, other in zip(alone, helped, strict=True)]
    stuck = [(one, other) for one, other in pairs if not one.drained]
    assert stuck
    for one, other in stuck:
        law_1_requests_are_conserved(other)
        assert other.state.counters[k.CHANGES_MADE] > 0
        assert other.state.counters[k.FINISHED] >= one.state.counters[k.FINISHED]
    assert any(other.drained for _, other in stuck)
