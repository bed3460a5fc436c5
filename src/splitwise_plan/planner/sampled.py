"""The least cost, power or machine count at a rate, in spaces too large to go through.

Designs of all families are one space (`grid`). TPE proposes designs in batches of a fixed size,
with the objective to be minimised and the SLOs as a constraint; what a bound excludes is not
simulated. The best design found of each family is then polished by a local search. The result is
the best found, not a proven one: its certificates say how much of the space was seen.

Every question asked of the sampler follows from the scenario's seed and earlier results alone, and
results are kept (`records`): a search that was killed asks the same again, finds the answers
written down, and goes on from there to the same result.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.models.bounds import CAPACITY
from splitwise_plan.planner import trial
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.evaluate import Evaluator, as_judged
from splitwise_plan.planner.family_search import rank
from splitwise_plan.planner.fingerprint import fingerprint
from splitwise_plan.planner.grid import Grid, size
from splitwise_plan.planner.local_search import local_search, order
from splitwise_plan.planner.outcome import (
    Certificate,
    Details,
    Evaluation,
    FamilyResult,
    SearchResult,
)
from splitwise_plan.planner.progress import Progress, ProgressCallback
from splitwise_plan.planner.records import Keeping, Records
from splitwise_plan.planner.run_lengths import shortest_s
from splitwise_plan.planner.space import objective
from splitwise_plan.planner.study import Conversation
from splitwise_plan.planner.trial import Judge, Trial
from splitwise_plan.scenario.scenario import Scenario

BATCH = 24
"""Designs proposed at a time: fixed, so that jobs change nothing."""

TRIALS = 240
"""Designs proposed where nothing else is said: ten batches."""

STALE = 5
"""Batches without a design that is new after which the sampler is not asked again."""

EXHAUSTIVE_S = 600.0
"""Up to this expected time a space is gone through, one by one and with a proof."""

REQUESTS_PER_S = 1e6
"""Requests simulated per second and thread, as far as the choice of a method is concerned: a fixed
number, so that the choice is the same on every machine."""


def expected_s(scenario: Scenario) -> float:
    """Expected time to simulate every design once for each seed, in one thread."""
    arrivals = scenario.arrivals
    if arrivals.process == "trace" and scenario.trace is not None:
        requests = float(len(scenario.trace))
    else:
        requests = (arrivals.rate_rps or 0.0) * shortest_s(scenario)
    seeds = 1 if arrivals.process == "trace" else scenario.seeds
    return Grid(scenario).size * requests * seeds / REQUESTS_PER_S


def is_large(scenario: Scenario) -> bool:
    """Whether `method = auto` samples the space instead of going through it."""
    return expected_s(scenario) > EXHAUSTIVE_S


def search_sampled(  # noqa: PLR0913, PLR0917
    scenario: Scenario,
    jobs: Jobs,
    budget_trials: int = TRIALS,
    storage: str | None = None,
    study_name: str | None = None,
    report: ProgressCallback | None = None,
) -> SearchResult:
    """The best design found of each family of the scenario, and of all.

    `budget_trials` designs are proposed, rounded up to whole batches; the local search comes on
    top. `storage`: a file, a URL that Optuna knows, or None to keep nothing.
    """
    start = time.perf_counter()
    grid = Grid(scenario)
    question = fingerprint(scenario, "least objective")
    judge = Judge.of(scenario)
    with Keeping(storage, study_name).notebook(question, grid.counts, objectives=1) as notebook:
        records = Records(
            notebook,
            judge,
            lambda design, told: trial.from_json(scenario.slos, design, told),
            jobs,
        )
        search = Sampled(scenario, grid, records, judge.evaluator, report)
        search.sample(budget_trials)
        search.local_search()
    results = tuple(search.result(space) for space in scenario.spaces)
    best = min(
        (one for one in results if one.best is not None),
        key=lambda one: rank(scenario, one.best.evaluation) if one.best else (),
        default=None,
    )
    simulations = sum(one.simulations for one in records.known.values())
    return SearchResult(results, best, simulations, time.perf_counter() - start)


@dataclass(slots=True)
class Sampled:
    """A search under way."""

    scenario: Scenario
    grid: Grid
    records: Records[Trial]
    evaluator: Evaluator
    report: ProgressCallback | None
    proposed: int = 0

    def sample(self, trials: int) -> None:
        """Ask, judge and tell in batches; the largest design of every family comes first."""
        first = [self.grid.corner(space) for space in self.scenario.spaces]
        conversation = Conversation(self.grid.shares, 1, self.scenario.seed, first)
        stale = 0
        while self.proposed < trials and stale < STALE:
            seen = len(self.records.known)
            designs = [self.grid.design(point) for point in conversation.ask(BATCH)]
            results = self.judge(designs)
            conversation.tell((one.values, one.excess) for one in results)
            self.proposed += BATCH
            stale = stale + 1 if len(self.records.known) == seen else 0

    def judge(self, designs: Sequence[Design]) -> list[Trial]:
        """Their results, and word of where the search stands."""
        results = self.records.of(designs)
        if self.report is not None and designs:
            best = self._best(None)
            excluded = sum(one.evaluation is None for one in self.records.known.values())
            simulated = len(self.records.known) - excluded
            name = (best or designs[-1]).family.id
            self.report(Progress(name, simulated, excluded, self.grid.size, best))
        return results

    def local_search(self) -> None:
        """A local search from the best design of each family, that of the winner first."""
        found = [self._best(space) for space in self.scenario.spaces]
        meeting = [design for design in found if design is not None]
        for design in sorted(meeting, key=lambda one: order(self.scenario, one)):
            local_search(self.grid, design, self.judge)

    def result(self, space: FamilySpace) -> FamilyResult:
        """What was found of a family."""
        seen = self._seen(space)
        best = self._best(space)
        if best is None:
            tried = [(one.excess, one.evaluation) for one in seen.values() if one.evaluation]
            closest = min(
                tried,
                key=lambda pair: (pair[0], objective(self.scenario, pair[1].design)),
                default=None,
            )
            near = self._detail(closest[1]) if closest else None
            return FamilyResult(space, None, (), self._certificate(space, seen, inf), near)
        level = objective(self.scenario, best)
        meeting = [
            one.evaluation
            for design, one in seen.items()
            if one.evaluation is not None
            and one.meets
            and objective(self.scenario, design) == level
        ]
        meeting.sort(key=lambda one: rank(self.scenario, one))
        certificate, ties = self._certificate(space, seen, level), [one.design for one in meeting]
        return FamilyResult(space, self._detail(meeting[0]), tuple(ties[1:]), certificate, None)

    def _certificate(
        self, space: FamilySpace, seen: dict[Design, Trial], level: float
    ) -> Certificate:
        """How many designs better than a level of the objective were seen, of how many."""
        better = [one for design, one in seen.items() if objective(self.scenario, design) < level]
        simulated = [one.evaluation for one in better if one.evaluation is not None]
        excluded = len(better) - len(simulated)
        return Certificate(
            space=size(space),
            better_simulated=len(simulated),
            better_excluded={CAPACITY: excluded} if excluded else {},
            undecided=tuple(one.design for one in simulated if one.verdict == "undecided"),
            exact=False,
            seeds=self.evaluator.looks[0],
            seen=len(seen),
        )

    def _seen(self, space: FamilySpace) -> dict[Design, Trial]:
        known = self.records.known.items()
        return {design: one for design, one in known if design.family.id == space.family.id}

    def _best(self, space: FamilySpace | None) -> Design | None:
        """The first in order that meets the SLOs, of a family or of all."""
        meeting = [
            design
            for design, one in self.records.known.items()
            if one.meets and (space is None or design.family.id == space.family.id)
        ]
        return min(meeting, key=lambda one: order(self.scenario, one), default=None)

    def _detail(self, evaluation: Evaluation) -> Details:
        replications = len(evaluation.replications)
        details = self.evaluator.detail(evaluation.design, replications, self.records.jobs)
        return as_judged(details, evaluation)
