"""What a search goes through, counts and says, where every verdict and bound is given."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from scripted import MEETS, MISSES, RUNS, UNDECIDED, Place, Said, Script, places
from scripted import question as asked

from splitwise_plan.facts.design import CountRange, Design
from splitwise_plan.models.bounds import (
    CAPACITY,
    MEMORY,
)
from splitwise_plan.planner import exhaustive, family_search
from splitwise_plan.planner.exhaustive import Families, search
from splitwise_plan.planner.family_search import FamilySearch, rank
from splitwise_plan.planner.outcome import FamilyResult
from splitwise_plan.planner.progress import Progress
from splitwise_plan.planner.space import objective
from splitwise_plan.scenario.spare import Spare

HA, HH, H = "splitwise-ha", "splitwise-hh", "baseline-h100"

BY_COST: list[Place] = [(1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (3, 1), (2, 3), (3, 2), (3, 3)]
"""Of HA at 3 and 2 dollars: 5, 7, 8, 9, 10, 11, 12, 13 and 15 dollars an hour."""


def family_search_of(script: Script, **more: Any) -> FamilySearch:
    return FamilySearch(script.scenario, script.scenario.spaces[0], script.evaluator, 1, **more)


def script_of(lines: dict[Place, Said], family: str = HA, **keys: Any) -> Script:
    return Script(asked(family, **keys), {family: lines})


class GivenBounds:
    """Bounds that exclude what they are told to."""

    named: dict[Place, str]

    def __init__(self, *_: object) -> None:
        pass

    def excluded_by(self, design: Design) -> str | None:
        return self.named.get((design.prompt_machines, design.token_machines))

    def can_carry(self, design: Design) -> bool:
        return self.excluded_by(design) is None


@pytest.fixture
def excluding(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[Place, str]], None]:
    def exclude(named: dict[Place, str]) -> None:
        given = type("Given", (GivenBounds,), {"named": named})
        monkeypatch.setattr(family_search, "Bounds", given)

    return exclude


def test_levels_are_gone_through_until_one_meets(
    excluding: Callable[[dict[Place, str]], None],
) -> None:
    """(2, 2) at $10 is the least; (1, 3) is too close to call, even when looked at closely.

    Two are excluded before it.
    """
    excluding({(1, 1): CAPACITY, (2, 1): MEMORY, (3, 3): MEMORY})
    lines = {(1, 3): UNDECIDED, (2, 2): MEETS, (2, 3): MEETS, (1, 1): MEETS}
    script = script_of(lines)
    one = family_search_of(script)
    found = one.run(None)
    assert found.best is not None
    assert places([found.best.evaluation.design]) == [(2, 2)]
    assert (found.ties, found.closest) == ((), None)
    assert found.space is script.scenario.spaces[0]
    assert places(script.judged) == [(1, 2), (1, 3), (1, 3), (2, 2)]
    certificate = found.certificate
    assert certificate.better_simulated == 2
    assert certificate.better_excluded == {CAPACITY: 1, MEMORY: 1}
    assert certificate.better_undecided == 1
    assert certificate.better_without_spare == 0
    assert (certificate.space, certificate.better) == (9, 4)
    assert (certificate.exact, certificate.seeds, certificate.seen) == (True, RUNS, None)
    assert one.simulations == 3 * RUNS
    assert len(found.best.evaluation.replications) == RUNS


def test_a_level_counts_only_once_it_is_left() -> None:
    """At $2 a machine (1, 2) and (2, 1) cost the same: the one that misses is no better."""
    prices = {"dgx-h100": 2.0, "dgx-a100": 2.0}
    script = script_of({(2, 1): MEETS}, prices=prices)
    found = family_search_of(script).run(None)
    assert found.best is not None
    assert places([found.best.evaluation.design]) == [(2, 1)]
    assert (found.certificate.better, found.certificate.better_undecided) == (1, 0)
    assert places(script.judged) == [(1, 1), (1, 2), (2, 1)]


def test_where_nothing_meets_all_of_the_space_is_accounted_for(
    excluding: Callable[[dict[Place, str]], None],
) -> None:
    excluding({(1, 1): CAPACITY, (1, 2): CAPACITY})
    lines = {(3, 3): Said("misses", 10.5), (2, 2): UNDECIDED, (3, 2): UNDECIDED}
    script = script_of({**lines, (3, 1): Said("misses", 10.0)})
    found = family_search_of(script).run(None)
    assert found.best is None
    assert found.ties == ()
    certificate = found.certificate
    assert certificate.better == certificate.space == 9
    assert certificate.better_excluded == {CAPACITY: 2}
    assert (certificate.better_simulated, certificate.better_undecided) == (7, 2)
    assert found.closest is not None
    assert places([found.closest.evaluation.design]) == [(2, 2)]  # least $ of those at the limit


def test_where_all_is_excluded_nothing_is_close(
    excluding: Callable[[dict[Place, str]], None],
) -> None:
    excluding(dict.fromkeys(BY_COST, MEMORY))
    script = script_of(dict.fromkeys(BY_COST, MEETS))
    one = family_search_of(script)
    found = one.run(None)
    assert (found.best, found.closest, script.judged, one.simulations) == (None, None, [], 0)
    assert found.certificate.better_excluded == {MEMORY: 9}


def test_what_meets_only_whole_is_counted_apart() -> None:
    """A design that is better and would do if no machine were ever gone."""
    lines = {(1, 2): Said("misses", 9.0, without_spare=True), (2, 2): MEETS}
    found = family_search_of(script_of({**lines, (1, 3): UNDECIDED})).run(None)
    assert found.certificate.better_without_spare == 1
    assert found.certificate.better == 4


def test_a_level_to_end_at_is_looked_at_itself() -> None:
    script = script_of({})
    found = family_search_of(script).run(None, last=9.0)
    assert places(script.judged) == [(1, 1), (1, 2), (2, 1), (1, 3)]
    assert (found.certificate.space, found.certificate.better) == (9, 4)


def test_designs_may_be_picked() -> None:
    script = script_of({(1, 2): MEETS, (2, 2): MEETS})
    found = family_search_of(script).run(None, among=lambda design: design.prompt_machines == 2)
    assert found.best is not None
    assert places([found.best.evaluation.design]) == [(2, 2)]
    assert places(script.judged) == [(2, 1), (2, 2)]
    assert (found.certificate.space, found.certificate.better) == (9, 1)


def test_what_is_known_is_not_judged_again() -> None:
    script = script_of({(2, 2): MEETS})
    known: family_search.Known = {}
    first = family_search_of(script, known=known)
    before = first.run(None)
    again = family_search_of(script, known=known)
    assert again.run(None) == before
    assert (first.simulations, again.simulations) == (5 * RUNS, 0)
    assert again.simulated == first.simulated == 5
    assert len(script.judged) == len(known) == 5
    part = family_search_of(script, known={script.judged[1]: known[script.judged[1]]})
    assert part.run(None) == before
    assert part.simulations == 4 * RUNS


def test_ties_come_in_the_order_of_rank() -> None:
    """$2 a prompt machine, $1 a token machine: $5 buys (2, 1), and (1, 3), which is one more."""
    prices = {"dgx-h100": 2.0, "dgx-a100": 1.0}
    script = script_of({(1, 3): Said("meets", 1.0), (2, 1): MEETS}, prices=prices)
    found = family_search_of(script).run(None)
    assert found.best is not None
    assert places([found.best.evaluation.design, *found.ties]) == [(2, 1), (1, 3)]
    assert found.certificate.better == 2  # (1, 1) and (1, 2)


def test_three_ties_are_all_listed() -> None:
    """The same price, machines and power: the most room comes first."""
    lines = {(1, 3): Said("meets", 8.0), (2, 2): Said("meets", 9.0), (3, 1): Said("meets", 7.0)}
    found = family_search_of(script_of(lines, HH)).run(None)
    assert found.best is not None
    assert places([found.best.evaluation.design, *found.ties]) == [(3, 1), (1, 3), (2, 2)]


def test_rank_is_objective_machines_room_power_and_margin() -> None:
    script = script_of({(1, 2): MEETS}, minimize="machines")
    scenario = script.scenario
    family = scenario.spaces[0].family
    one = script.detail(Design(family, 1, 2), RUNS, 1).evaluation
    watts = family.machines[0].provisioned_power_w + 2 * family.machines[1].provisioned_power_w
    assert rank(scenario, one)[:4] == (3.0, 3, True, watts)
    assert rank(scenario, one)[4] == pytest.approx(-0.1)
    roomy = script_of({(1, 2): Said("meets", 8.9)}, minimize="machines")
    assert rank(scenario, roomy.detail(Design(family, 1, 2), RUNS, 1).evaluation)[2] is False
    dearer = replace(scenario, minimize="cost")
    assert rank(dearer, one)[0] == 7.0


def test_progress_is_told_of_every_design(
    excluding: Callable[[dict[Place, str]], None],
) -> None:
    excluding({(1, 2): CAPACITY})
    prices = {"dgx-h100": 2.0, "dgx-a100": 2.0}
    script = script_of({(1, 3): MEETS, (2, 2): MEETS}, prices=prices)
    told: list[Progress] = []
    family_search_of(script).run(told.append)
    best = Design(script.scenario.spaces[0].family, 1, 3)
    assert told == [
        Progress(HA, 1, 0, 9, None),
        Progress(HA, 1, 1, 9, None),
        Progress(HA, 2, 1, 9, None),
        Progress(HA, 3, 1, 9, best),
        Progress(HA, 4, 1, 9, best),
        Progress(HA, 5, 1, 9, best),
    ]


def test_work_begun_beyond_the_answer_is_over_before_it_is_detailed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[bool] = []
    over: list[bool] = []

    def kept_in_order(
        _journal: object, _kind: object, judge: Callable[[Design], Any], new: Any, _jobs: object
    ) -> Generator[Any, None, None]:
        begun.append(True)
        try:
            yield from map(judge, new)
        finally:
            over.append(True)

    class Asked(Script):
        def detail(self, design: Design, replications: int, jobs: object) -> Any:
            assert len(over) == len(begun) > 1
            return super().detail(design, replications, jobs)

    monkeypatch.setattr(family_search, "kept_in_order", kept_in_order)
    script = Asked(asked(HA), {HA: {(1, 2): MEETS}})
    assert family_search_of(script).run(None).best is not None


# Several families


def families_of(script: Script) -> Families:
    return Families(script.scenario, script.evaluator, 1, None, None)


def best_places(results: tuple[FamilyResult, ...]) -> list[Place | None]:
    return [
        places([one.best.evaluation.design])[0] if one.best is not None else None for one in results
    ]


def three(method: str, lines: dict[str, dict[Place, Said]], **keys: Any) -> Script:
    return Script(asked(HA, HH, H, method=method, **keys), lines)


LINES: dict[str, dict[Place, Said]] = {
    HA: {(2, 2): MEETS, (2, 3): MEETS, (3, 3): MEETS},  # $10
    HH: {(2, 2): MEETS, (2, 3): MEETS, (3, 3): MEETS},  # $12
    H: {(3, 0): MEETS},  # $9
}


def test_exhaustive_proves_every_family() -> None:
    script = three("exhaustive", LINES)
    found = search(script.scenario, 1, evaluator=script.evaluator)
    assert best_places(found.families) == [(2, 2), (2, 2), (3, 0)]
    assert found.best is found.families[2]
    assert all(one.certificate.exact for one in found.families)
    assert [one.certificate.better for one in found.families] == [4, 3, 2]
    assert found.simulations == len(script.judged) * RUNS
    assert script.looked_at == []
    assert found.without_spare is None


def test_one_family_is_proven_whatever_the_method() -> None:
    script = script_of({(2, 2): MEETS, (3, 3): MEETS}, method="auto")
    [only] = search(script.scenario, 1, evaluator=script.evaluator).families
    assert only.certificate.exact
    assert script.looked_at == []


def test_two_families_are_proven_as_far_as_the_answer() -> None:
    """HA is the best at $10; HH is gone through up to there, its own best was found by its edge."""
    lines = {HA: LINES[HA], HH: {**LINES[HH], (1, 3): UNDECIDED}}
    script = Script(asked(HA, HH, method="auto"), lines)
    found = search(script.scenario, 1, evaluator=script.evaluator)
    assert best_places(found.families) == [(2, 2), (2, 2)]
    assert found.best is found.families[0]
    ha, hh = (one.certificate for one in found.families)
    assert (ha.exact, ha.better, ha.seen) == (True, 4, None)
    own = [one for one in script.judged if one.family.id == HH]
    up_to = [one for one in own if objective(script.scenario, one) <= 10.0]
    assert sorted(places(up_to)) == [(1, 1), (1, 2), (2, 1)]
    assert (hh.exact, hh.better, hh.seen, hh.space) == (False, len(up_to), len(own), 9)
    assert len(own) > len(up_to)
    assert found.simulations == (len(script.judged)) * RUNS + len(script.looked_at)


FAR: dict[str, dict[Place, Said]] = {
    HA: {(6, 6): MEETS},  # $30
    HH: {(6, 6): MEETS, (1, 1): MEETS},  # $36 at the edge, and $6 far off it
}


def far(*families: str) -> Script:
    """Six machines a pool, and quick looks that miss what is off the edge."""
    scenario = asked(*families, prompt_machines="1:6", token_machines="1:6", method="auto")
    return Script(scenario, FAR, seems={HA: {(6, 6)}, HH: {(6, 6)}})


def test_a_family_that_seemed_worse_may_win() -> None:
    script = far(HA, HH)
    found = search(script.scenario, 1, evaluator=script.evaluator)
    assert best_places(found.families) == [(6, 6), (1, 1)]
    assert found.best is found.families[1]
    assert found.families[1].certificate.exact
    assert found.families[1].certificate.better == 0
    assert found.families[0].certificate.exact  # HH came after it


def test_the_order_of_families_changes_no_certificate() -> None:
    """The family that seemed best is gone through first, whichever was asked for first."""
    ordered = [far(*families) for families in ((HA, HH), (HH, HA))]
    first, second = (search(one.scenario, 1, evaluator=one.evaluator) for one in ordered)
    assert best_places(second.families) == [(1, 1), (6, 6)]
    by_name = {one.family.id: one.certificate for one in second.families}
    assert by_name == {one.family.id: one.certificate for one in first.families}


def test_a_family_without_an_edge_is_gone_through() -> None:
    """No quick look at HH meets anything, so all of it is judged, and (1, 3) does."""
    lines = {**LINES, HH: {(1, 3): MEETS}}
    seems: dict[str, set[Place]] = {HA: {(2, 2), (2, 3), (3, 3)}, HH: set()}
    script = Script(asked(HA, HH, method="auto"), lines, seems=seems)
    ha, hh = search(script.scenario, 1, evaluator=script.evaluator).families
    assert best_places((ha, hh)) == [(2, 2), (1, 3)]
    assert (hh.certificate.exact, hh.certificate.better) == (True, 3)
    assert places([one for one in script.looked_at if one.family.id == HH]) == [(3, 3)] * 4


def test_where_no_quick_look_meets_every_family_is_proven() -> None:
    script = Script(asked(HA, HH, method="auto"), LINES, seems={HA: set(), HH: set()})
    found = search(script.scenario, 1, evaluator=script.evaluator)
    assert best_places(found.families) == [(2, 2), (2, 2)]
    assert all(one.certificate.exact for one in found.families)
    assert found.simulations == len(script.judged) * RUNS + len(script.looked_at)


def test_one_pool_is_proven_once() -> None:
    """Its few designs are judged at the start; nothing of them is told again."""
    told: list[Progress] = []
    script = three("auto", LINES)
    found = Families(script.scenario, script.evaluator, 1, told.append, None).run()
    assert found.best is found.families[2]
    assert found.families[2].certificate.exact
    assert [one.simulated for one in told if one.family == H] == [1, 2, 3]


def test_found_proves_nothing_but_one_pool() -> None:
    script = three("auto", LINES)
    found = families_of(script).found()
    assert best_places(found.families) == [(2, 2), (2, 2), (3, 0)]
    assert [one.certificate.exact for one in found.families] == [False, False, True]
    assert found.best is found.families[2]


def test_seconds_are_those_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    script = three("exhaustive", LINES)
    clock = SimpleNamespace(perf_counter=iter([5.0, 7.5, 20.0, 20.5]).__next__)
    monkeypatch.setattr(exhaustive, "time", clock)
    assert families_of(script).run().search_s == 2.5
    assert families_of(script).found().search_s == 0.5


def test_nothing_meets() -> None:
    script = three("auto", {HH: {(2, 1): Said("misses", 9.0, without_spare=True)}})
    script.scenario = replace(script.scenario, spare=Spare(1))
    found = search(script.scenario, 1, evaluator=script.evaluator)
    assert (found.best, found.without_spare) == (None, None)
    assert best_places(found.families) == [None, None, None]
    assert [one.certificate.better for one in found.families] == [9, 9, 3]


WHOLE = Said("misses", 9.0, without_spare=True)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ({(1, 2): WHOLE, (2, 1): Said("misses", 8.0, without_spare=True)}, (2, 1)),  # more room
        ({(1, 2): WHOLE, (2, 1): WHOLE}, (1, 2)),
        ({(1, 2): WHOLE, (1, 3): Said("misses", 1.0, without_spare=True)}, (1, 2)),  # less $
        ({(1, 2): MISSES}, (2, 2)),  # the answer itself
    ],
)
def test_what_would_do_if_no_machine_were_ever_gone(
    lines: dict[Place, Said], expected: Place
) -> None:
    script = script_of({**lines, (2, 2): MEETS}, HH)
    script.scenario = replace(script.scenario, spare=Spare(1))
    found = search(script.scenario, 1, evaluator=script.evaluator)
    assert found.without_spare is not None
    assert places([found.without_spare]) == [expected]
    families = families_of(script)
    assert families.best_without_spare() is None  # nothing is known yet
    families.known[Design(script.scenario.spaces[0].family, 1, 1)] = None  # excluded by a bound
    assert families.best_without_spare() is None


def test_of_one_price_and_number_the_design_of_less_power_would_do() -> None:
    prices = {"dgx-h100": 2.0, "dgx-a100": 2.0}
    script = script_of({(1, 2): WHOLE, (2, 1): WHOLE, (3, 3): MEETS}, prices=prices)
    script.scenario = replace(script.scenario, spare=Spare(1))
    found = search(script.scenario, 1, evaluator=script.evaluator)
    assert found.without_spare is not None
    assert places([found.without_spare]) == [(1, 2)]  # one H100 and two A100, not the reverse


def test_a_range_that_nobody_asked_for_grows_until_nothing_better_is_beyond() -> None:
    script = script_of({(3, 1): MEETS, (3, 2): MEETS, (4, 2): MEETS})
    [space] = script.scenario.spaces
    one = CountRange(1, 1)
    small = replace(space, prompt_machines=one, prompt_open=True, token_machines=CountRange(1, 2))
    script.scenario = replace(script.scenario, spaces=(small,))
    [found] = search(script.scenario, 1, evaluator=script.evaluator).families
    assert best_places((found,)) == [(3, 1)]
    assert found.space.prompt_machines == CountRange(1, 4)
    assert found.certificate.better == 4  # (1, 1), (1, 2), (2, 1) and (2, 2)


def test_a_search_of_its_own_has_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    script = script_of({})
    for one in (family_search_of(script), families_of(script)):
        assert not hasattr(one, "__dict__")
        assert one.simulations == 0
    assert (family_search_of(script).simulated, family_search_of(script).undecided) == (0, [])


def test_a_family_without_a_best_has_none_to_give() -> None:
    result = family_search_of(script_of({})).run(None)
    with pytest.raises(ValueError, match="splitwise-ha has no best design"):
        exhaustive._best(result)
