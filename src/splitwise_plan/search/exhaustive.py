"""Exhaustive search in the order of the objective: the first level that meets the SLOs is the best.

Every better design was then simulated and failed, or was excluded by a bound; that is the
certificate. No monotonicity is assumed: more machines may hurt.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.scenario import FamilySpace, Scenario
from splitwise_plan.models.bounds import CAPACITY, can_carry, prompt_rate, prompt_work
from splitwise_plan.models.performance import phase_times
from splitwise_plan.search.driver import in_order
from splitwise_plan.search.evaluate import Evaluator
from splitwise_plan.search.outcome import (
    Certificate,
    Details,
    Evaluation,
    FamilyResult,
    SearchResult,
)
from splitwise_plan.search.space import levels, objective, provisioned_power
from splitwise_plan.sim.simulator import instances_of


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands, told after each design."""

    family: str
    simulated: int
    excluded: int
    space: int
    best: Design | None


Report = Callable[[Progress], None]


def search(scenario: Scenario, jobs: int, progress: Report | None = None) -> SearchResult:
    """The best design of each family of the scenario, and of all."""
    start = time.perf_counter()
    evaluator = Evaluator.of(scenario)
    searches = [FamilySearch(scenario, space, evaluator, jobs) for space in scenario.spaces]
    results = tuple(one.run(progress) for one in searches)
    found = [result for result in results if result.best is not None]
    best = min(found, key=lambda result: rank(scenario, _best(result)), default=None)
    simulations = sum(one.simulations for one in searches)
    return SearchResult(results, best, simulations, time.perf_counter() - start)


def rank(scenario: Scenario, details: Details) -> tuple[float, int, float, float]:
    """Order of designs that meet the SLOs: objective, machines, power, then SLO margin."""
    design = details.evaluation.design
    margin = min(result.margin for result in details.evaluation.worst)
    return (
        objective(scenario, design),
        design.machines,
        provisioned_power(scenario, design),
        -margin,
    )


@dataclass(slots=True)
class FamilySearch:
    """The search of one family."""

    scenario: Scenario
    space: FamilySpace
    evaluator: Evaluator
    jobs: int
    simulations: int = 0
    simulated: int = 0
    excluded: Counter[str] = field(default_factory=Counter)

    def run(self, progress: Report | None) -> FamilyResult:
        """Go through the levels of the objective until one holds a design that meets the SLOs."""
        by_level = levels(self.scenario, self.space)
        size = sum(len(group) for _, group in by_level)
        closest: Evaluation | None = None
        meeting: list[Evaluation] = []
        better_simulated, better_excluded = 0, Counter[str]()
        judged = self._judge_levels(by_level)
        for _, group in by_level:
            better_simulated, better_excluded = self.simulated, self.excluded.copy()
            for design in group:
                evaluation = next(judged)
                if evaluation is None:
                    self.excluded[CAPACITY] += 1
                else:
                    self.simulated += 1
                    self.simulations += len(evaluation.replications)
                    closest = _closer(closest, evaluation)
                    if evaluation.verdict == "meets":
                        meeting.append(evaluation)
                if progress is not None:
                    done = sum(self.excluded.values())
                    best = meeting[0].design if meeting else None
                    progress(Progress(self.space.family.id, self.simulated, done, size, best))
            if meeting:
                break
        else:
            better_simulated, better_excluded = self.simulated, self.excluded.copy()
        judged.close()
        return self._result(size, meeting, closest, better_simulated, better_excluded)

    def _judge_levels(
        self, by_level: list[tuple[float, list[Design]]]
    ) -> Iterator[Evaluation | None]:
        """Judge all designs in order, lazily; None where a bound excludes one."""
        needed = [
            prompt_work(s.requests, s.counted, self.scenario.slos, s.alone_s)
            for s in self.evaluator.simulators
        ]

        def judge(design: Design) -> Evaluation | None:
            if not can_carry(max(needed), self._prompt_rates(design)):
                return None
            return self.evaluator.judge(design)

        return in_order(judge, (d for _, group in by_level for d in group), self.jobs)

    def _prompt_rates(self, design: Design) -> Iterator[float]:
        """Best prompt rate of each kind of instance, all of that kind together."""
        parts = [(design.family.prompt_machine, design.prompt_machines)]
        if design.family.token_machine is not None:
            parts.append((design.family.token_machine, design.token_machines))
        for machine, count in parts:
            times = phase_times(self.scenario.profiles[machine.profile], self.scenario.assumptions)
            yield instances_of(machine, count, design.tensor_parallel) * prompt_rate(times)

    def _result(
        self,
        size: int,
        meeting: list[Evaluation],
        closest: Evaluation | None,
        better_simulated: int,
        better_excluded: Counter[str],
    ) -> FamilyResult:
        details = [self.evaluator.detail(evaluation.design) for evaluation in meeting]
        details.sort(key=lambda one: rank(self.scenario, one))
        near = None
        if not details and closest is not None:
            near = self.evaluator.detail(closest.design)
        return FamilyResult(
            space=self.space,
            best=details[0] if details else None,
            ties=tuple(one.evaluation.design for one in details[1:]),
            certificate=Certificate(
                space=size,
                better_simulated=better_simulated,
                better_excluded=dict(better_excluded),
                exact=True,
                seeds=len(self.evaluator.simulators),
            ),
            closest=near,
        )


def _best(result: FamilyResult) -> Details:
    if result.best is None:
        raise ValueError(f"{result.family.id} has no best design")
    return result.best


def _closer(best: Evaluation | None, other: Evaluation) -> Evaluation:
    """The one that met the SLOs in more replications; of equals the later, which is larger."""
    if best is None or len(other.replications) >= len(best.replications):
        return other
    return best


