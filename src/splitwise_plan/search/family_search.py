"""The designs of one family in the order of the objective, judged until one meets the SLOs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from math import inf

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.scenario import FamilySpace, Scenario
from splitwise_plan.search.driver import Jobs
from splitwise_plan.search.evaluate import Evaluator, as_judged
from splitwise_plan.search.exclusion import Bounds
from splitwise_plan.search.journal import Journal, evaluations, kept_in_order, or_none
from splitwise_plan.search.nearest import closest
from splitwise_plan.search.outcome import Certificate, Details, Evaluation, FamilyResult
from splitwise_plan.search.progress import Progress, Report
from splitwise_plan.search.space import levels, objective, provisioned_power

Known = dict[Design, Evaluation | None]
"""Designs judged so far; None: excluded by a bound."""


def rank(scenario: Scenario, details: Details) -> tuple[float, int, float, float]:
    """Order of designs that meet the SLOs: objective, machines, power, then SLO margin."""
    design = details.evaluation.design
    return (
        objective(scenario, design),
        design.machines,
        provisioned_power(scenario, design),
        -details.evaluation.margin,
    )


@dataclass(slots=True)
class FamilySearch:
    """The search of one family."""

    scenario: Scenario
    space: FamilySpace
    evaluator: Evaluator
    jobs: Jobs
    journal: Journal | None = None
    known: Known = field(default_factory=dict)
    """Shared by the searches of one question: nothing is judged twice."""
    simulations: int = 0
    simulated: int = 0
    undecided: int = 0
    without_spare: int = 0
    excluded: Counter[str] = field(default_factory=Counter)

    def run(
        self,
        progress: Report | None,
        last: float = inf,
        among: Callable[[Design], bool] | None = None,
    ) -> FamilyResult:
        """Go through the levels of the objective until one holds a design that meets the SLOs.

        `last`: the level to end at. `among`: look at those designs only.
        """
        by_level = levels(self.scenario, self.space)
        size = sum(len(group) for _, group in by_level)
        by_level = [(level, _only(group, among)) for level, group in by_level if level <= last]
        tried: list[Evaluation] = []
        meeting: list[Evaluation] = []
        bounds = Bounds(self.space, self.evaluator)
        judged = self._judge_levels(by_level, bounds)
        for _, group in by_level:
            certificate = self._certificate(size)
            for design, evaluation in zip(group, judged, strict=False):
                if evaluation is None:
                    self.excluded[bounds.excluded_by(design) or ""] += 1
                else:
                    self.simulated += 1
                    self.undecided += evaluation.verdict == "undecided"
                    tried.append(evaluation)
                    if evaluation.verdict == "meets":
                        meeting.append(evaluation)
                    else:
                        self.without_spare += evaluation.meets_whole
                if progress is not None:
                    done = sum(self.excluded.values())
                    best = meeting[0].design if meeting else None
                    progress(Progress(self.space.family.id, self.simulated, done, size, best))
            if meeting:
                break
        else:
            certificate = self._certificate(size)
        judged.close()
        return self._result(meeting, tried, certificate)

    def _certificate(self, size: int) -> Certificate:
        """What has been looked at so far."""
        return Certificate(
            space=size,
            better_simulated=self.simulated,
            better_excluded=dict(self.excluded),
            better_undecided=self.undecided,
            exact=True,
            seeds=self.evaluator.looks[0],
            better_without_spare=self.without_spare,
        )

    def _judge_levels(
        self, by_level: list[tuple[float, list[Design]]], bounds: Bounds
    ) -> Generator[Evaluation | None, None, None]:
        """Judge all designs in order, lazily; None where a bound excludes one."""
        evaluator = self.evaluator

        def judge(design: Design) -> Evaluation | None:
            return evaluator.judge(design) if bounds.can_carry(design) else None

        everything = [design for _, group in by_level for design in group]
        new = [design for design in everything if design not in self.known]
        kind = or_none(evaluations("search", self.scenario.slos))
        judged = kept_in_order(self.journal, kind, judge, new, self.jobs)
        try:
            for design in everything:
                if design not in self.known:
                    self.known[design] = evaluation = next(judged)
                    self.simulations += evaluation.simulations if evaluation else 0
                yield self.known[design]
        finally:
            judged.close()

    def _result(
        self, meeting: list[Evaluation], tried: list[Evaluation], certificate: Certificate
    ) -> FamilyResult:
        details = [self._detail(evaluation) for evaluation in meeting]
        details.sort(key=lambda one: rank(self.scenario, one))
        near = None
        if not details:
            cost = partial(objective, self.scenario)
            near = closest(self.evaluator, tried, cost, self.jobs)
        return FamilyResult(
            space=self.space,
            best=details[0] if details else None,
            ties=tuple(one.evaluation.design for one in details[1:]),
            certificate=certificate,
            closest=self._detail(near) if near else None,
        )

    def _detail(self, evaluation: Evaluation) -> Details:
        replications = len(evaluation.replications)
        details = self.evaluator.detail(evaluation.design, replications, self.jobs)
        return as_judged(details, evaluation)


def _only(designs: list[Design], among: Callable[[Design], bool] | None) -> list[Design]:
    return designs if among is None else [design for design in designs if among(design)]
