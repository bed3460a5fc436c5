"""How many runs a verdict takes, and what it comes to, where what each run says is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from scenes import scenario_of
from scripted import LIMIT, TARGET, Place, details_of, place

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.evaluate import Evaluator, as_judged, records
from splitwise_plan.planner.outcome import Evaluation, Reduced, Replication
from splitwise_plan.planner.replications import joint_verdict
from splitwise_plan.planner.spare import judge_losses, seem_to_do
from splitwise_plan.planner.windows import Windows
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.scenario.spare import Spare
from splitwise_plan.sim.verdict import TargetResult, Verdict

SAID: dict[str, Verdict] = {"+": "meets", "-": "misses", "u": "unstable", "?": "undecided"}


def ran(number: int, sign: str, value: float | None) -> Replication:
    """A run that met (+), missed (-), was unstable (u) or measured nothing (?)."""
    results = () if value is None else (TargetResult(TARGET, value),)
    return Replication(number, SAID[sign], results)


class Runs(Windows):
    """Runs say one after the other what `signs` and `values` have; misses are ended early."""

    def __init__(self, scenario: Scenario, signs: str, values: Sequence[float]) -> None:
        super().__init__(scenario)
        self.signs = signs
        self.values = values or [LIMIT + {"+": -1, "-": 1, "u": 9}.get(s, 0) for s in signs]
        self.asked: list[tuple[int, bool]] = []

    def _replicate(
        self, design: Design, number: int, *, stop_when_missed: bool = False
    ) -> Replication:
        self.asked.append((number, stop_when_missed))
        ended_early = stop_when_missed and self.signs[number] == "-"
        return ran(number, self.signs[number], None if ended_early else self.values[number])


class Given(Evaluator):
    """An evaluator of such runs."""

    def __init__(self, signs: str, values: Sequence[float] = (), seeds: int = 3) -> None:
        scenario = scenario_of("splitwise-hh", seeds=seeds, rate=1, horizon="window")
        super().__init__(replace(scenario, max_seeds=4 * seeds))
        self._judging = runs = Runs(self.scenario, signs, values)
        self.asked = runs.asked

    @property
    def design(self) -> Design:
        return Design(self.scenario.spaces[0].family, 1, 1)


def test_how_often_the_runs_of_a_design_are_looked_at() -> None:
    """One seed is one look, whatever the most may be; a replayed trace is one run."""
    scenario = scenario_of("splitwise-hh", seeds=3, rate=1, horizon="window")
    for seeds, most, expected in ((3, 12, [3, 6, 12]), (3, 4, [3, 4]), (3, 2, [3]), (1, 12, [1])):
        assert Evaluator(replace(scenario, seeds=seeds, max_seeds=most)).looks == expected
    assert Evaluator(scenario, 5).looks == [5]
    replayed = replace(scenario, arrivals=replace(scenario.arrivals, process="trace"))
    assert Evaluator(replayed).looks == [1]


QUICK = [(0, True), (1, True), (2, True)]


@pytest.mark.parametrize(
    ("signs", "verdict"),
    [
        ("---", "misses"),
        ("-u-", "unstable"),
        ("--u", "unstable"),
        ("?--", "misses"),
        ("-??", "misses"),
        ("???", "undecided"),
    ],
)
def test_what_meets_in_no_run_is_not_run_again(signs: str, verdict: Verdict) -> None:
    given = Given(signs)
    judged = given.judge(given.design)
    assert (judged.verdict, judged.simulations, given.asked) == (verdict, 3, QUICK)
    assert [one.replication for one in judged.replications] == [0, 1, 2]


@pytest.mark.parametrize("sign", SAID)
def test_one_run_is_its_own_verdict(sign: str) -> None:
    given = Given(sign, seeds=1)
    judged = given.judge(given.design)
    assert (judged.verdict, judged.simulations) == (SAID[sign], 1)
    assert given.asked == [(0, True)]


def test_three_that_meet_are_enough_where_they_are_alike() -> None:
    given = Given("+++")
    judged = given.judge(given.design)
    assert (judged.verdict, judged.simulations, given.asked) == ("meets", 3, QUICK)


def test_runs_that_were_ended_early_are_run_to_their_end_where_another_met() -> None:
    given = Given("+-+---" + "-" * 6, [9.9, 50.0, 9.9, 50.0, 50.0, 50.0, *[50.0] * 6])
    judged = given.judge(given.design)
    assert given.asked[:4] == [*QUICK, (1, False)]
    assert given.asked[4:7] == [(3, False), (4, False), (5, False)]
    assert judged.verdict == "misses"
    assert judged.simulations == len(given.asked)
    assert all(one.results for one in judged.replications)
    assert len(judged.replications) in (6, 12)


def test_what_is_too_close_to_call_stays_so_after_four_times_as_many() -> None:
    given = Given("+-" * 6, [LIMIT - 0.5, LIMIT + 0.5] * 6)
    judged = given.judge(given.design)
    assert judged.verdict == "undecided"
    assert len(judged.replications) == 12
    assert judged.simulations == len(given.asked) == 13


def test_what_was_judged_is_remembered() -> None:
    given = Given("+++")
    assert given.judge(given.design) is given.judge_whole(given.design)
    assert given.asked == QUICK


def test_a_quick_look_ends_with_the_first_miss() -> None:
    given = Given("+-+")
    assert not given.seems_to_meet(given.design)
    assert given.asked == QUICK[:2]
    assert Given("+++").seems_to_meet(given.design)
    assert Given("+?+").seems_to_meet(given.design)  # too few requests, all within the limits


def of_runs(signs: str, *values: float | None) -> tuple[Replication, ...]:
    return tuple(ran(*each) for each in zip(range(len(signs)), signs, values, strict=True))


@pytest.mark.parametrize(
    ("signs", "values", "verdict"),
    [
        ("-", [None], "misses"),
        ("u", [99.0], "unstable"),
        ("++", [9.0, 9.0], "meets"),
        ("+-", [9.0, None], "misses"),
        ("+-", [9.9, 10.1], "undecided"),
        ("--", [11.0, 11.0], "misses"),
        ("-u", [11.0, 11.0], "unstable"),
        ("--u", [11.0, 11.0, 11.0], "misses"),
        ("-uu", [11.0, 11.0, 11.0], "unstable"),
        ("+u", [9.9, 10.1], "unstable"),
        ("uu", [9.0, 9.0], "unstable"),  # whatever the limits
        ("++u", [9.9, 10.1, 10.1], "undecided"),
        ("++u", [9.0, 9.0, 9.0], "meets"),
        ("+?", [9.0, 9.0], "undecided"),
    ],
)
def test_runs_together(signs: str, values: list[float | None], verdict: Verdict) -> None:
    assert joint_verdict(of_runs(signs, *values)) == verdict


@pytest.mark.parametrize(
    ("found", "judged", "expected"),
    [
        ("undecided", "misses", "misses"),  # judged on runs that were ended early
        ("undecided", "undecided", "undecided"),
        ("meets", "misses", "misses"),
        ("unstable", "misses", "unstable"),
        ("misses", "undecided", "misses"),
    ],
)
def test_details_have_the_verdict_that_was_judged_unless_theirs_says_more(
    found: Verdict, judged: Verdict, expected: Verdict
) -> None:
    design = Given("+").design
    details = details_of(Evaluation(design, found, (), 1))
    kept = as_judged(details, Evaluation(design, judged, (), 2))
    assert kept.evaluation == Evaluation(design, expected, (), 1)


def test_details_keep_what_was_judged_with_machines_gone() -> None:
    design = Given("+").design
    details = details_of(Evaluation(design, "meets", (), 1))
    left = (Reduced(0, 1, "misses"),)
    kept = as_judged(details, Evaluation(design, "misses", (), 2, left))
    assert kept.evaluation == Evaluation(design, "misses", (), 1, left)


@dataclass
class Left:
    """Judges what is left of a design, by its machines, in five runs each; notes what it judged."""

    said: dict[Place, Verdict]
    judged: list[Place] = field(default_factory=list)

    def __call__(self, design: Design) -> Evaluation:
        self.judged.append(place(design))
        results = (TargetResult(TARGET, 0.75 * LIMIT),)
        verdict = self.said[place(design)]
        return Evaluation(design, verdict, (Replication(0, verdict, results),), 5)


def spared(spare: Spare, machines: Place, left: Left) -> Evaluation:
    design = replace(Given("+").design, prompt_machines=machines[0], token_machines=machines[1])
    return judge_losses(spare, Evaluation(design, "meets", (), 3), left)


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("meets", "meets", "meets"),
        ("meets", "misses", "misses"),
        ("undecided", "meets", "undecided"),
        ("undecided", "misses", "misses"),
        ("meets", "unstable", "misses"),
    ],
)
def test_a_design_does_as_what_is_left_of_it(
    one: Verdict, other: Verdict, verdict: Verdict
) -> None:
    left = Left({(1, 2): one, (2, 1): other})
    judged = spared(Spare(1), (2, 2), left)
    assert judged.verdict == verdict
    assert judged.simulations == 3 + 5 + 5
    assert left.judged == [(1, 2), (2, 1)]
    assert judged.reduced == (Reduced(1, 2, one, 0.25), Reduced(2, 1, other, 0.25))


def test_after_the_first_loss_that_misses_nothing_is_judged() -> None:
    left = Left({(1, 2): "misses", (2, 1): "meets"})
    judged = spared(Spare(1), (2, 2), left)
    assert (judged.verdict, judged.simulations, left.judged) == ("misses", 8, [(1, 2)])


def test_a_pool_without_a_machine_misses_unjudged() -> None:
    left = Left({})
    judged = spared(Spare(1), (1, 2), left)
    assert (judged.verdict, judged.simulations, left.judged) == ("misses", 3, [])
    assert judged.reduced == (Reduced(0, 2, "misses"),)


@pytest.mark.parametrize(
    ("seems", "expected"), [({(1, 2), (2, 1)}, True), ({(1, 2)}, False), (set(), False)]
)
def test_a_quick_look_at_all_that_may_be_left(seems: set[Place], expected: bool) -> None:
    design = replace(Given("+").design, prompt_machines=2, token_machines=2)
    assert seem_to_do(Spare(1), design, lambda left: place(left) in seems) == expected
    alone = replace(design, prompt_machines=1)
    assert not seem_to_do(Spare(1), alone, lambda _: True)


def test_two_runs_that_disagree_are_not_the_end_of_it() -> None:
    given = Given("+-++++++", seeds=2)
    judged = given.judge_whole(given.design)
    assert len(judged.replications) == 8
    assert judged.simulations == 9  # the miss, ended early, is run to its end


def test_details_are_of_the_first_look_and_records_of_the_first_run() -> None:
    load = {"rate": 2, "duration": 5, "horizon": "window"}
    scenario = replace(scenario_of("splitwise-hh", seeds=2, **load), max_seeds=4)
    evaluator = Evaluator(scenario)
    design = Design(scenario.spaces[0].family, 1, 1)
    assert len(evaluator.detail(design).evaluation.replications) == 2
    assert len(evaluator.detail(design, 3).evaluation.replications) == 3
    simulator, run = records(scenario, design)
    first = evaluator.simulator(0)
    assert np.array_equal(simulator.requests.arrival_s, first.requests.arrival_s)
    assert np.array_equal(run.requests.last_token_s, first.run(design).requests.last_token_s)
