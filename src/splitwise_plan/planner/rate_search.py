"""The largest rate of one family under a budget: quick looks, then every design judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.budget import design_rank, frontier
from splitwise_plan.planner.close_look import judge_closely, most_room_first
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.evaluate import as_judged
from splitwise_plan.planner.exclusion import Bounds, PromptCapacity
from splitwise_plan.planner.journal import Journal, evaluations, kept_in_order, or_none, quick_looks
from splitwise_plan.planner.nearest import closest
from splitwise_plan.planner.outcome import Certificate, Details, Evaluation, FamilyResult
from splitwise_plan.planner.progress import Progress, ProgressCallback
from splitwise_plan.planner.rates import MAX_LEVELS, RateLevels, likely_rate_rps
from splitwise_plan.planner.widen import within_budgets
from splitwise_plan.scenario.scenario import Scenario

MOST_UNDECIDED = 20
"""Steps above the answer up to which the end of the undecided rates is looked for."""

NEAREST = 6
"""Designs around a favourite that a quick look at a rate begins with."""


@dataclass(slots=True)
class RateSearch:
    """The search of one family."""

    scenario: Scenario
    space: FamilySpace
    rates: RateLevels
    jobs: Jobs
    journal: Journal | None = None
    simulations: int = 0
    judged: int = 0
    favourite: Design | None = None
    """The design that met the SLOs last: tried first at the next rate."""
    candidates: list[Design] = field(init=False)
    level: int | None = None
    """The largest at which a design is known to meet; 0 always is. None: not looked for yet."""
    _known: dict[int, dict[Design, Evaluation | None]] = field(default_factory=dict)
    """By level, what was judged: nothing is judged twice."""

    def __post_init__(self) -> None:
        self.space = within_budgets(self.scenario, self.space)
        self.candidates = frontier(self.scenario, self.space)

    def run(self, report: ProgressCallback | None) -> FamilyResult:
        """The family's rate: every candidate is judged there, and at the next step."""
        if not self.candidates:
            self.level = 0
            return self._result(0, [], [])
        level = self._rough_level(report) if self.level is None else self.level
        while self.rises_to(level + 1, report):
            level += 1
        while level and not self.rises_to(level, report):
            level -= 1
        self.level = level
        here = self._judge_all(level, report) if level else []
        return self._result(level, here, self._judge_all(level + 1, report))

    def settle(self, report: ProgressCallback | None) -> int:
        """A level, about as high as it can be, at which a design was judged to meet."""
        level = self._rough_level(report) if self.candidates else 0
        while level and not self._some_meets(level, report):
            level -= 1
        self.level = level
        return level

    def _some_meets(self, level: int, report: ProgressCallback | None) -> bool:
        """Whether the favourite, or else another of some candidates, meets at a level."""
        first = [self.favourite] if self.favourite else []
        return any(
            any(map(_meets, self._judge(level, designs, report)))
            or self._closely_meets(level, designs)
            for designs in (first, self._some())
        )

    def rises_to(self, level: int, report: ProgressCallback | None) -> bool:
        """Whether any candidate meets at a level; all of them are judged."""
        rises = any(map(_meets, self._judge_all(level, report)))
        rises = rises or self._closely_meets(level, self.candidates)
        if rises:
            self.level = max(level, self.level or 0)
        return rises

    def _closely_meets(self, level: int, designs: Sequence[Design]) -> bool:
        """Whether one meets of those that a first look leaves undecided, that with most room first.

        The others are then left as they are.
        """
        known, evaluator = self._known[level], self.rates.evaluator(level)
        kind = evaluations(f"closely at {level}", self.scenario.slos)
        for one in most_room_first(map(known.get, designs)):
            judged = judge_closely(evaluator, one.design, self.jobs, self.journal, kind)
            self.simulations += judged.simulations - one.simulations
            known[one.design] = judged
            if _meets(judged):
                return True
        return False

    def found(self, most: int, report: ProgressCallback | None) -> FamilyResult:
        """The rate that was found, of a family that does not reach `most + 1`."""
        level = self.level or 0
        beyond = self._judge_all(most + 1, report)
        here = [one for one in self._known.get(level, {}).values() if _meets(one)]
        result = self._result(level, here, beyond, missed_at=most + 1)
        return replace(result, certificate=replace(result.certificate, exact=False))

    def _rough_level(self, report: ProgressCallback | None) -> int:
        """Gallop up from a guess, then bisect, looking at designs spread over the space."""
        feasible, infeasible, step = 0, MAX_LEVELS, 0
        level = self._guess()
        while infeasible - feasible > 1:
            level = min(max(level, feasible + 1), infeasible - 1)
            if self._seems_feasible(level, report):
                feasible = level
                step = max(2 * step, level // 16, 1)
                level = feasible + step
                if infeasible < MAX_LEVELS:
                    level = min(level, (feasible + infeasible) // 2)
            else:
                infeasible = level
                level = (feasible + infeasible) // 2
        return feasible

    def _guess(self) -> int:
        """Half of what the prompts of the largest design would allow."""
        bound = PromptCapacity(self.scenario, self.space)
        likely = likely_rate_rps(self.scenario, bound, self.candidates)
        return max(1, min(int(likely / self.scenario.rate_step_rps), MAX_LEVELS - 1))

    def _some(self) -> list[Design]:
        """A few candidates: those around the last that seemed to meet, then some of the rest."""
        around = self.favourite or self.candidates[len(self.candidates) // 2]
        ordered = sorted(
            self.candidates,
            key=lambda one: (
                abs(one.prompt_machines - around.prompt_machines),
                one.prompt_machines,
            ),
        )
        return ordered[:NEAREST] + ordered[NEAREST :: len(ordered) // NEAREST or 1]

    def _seems_feasible(self, level: int, report: ProgressCallback | None) -> bool:
        """Whether one of some candidates meets the SLOs at a rate, at a quick look."""
        evaluator = self.rates.evaluator(level)
        some = self._some()
        kind = quick_looks(f"look at {level}")
        looks = kept_in_order(self.journal, kind, evaluator.seems_to_meet, some, self.jobs)
        for design, meets in zip(some, looks, strict=True):
            self.simulations += 1
            self._tell(report)
            if meets:
                self.favourite = design
                looks.close()
                return True
        return False

    def _judge_all(self, level: int, report: ProgressCallback | None) -> list[Evaluation | None]:
        """Judge every candidate at a rate; None where a bound excludes one."""
        return list(self._judge(level, self.candidates, report))

    def _judge(
        self, level: int, designs: Sequence[Design], report: ProgressCallback | None
    ) -> Iterator[Evaluation | None]:
        """Judge designs at a rate, lazily, those that were not yet."""
        known = self._known.setdefault(level, {})
        evaluator = self.rates.evaluator(level)
        bounds = self._bounds(level)

        def judge(design: Design) -> Evaluation | None:
            if not bounds.can_carry(design):
                return None
            return evaluator.judge(design, first_look=True)

        kind = or_none(evaluations(f"rate {level}", self.scenario.slos))
        new = [design for design in designs if design not in known]
        judged = kept_in_order(self.journal, kind, judge, new, self.jobs)
        try:
            for design in designs:
                if design not in known:
                    known[design] = evaluation = next(judged)
                    self.judged += 1
                    self.simulations += evaluation.simulations if evaluation else 0
                    self._tell(report)
                yield known[design]
        finally:
            judged.close()

    def _bounds(self, level: int) -> Bounds:
        return Bounds(self.space, self.rates.evaluator(level))

    def _tell(self, report: ProgressCallback | None) -> None:
        if report is not None:
            space = len(self.candidates)
            report(Progress(self.space.family.id, self.judged, 0, space, self.favourite))

    def _result(
        self,
        level: int,
        here: Sequence[Evaluation | None],
        beyond: Sequence[Evaluation | None],
        missed_at: int | None = None,
    ) -> FamilyResult:
        """The designs that meet at `level`, and that none does at `missed_at`: a step beyond."""
        missed_at = missed_at or level + 1
        tried = [one for one in beyond if one is not None]
        bounds = self._bounds(missed_at)
        pairs = zip(self.candidates, beyond, strict=False)
        excluded = Counter(bounds.excluded_by(one) or "" for one, found in pairs if found is None)
        certificate = Certificate(
            space=len(self.candidates),
            better_simulated=len(tried),
            better_excluded=dict(excluded),
            undecided=tuple(one.design for one in tried if one.verdict == "undecided"),
            exact=True,
            seeds=self.rates.evaluator(1).looks[0],
        )
        details = [self._detail(level, one) for one in here if one is not None and _meets(one)]
        if not details:
            evaluator = self.rates.evaluator(missed_at)
            near = closest(evaluator, tried, lambda one: one.cost_usd_per_hour, self.jobs)
            told = self._detail(missed_at, near) if near else None
            return FamilyResult(self.space, None, (), certificate, told)
        details.sort(key=lambda one: design_rank(self.scenario, one))
        ties = tuple(one.evaluation.design for one in details[1:])
        rate, high = self.rates.rate_rps(level), self._surely_missing(missed_at, tried)
        return FamilyResult(self.space, details[0], ties, certificate, None, rate, high)

    def _surely_missing(self, level: int, tried: Sequence[Evaluation]) -> float | None:
        """The rate at which the designs undecided at `level` all miss; None if that is far away."""
        open_ = [one.design for one in tried if one.verdict == "undecided"]
        for higher in range(level, level + MOST_UNDECIDED):
            if not open_:
                return self.rates.rate_rps(higher)
            evaluator = self.rates.evaluator(higher + 1)
            kind = evaluations(f"rate {higher + 1}", self.scenario.slos)
            judged = list(kept_in_order(self.journal, kind, evaluator.judge, open_, self.jobs))
            self.simulations += sum(one.simulations for one in judged)
            open_ = [one.design for one in judged if one.verdict in ("undecided", "meets")]
        return None

    def _detail(self, level: int, evaluation: Evaluation) -> Details:
        replications = len(evaluation.replications)
        details = self.rates.evaluator(level).detail(evaluation.design, replications, self.jobs)
        return as_judged(details, evaluation)


def _meets(evaluation: Evaluation | None) -> bool:
    return evaluation is not None and evaluation.verdict == "meets"
