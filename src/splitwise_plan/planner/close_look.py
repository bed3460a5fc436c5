"""Designs that a first look leaves undecided, judged as surely as they can be."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.driver import Jobs, alone
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.journal import Journal, Kind, kept_in_order
from splitwise_plan.planner.outcome import Evaluation


def most_room_first(judged: Iterable[Evaluation | None]) -> list[Evaluation]:
    """Those of some evaluations that are undecided."""
    undecided = [one for one in judged if one is not None and one.verdict == "undecided"]
    return sorted(undecided, key=lambda one: -one.margin)


def judge_closely(
    evaluator: Evaluator,
    design: Design,
    jobs: Jobs,
    journal: Journal | None,
    kind: Kind[Design, Evaluation],
) -> Evaluation:
    """The verdict on one design, by all jobs together, or as the journal has it."""
    outside, inside = alone(jobs)
    judge = partial(evaluator.judge, jobs=inside)
    [judged] = kept_in_order(journal, kind, judge, [design], outside)
    return judged
