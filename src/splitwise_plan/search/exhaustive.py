"""The least cost, power or machine count at a rate, by exhaustive search in objective order.

The first level of the objective at which a design meets the SLOs is the best. Every better design
was then simulated and failed, or was excluded by a bound; that is the certificate. No monotonicity
is assumed: more machines may hurt.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.scenario import FamilySpace, Scenario
from splitwise_plan.models.bounds import CAPACITY
from splitwise_plan.search.driver import Jobs
from splitwise_plan.search.evaluate import Evaluator, as_judged
from splitwise_plan.search.exclusion import PromptCapacity
from splitwise_plan.search.journal import Journal, evaluations, kept_in_order, or_none
from splitwise_plan.search.nearest import closest
from splitwise_plan.search.outcome import (
    Certificate,
    Details,
    Evaluation,
    FamilyResult,
    SearchResult,
)
from splitwise_plan.search.progress import Progress, Report
from splitwise_plan.search.space import levels, objective, provisioned_power
from splitwise_plan.search.widen import widened


def search(
    scenario: Scenario,
    jobs: Jobs,
    progress: Report | None = None,
    journal: Journal | None = None,
) -> SearchResult:
    """The best design of each family of the scenario, and of all; `journal`: to go on from."""
    start = time.perf_counter()
    evaluator = Evaluator(scenario)
    done = [
        _search_family(FamilySearch(scenario, space, evaluator, jobs, journal), progress)
        for space in scenario.spaces
    ]
    results = tuple(result for result, _ in done)
    found = [result for result in results if result.best is not None]
    best = min(found, key=lambda result: rank(scenario, _best(result)), default=None)
    simulations = sum(simulations for _, simulations in done)
    return SearchResult(results, best, simulations, time.perf_counter() - start)


def _search_family(one: FamilySearch, progress: Report | None) -> tuple[FamilyResult, int]:
    """Search a family, again in a wider space while better designs may lie beyond (see `widen`)."""
    simulations = 0
    while True:
        result = one.run(progress)
        simulations += one.simulations
        wider = widened(one.scenario, one.evaluator, result)
        if wider is None:
            return result, simulations
        one = FamilySearch(one.scenario, wider, one.evaluator, one.jobs, one.journal)


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
    simulations: int = 0
    simulated: int = 0
    undecided: int = 0
    excluded: Counter[str] = field(default_factory=Counter)

    def run(self, progress: Report | None) -> FamilyResult:
        """Go through the levels of the objective until one holds a design that meets the SLOs."""
        by_level = levels(self.scenario, self.space)
        size = sum(len(group) for _, group in by_level)
        tried: list[Evaluation] = []
        meeting: list[Evaluation] = []
        judged = self._judge_levels(by_level)
        for _, group in by_level:
            certificate = self._certificate(size)
            for evaluation in islice(judged, len(group)):
                if evaluation is None:
                    self.excluded[CAPACITY] += 1
                else:
                    self.simulated += 1
                    self.simulations += evaluation.simulations
                    self.undecided += evaluation.verdict == "undecided"
                    tried.append(evaluation)
                    if evaluation.verdict == "meets":
                        meeting.append(evaluation)
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
        )

    def _judge_levels(
        self, by_level: list[tuple[float, list[Design]]]
    ) -> Generator[Evaluation | None, None, None]:
        """Judge all designs in order, lazily; None where a bound excludes one."""
        evaluator = self.evaluator
        bound = PromptCapacity(self.scenario, self.space, evaluator)

        def judge(design: Design) -> Evaluation | None:
            return evaluator.judge(design) if bound.can_carry(design) else None

        everything = (design for _, group in by_level for design in group)
        kind = or_none(evaluations("search", self.scenario.slos))
        return kept_in_order(self.journal, kind, judge, everything, self.jobs)

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


def _best(result: FamilyResult) -> Details:
    if result.best is None:
        raise ValueError(f"{result.family.id} has no best design")
    return result.best
