"""The least cost, power or machine count at a rate, in objective order.

The first level of the objective at which a design meets the SLOs is the best. Every better design
was then simulated and failed, or was excluded by a bound; that is the certificate. No monotonicity
is assumed: more machines may hurt, if rarely (tests/test_more_machines.py).

With `method = "exhaustive"` that holds for each family. Otherwise it holds for the best of all: a
family whose own best is worse is gone through as far as the answer's level, and what it has beyond
is the best that was found near the edge of what meets (see `edge`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from math import inf
from threading import Lock

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.boundary import Boundary, BoundaryWalk
from splitwise_plan.planner.driver import Jobs, in_order, together
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.family_search import FamilySearch, Known, rank
from splitwise_plan.planner.journal import Journal
from splitwise_plan.planner.outcome import Details, FamilyResult, SearchResult
from splitwise_plan.planner.progress import ProgressCallback
from splitwise_plan.planner.space import objective, provisioned_power
from splitwise_plan.planner.widen import up_to_level, widened
from splitwise_plan.scenario.scenario import Scenario


def search(
    scenario: Scenario,
    jobs: Jobs,
    progress: ProgressCallback | None = None,
    journal: Journal | None = None,
    evaluator: Evaluator | None = None,
) -> SearchResult:
    """The best design of each family of the scenario, and of all; `journal`: to go on from.

    `evaluator`: what judges designs, where it is not the scenario's load alone.
    """
    return Families(scenario, evaluator or Evaluator(scenario), jobs, progress, journal).run()


@dataclass(slots=True)
class Families:
    """The search of all families of a scenario; nothing is judged twice."""

    scenario: Scenario
    evaluator: Evaluator
    jobs: Jobs
    progress: ProgressCallback | None
    journal: Journal | None
    known: Known = field(default_factory=dict)
    simulations: int = 0
    _lock: Lock = field(default_factory=Lock)

    def run(self) -> SearchResult:
        """Search as the scenario's method says."""
        start = time.perf_counter()
        each = self.scenario.method == "exhaustive" or len(self.scenario.spaces) == 1
        results = self.all_proven() if each else self.best_proven()
        return self._result(results, start)

    def found(self) -> SearchResult:
        """The best designs near the families' edges: soon found, and nothing is proven."""
        start = time.perf_counter()
        found = self._found()
        return self._result(tuple(found[one.family.id] for one in self.scenario.spaces), start)

    def _result(self, results: tuple[FamilyResult, ...], start: float) -> SearchResult:
        found = [result for result in results if result.best is not None]
        best = min(
            found, key=lambda result: rank(self.scenario, _best(result).evaluation), default=None
        )
        spare = best is not None and self.scenario.spare
        bare = self.best_without_spare() if spare else None
        return SearchResult(results, best, self.simulations, time.perf_counter() - start, bare)

    def all_proven(self) -> tuple[FamilyResult, ...]:
        """Each family's best, with nothing better left out."""
        return tuple(together(self._proven, self.scenario.spaces, self.jobs))

    def best_proven(self) -> tuple[FamilyResult, ...]:
        """The best of all with nothing better left out; of other families the best found."""
        found = self._found()
        level = min(map(self._level, found.values()), default=inf)
        if level == inf:
            return self.all_proven()
        first = min(self.scenario.spaces, key=lambda one: self._level(found[one.family.id]))
        best = self._up_to(first, level, found[first.family.id], self.jobs)
        level = min(level, self._level(best))

        def others(space: FamilySpace, jobs: Jobs) -> FamilyResult:
            if space.family == best.family:
                return best
            return self._up_to(space, level, found[space.family.id], jobs)

        return tuple(together(others, self.scenario.spaces, self.jobs))

    def best_without_spare(self) -> Design | None:
        """The best design that meets the SLOs as long as no machine is gone.

        It is no worse than the answer, and every design that is no worse has been judged.
        """
        meeting = [one for one in self.known.values() if one is not None and one.meets_whole]
        first = min(
            meeting,
            key=lambda one: (
                *(objective(self.scenario, one.design), one.design.machines),
                *(provisioned_power(self.scenario, one.design), -one.margin_whole),
            ),
            default=None,
        )
        return first.design if first is not None else None

    def _found(self) -> dict[str, FamilyResult]:
        """By family id, the best near its edge; of families with one pool, which are small, all."""
        spaces = self.scenario.spaces
        two = [space for space in spaces if space.token_machines is not None]
        walked = in_order(BoundaryWalk(self.evaluator), two, self.jobs)
        edges = {edge.space.family.id: edge for edge in walked}
        self.simulations += sum(edge.simulations for edge in edges.values())

        def near(space: FamilySpace, jobs: Jobs) -> FamilyResult:
            edge = edges.get(space.family.id)
            if edge is None:
                return self._proven(space, jobs, proving=False)
            return self._run(edge.space, jobs, among=edge, proving=False)

        results = together(near, spaces, self.jobs)
        return {result.space.family.id: result for result in results}

    def _up_to(
        self, space: FamilySpace, level: float, found: FamilyResult, jobs: Jobs
    ) -> FamilyResult:
        """A family as far as a level; if nothing of it meets there, what was found beyond."""
        proven = found.certificate.exact
        if proven and not found.certificate.better_undecided:
            return found
        if found.best is None:
            return self._proven(space, jobs)
        result = self._run(up_to_level(self.scenario, space, level), jobs, last=level)
        if result.best is not None:
            return result
        if proven:
            return found
        certificate = replace(result.certificate, exact=False, seen=self._seen(space))
        return replace(found, certificate=replace(certificate, space=found.certificate.space))

    def _proven(self, space: FamilySpace, jobs: Jobs, *, proving: bool = True) -> FamilyResult:
        """Search a family, again in a wider space while better designs may be beyond (`widen`)."""
        while True:
            result = self._run(space, jobs, proving=proving)
            wider = widened(self.scenario, self.evaluator, result)
            if wider is None:
                return result
            space = wider

    def _run(
        self,
        space: FamilySpace,
        jobs: Jobs,
        last: float = inf,
        among: Boundary | None = None,
        *,
        proving: bool = True,
    ) -> FamilyResult:
        one = FamilySearch(
            *(self.scenario, space, self.evaluator, jobs, self.journal),
            proving=proving,
            known=self.known,
        )
        result = one.run(self.progress, last, among.is_near if among else None)
        with self._lock:
            self.simulations += one.simulations
        if among is not None:
            return replace(result, certificate=replace(result.certificate, exact=False))
        return result

    def _level(self, result: FamilyResult) -> float:
        if result.best is None:
            return inf
        return objective(self.scenario, result.best.evaluation.design)

    def _seen(self, space: FamilySpace) -> int:
        return sum(design.family == space.family for design in self.known)


def _best(result: FamilyResult) -> Details:
    if result.best is None:
        raise ValueError(f"{result.family.id} has no best design")
    return result.best
