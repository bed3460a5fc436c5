"""The walk along the edge of what meets, step by step, and what counts as near it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest
from scripted import HA, MEETS, Place, Script, places, question

from splitwise_plan.facts.design import CountRange, Design, FamilySpace
from splitwise_plan.planner.boundary import Boundary, BoundaryWalk
from splitwise_plan.planner.space import objective

H = "baseline-h100"


def script(meets: set[Place]) -> Script:
    return Script(question(HA), {HA: dict.fromkeys(meets, MEETS)})


def walked(of: Script, space: FamilySpace) -> Boundary:
    return BoundaryWalk(of.evaluator)(space)


def test_a_walk_goes_down_where_it_meets_and_right_where_it_does_not() -> None:
    above = {(2, 2), (2, 3), (3, 1), (3, 2), (3, 3)}
    told = script(above)
    [space] = told.scenario.spaces
    edge = walked(told, space)
    assert edge == Boundary(space, {2: 2, 3: 1}, 6)
    assert places(told.looked_at) == [(3, 3), (1, 3), (2, 3), (2, 2), (2, 1), (3, 1)]


def test_a_walk_ends_at_the_last_prompt_machine_too() -> None:
    told = script({(3, 3)})
    [space] = told.scenario.spaces
    assert walked(told, space) == Boundary(space, {3: 3}, 5)
    assert places(told.looked_at)[1:] == [(1, 3), (2, 3), (3, 3), (3, 2)]


def test_where_even_the_largest_misses_there_is_no_edge() -> None:
    told = script(set())
    [space] = told.scenario.spaces
    assert walked(told, space) == Boundary(space, {}, 4)
    assert places(told.looked_at) == [(3, 3)] * 4  # the ranges are not open


def test_open_ranges_are_doubled_until_the_largest_meets() -> None:
    told = script({(p, t) for p in range(10, 13) for t in range(10, 13)})
    [space] = told.scenario.spaces
    opened = replace(space, prompt_open=True, token_open=True)
    edge = walked(told, opened)
    assert places(told.looked_at)[:4] == [(3, 3), (6, 6), (12, 12), (1, 12)]
    assert edge.space == replace(
        opened, prompt_machines=CountRange(1, 12), token_machines=CountRange(1, 12)
    )
    assert edge.tokens == {10: 10}
    assert edge.simulations == len(told.looked_at)


def test_one_pool_has_no_edge() -> None:
    told = Script(question(H), {H: {(3, 0): MEETS}})
    [space] = told.scenario.spaces
    with pytest.raises(ValueError, match="baseline-h100 has one pool, and no edge"):
        walked(told, space)


@pytest.mark.parametrize(
    ("prompt", "near"),
    [
        (5, range(9, 15)),  # one machine below the edge to four above it
        (4, range(9, 15)),  # left of it: that of the next column
        (3, ()),
        (6, range(2, 8)),
        (7, ()),
    ],
)
def test_what_is_near(prompt: int, near: range) -> None:
    told = script(set())
    [space] = told.scenario.spaces
    edge = Boundary(space, {5: 10, 6: 3}, 0)
    found = [t for t in range(20) if edge.is_near(Design(space.family, prompt, t))]
    assert found == [*near]


def test_edges_are_values() -> None:
    told = script(set())
    edge = Boundary(told.scenario.spaces[0], {}, 0)
    for one in (edge, BoundaryWalk(told.evaluator)):
        assert not hasattr(one, "__dict__")
    with pytest.raises(FrozenInstanceError):
        edge.simulations = 1  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        BoundaryWalk(told.evaluator).evaluator = told.evaluator  # type: ignore[misc]


@pytest.mark.parametrize(
    ("watts", "expected"), [(1.23456789, 1.234568), (2.00000049, 2.0), (0.1 + 0.2, 0.3)]
)
def test_power_is_counted_to_the_microwatt(watts: float, expected: float) -> None:
    """Sums differ in their last bits; what differs by less than can be measured is equal."""
    told = script(set())
    [space] = told.scenario.spaces
    prompt = replace(space.family.prompt_machine, provisioned_power_w=watts)
    family = replace(space.family, prompt_machine=prompt)
    scenario = replace(told.scenario, minimize="power")
    assert objective(scenario, Design(family, 1, 0)) == expected
