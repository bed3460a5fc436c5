"""How wrong each number may be before another plan is the best, or this one misses its SLOs.

Every factor is judged on the same requests, as a search judges: thresholds are where a verdict
changes, found by bisection (`thresholds`), or where two objectives cross (`money`).

What counts as a change: the winner no longer meets the SLOs, or another design that is better by
more than `savings` does. With `of = "family"` only that the best design is one of another family,
or that there is none: each family's counts follow the facts.

Where times or the load grow only the winner is judged again: what misses is taken to miss then too,
unless `method = "exhaustive"` wants a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import Families
from splitwise_plan.planner.journal import Journal, part_of
from splitwise_plan.planner.outcome import Details, Evaluation, SearchResult, best_of
from splitwise_plan.planner.progress import Progress, ProgressCallback
from splitwise_plan.planner.space import objective
from splitwise_plan.questions.sensitivity.challengers import Rivals
from splitwise_plan.questions.sensitivity.knobs import Knob, knobs
from splitwise_plan.questions.sensitivity.money import Lines, first_crossing, proven_crossing
from splitwise_plan.questions.sensitivity.thresholds import MOST, WAYS, Bracket, Way, bracket
from splitwise_plan.scenario.scenario import Scenario

FAMILY_STRIDE = 1.25
"""Each step takes a search: a family that is best for less than this may be passed over."""

Of = Literal["design", "family"]


@dataclass(frozen=True, slots=True)
class Counting:
    """What counts as a change: of the best design, or of its family only.

    `savings`: by what share of the objective another design must be better to count.
    """

    of: Of = "design"
    savings: float = 0.0


What = Literal["misses", "undecided", "better", "nothing meets"]


@dataclass(frozen=True, slots=True)
class Change:
    """What happens at a threshold.

    `misses`, `undecided`: the winner, by `target`. `better`: `design` is. `best`: the best design
    there, of those found; its objective over the winner's there is `ratio`.
    """

    what: What
    target: SLOTarget | None = None
    value: float | None = None
    """Of the target, where it was measured."""
    best: Design | None = None
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Threshold:
    """Nothing changes from 1 to `inside`; at `outside`, close by, `change` has.

    `outside` None: nothing changes as far as was looked. `proven`: every better design was looked
    at, at `inside` and, for prices and powers, all the way there.
    """

    knob: Knob
    way: Way
    inside: float
    outside: float | None
    change: Change | None
    proven: bool

    @property
    def counts(self) -> bool:
        """Whether the number matters at all."""
        return self.outside is not None


@dataclass(frozen=True, slots=True, eq=False)
class SensitivityResult:
    """`thresholds`: two for each number that the plan rests on; none without a winner."""

    scenario: Scenario
    found: SearchResult
    of: Of
    savings: float
    thresholds: tuple[Threshold, ...]

    @property
    def winner(self) -> Details | None:
        return self.found.best.best if self.found.best else None


def sensitivity(
    scenario: Scenario,
    counting: Counting,
    jobs: Jobs,
    progress: ProgressCallback | None = None,
    journal: Journal | None = None,
) -> SensitivityResult:
    """Search, then find each number's thresholds in both directions.

    With `method = "exhaustive"` all thresholds are proven. `journal`: to go on from.
    """
    families = Families(scenario, Evaluator(scenario), jobs, progress, journal)
    found = families.run()
    thresholds: list[Threshold] = []
    if found.best is not None and found.best.best is not None:
        winner = found.best.best.evaluation.design
        meeting = [d for d, e in families.known.items() if e is not None and e.verdict == "meets"]
        shaking = Shaking(scenario, winner, counting, jobs, meeting, journal)
        every = [(knob, way) for knob in knobs(scenario) for way in WAYS]
        for done, (knob, way) in enumerate(every):
            if progress is not None:
                progress(Progress(knob.name, done, 0, len(every), winner))
            thresholds.append(shaking.threshold(knob, way))
    return SensitivityResult(scenario, found, counting.of, counting.savings, tuple(thresholds))


@dataclass(slots=True)
class Shaking:
    """Finds thresholds around a winner."""

    scenario: Scenario
    winner: Design
    counting: Counting
    jobs: Jobs
    known: list[Design]
    """Designs that are known to meet the SLOs."""
    journal: Journal | None = None
    around: Rivals = field(init=False)
    _challengers: tuple[list[Design], bool] | None = None
    _frontier: tuple[list[Design], bool] | None = None

    def __post_init__(self) -> None:
        self.around = Rivals(
            self.scenario, self.winner, self.counting.savings, self.jobs, self.journal
        )

    @property
    def proving(self) -> bool:
        return self.scenario.method == "exhaustive"

    def threshold(self, knob: Knob, way: Way) -> Threshold:
        """The first change as a number moves in a direction."""
        if knob.is_money:
            return self._of_money(knob, way)
        if self.counting.of == "family":
            found = bracket(lambda factor: self._other_family(knob, factor), way, FAMILY_STRIDE)
            return self._told(knob, way, found, proven=self.proving or self._is_few())
        return self._of_design(knob, way)

    def _of_design(self, knob: Knob, way: Way) -> Threshold:
        if self._challengers is None:
            self._challengers = self.around.challengers()
        rivals, every = self._challengers
        if way == "up":
            rivals, every = [], False
        while True:
            found = bracket(lambda factor: self._shaken(knob, factor, rivals), way)
            if every or not self.proving:
                break
            evaluator = Evaluator(knob.apply(self.scenario, found.inside))
            better = [one for one in self.around.better() if one not in rivals]
            where = _where(knob, found.inside)
            another = self.around.first_meeting(better, evaluator, where, every=True)
            if another is None:
                break
            rivals.append(another)
        change = found.change
        if change is not None and found.outside is not None and change.what != "better":
            found = found._replace(change=self._with_best(knob, found.outside, change))
        return self._told(knob, way, found, proven=every or self.proving)

    def _shaken(self, knob: Knob, factor: float, rivals: list[Design]) -> Change | None:
        """What has changed at a factor: the winner's verdict first."""
        evaluator = Evaluator(knob.apply(self.scenario, factor))
        where = _where(knob, factor)
        judged = self.around.closely(self.winner, evaluator, where)
        if judged.verdict != "meets":
            return _missed(evaluator, judged)
        better = self.around.first_meeting(rivals, evaluator, where, every=self.proving)
        if better is None:
            return None
        return Change("better", best=better, ratio=self._ratio(better))

    def _other_family(self, knob: Knob, factor: float) -> Change | None:
        """The best design at a factor, if it is of another family."""
        found = self._search(knob, factor)
        best = best_of(found)
        if best is None:
            return Change("nothing meets")
        own = next(one.best for one in found.families if one.family.id == self.winner.family.id)
        enough = own is None or objective(self.scenario, best) < (
            1.0 - self.counting.savings
        ) * objective(self.scenario, own.evaluation.design)
        if best.family.id == self.winner.family.id or not enough:
            return None
        return Change("better", best=best, ratio=self._ratio(best))

    def _with_best(self, knob: Knob, factor: float, change: Change) -> Change:
        best = best_of(self._search(knob, factor))
        ratio = self._ratio(best) if best else None
        return Change(change.what, change.target, change.value, best, ratio)

    def _search(self, knob: Knob, factor: float) -> SearchResult:
        """The best design at a factor: proven, or the best found near the families' edges."""
        scenario = knob.apply(self.scenario, factor)
        kept = part_of(self.journal, _where(knob, factor))
        families = Families(scenario, Evaluator(scenario), self.jobs, None, kept)
        few = self._is_few()
        return families.run() if self.proving or few else families.found()

    def _is_few(self) -> bool:
        if self._challengers is None:
            self._challengers = self.around.challengers()
        return self._challengers[1]

    def _of_money(self, knob: Knob, way: Way) -> Threshold:
        """Where another of the designs that meet is better; of a family: than all of its own."""
        lines = Lines(self.scenario, knob)
        proving = self.proving and self.counting.of == "design"
        if self._frontier is None:
            whole = self.proving and not proving
            self._frontier = self.around.frontier(self.known, whole=whole)
        meeting, every = self._frontier
        if proving:
            crossing = proven_crossing(lines, self.around, meeting, way, self.counting.savings)
        else:
            own, others = self._sides(meeting)
            crossing = first_crossing(lines, own, others, way, self.counting.savings)
        proven = every or proving
        if crossing is None:
            end = MOST if way == "up" else 1.0 / MOST
            return Threshold(knob, way, end, None, None, proven)
        change = Change("better", best=crossing.design, ratio=1.0 - self.counting.savings)
        return Threshold(knob, way, crossing.factor, crossing.factor, change, proven)

    def _sides(self, meeting: Sequence[Design]) -> tuple[list[Design], list[Design]]:
        """What stands for the winner, and the designs that would be a change."""
        if self.counting.of == "design":
            return [self.winner], [one for one in meeting if one != self.winner]
        family = self.winner.family.id
        own = [one for one in meeting if one.family.id == family]
        return own, [one for one in meeting if one.family.id != family]

    def _told(self, knob: Knob, way: Way, found: Bracket[Change], *, proven: bool) -> Threshold:
        return Threshold(knob, way, found.inside, found.outside, found.change, proven)

    def _ratio(self, design: Design) -> float:
        """A design's objective over the winner's: neither depends on times or the load."""
        own = objective(self.scenario, self.winner)
        return objective(self.scenario, design) / own if own > 0.0 else 1.0


def _where(knob: Knob, factor: float) -> str:
    return f"{knob.name} x {factor!r}"


def _missed(evaluator: Evaluator, judged: Evaluation) -> Change:
    """By which target: that of whole runs which is furthest beyond its limit."""
    what: What = "undecided" if judged.verdict == "undecided" else "misses"
    evaluation = judged
    if not all(one.results for one in judged.replications):
        evaluation = evaluator.detail(judged.design).evaluation
    worst = max(evaluation.estimates, key=lambda one: one.high / one.target.limit, default=None)
    if worst is None:
        return Change(what)
    return Change(what, worst.target, worst.mean)
