"""The designs of one family in the order of the objective, judged until one meets the SLOs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.close_look import judge_closely, most_room_first
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.evaluate import Evaluator, as_judged
from splitwise_plan.planner.exclusion import Bounds
from splitwise_plan.planner.journal import Journal, evaluations, kept_in_order, or_none
from splitwise_plan.planner.nearest import closest
from splitwise_plan.planner.outcome import Certificate, Details, Evaluation, FamilyResult
from splitwise_plan.planner.progress import Progress, ProgressCallback
from splitwise_plan.planner.space import levels, objective, provisioned_power
from splitwise_plan.scenario.scenario import Scenario

Known = dict[Design, Evaluation | None]
"""Designs judged so far; None: excluded by a bound."""


ROOM = 0.1
"""Of equals, those with so much to spare of every limit come before those with less."""


def rank(scenario: Scenario, judged: Evaluation) -> tuple[float, ...]:
    """Order of designs that meet the SLOs: objective, machines, room, power, then SLO margin."""
    design, margin = judged.design, judged.margin
    return (
        objective(scenario, design),
        design.machines,
        margin < ROOM,
        provisioned_power(scenario, design),
        -margin,
    )


@dataclass(slots=True)
class FamilySearch:
    """The search of one family.

    `proving`: look closely also at designs that seem to miss, until they are known to.
    """

    scenario: Scenario
    space: FamilySpace
    evaluator: Evaluator
    jobs: Jobs
    journal: Journal | None = None
    proving: bool = True
    known: Known = field(default_factory=dict)
    """Shared by the searches of one question: nothing is judged twice."""
    simulations: int = 0
    simulated: int = 0
    undecided: list[Design] = field(default_factory=list)
    without_spare: int = 0
    excluded: Counter[str] = field(default_factory=Counter)

    def run(
        self,
        progress: ProgressCallback | None,
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
        new = [one for _, group in by_level for one in group if one not in self.known]
        screened = self._screened(new, bounds)
        for _, group in by_level:
            certificate = self._certificate(size)
            judged = self._judge_level(group, screened, bounds)
            for design, evaluation in zip(group, judged, strict=True):
                if evaluation is None:
                    self.excluded[bounds.excluded_by(design) or ""] += 1
                else:
                    self.simulated += 1
                    if evaluation.verdict == "undecided":
                        self.undecided.append(design)
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
        screened.close()
        if meeting:
            return self._best(meeting, certificate)
        near = None
        if last == inf:  # else it is a part of what is asked
            near = closest(self.evaluator, tried, partial(objective, self.scenario), self.jobs)
        return FamilyResult(self.space, None, (), certificate, self._detail(near) if near else None)

    def _certificate(self, size: int) -> Certificate:
        """What has been looked at so far."""
        return Certificate(
            space=size,
            better_simulated=self.simulated,
            better_excluded=dict(self.excluded),
            undecided=tuple(self.undecided),
            exact=True,
            seeds=self.evaluator.looks[0],
            better_without_spare=self.without_spare,
        )

    def _screened(
        self, designs: Sequence[Design], bounds: Bounds
    ) -> Generator[Evaluation | None, None, None]:
        """Verdicts of designs, in order, that soon turn out to miss; None of all others."""

        def screen(design: Design) -> Evaluation | None:
            return self.evaluator.screen(design) if bounds.can_carry(design) else None

        kind = or_none(evaluations("search", self.scenario.slos))
        return kept_in_order(self.journal, kind, screen, designs, self.jobs)

    def _judge_level(
        self,
        group: Sequence[Design],
        screened: Iterator[Evaluation | None],
        bounds: Bounds,
    ) -> list[Evaluation | None]:
        """Judge the designs of a level; None where a bound excludes one.

        Those that are not `screened` out at first look, and then, while none meets, those that it
        leaves undecided, the one with the most room first: one that meets ends the search.
        """
        new = [design for design in group if design not in self.known]
        for design, evaluation in zip(new, screened, strict=False):
            self._keep(design, evaluation)
        left = [one for one in new if self.known[one] is None and bounds.can_carry(one)]
        self._look(left)
        found = [self.known[one] for one in group]
        if not any(one is not None and one.verdict == "meets" for one in found):
            self._judge_closely(most_room_first(found))
        return [self.known[one] for one in group]

    def _look(self, designs: Sequence[Design]) -> None:
        """Judge designs at first look."""
        kind = evaluations("search", self.scenario.slos)
        look = partial(self.evaluator.judge, first_look=True)
        looked = kept_in_order(self.journal, kind, look, designs, self.jobs)
        for design, evaluation in zip(designs, looked, strict=True):
            self._keep(design, evaluation)

    def _judge_closely(self, undecided: Sequence[Evaluation]) -> None:
        """One after the other, until one meets."""
        kind = evaluations("closely", self.scenario.slos)
        for one in undecided:
            if not (self.proving or one.seems_to_meet):
                continue
            judged = judge_closely(self.evaluator, one.design, self.jobs, self.journal, kind)
            self._keep(one.design, judged)
            if judged.verdict == "meets":
                break

    def _keep(self, design: Design, evaluation: Evaluation | None) -> None:
        before = self.known.get(design)
        counted = before.simulations if before else 0
        self.simulations += evaluation.simulations - counted if evaluation else 0
        self.known[design] = evaluation

    def _best(self, meeting: Sequence[Evaluation], certificate: Certificate) -> FamilyResult:
        first, *others = sorted(meeting, key=lambda one: rank(self.scenario, one))
        ties = tuple(one.design for one in others)
        return FamilyResult(self.space, self._detail(first), ties, certificate, None)

    def _detail(self, evaluation: Evaluation) -> Details:
        replications = len(evaluation.replications)
        details = self.evaluator.detail(evaluation.design, replications, self.jobs)
        return as_judged(details, evaluation)


def _only(designs: list[Design], among: Callable[[Design], bool] | None) -> list[Design]:
    return designs if among is None else [design for design in designs if among(design)]
