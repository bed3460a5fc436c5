"""Does a plan still hold, and which change of the facts did what?

The design is judged, and the search run, under today's facts. Then each change since the plan was
made is made alone, on the facts of then: what it does by itself is what is attributed to it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.evaluate import Evaluator, as_judged
from splitwise_plan.planner.outcome import Details, Evaluation, SearchResult
from splitwise_plan.planner.space import objective
from splitwise_plan.questions.check.changes import changes
from splitwise_plan.questions.check.differences import Change, Difference, together
from splitwise_plan.scenario.plan.plan import Outcome, Plan, Tolerances
from splitwise_plan.scenario.plan.reader import Today, scenario_sha256
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.versions import versions

Find = Callable[[Scenario], SearchResult]
"""Searches the space of a scenario."""

SAME = 1e-9
"""Relative: values that differ by less were computed alike."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanUnderFacts:
    """How the planned design stands under one set of facts."""

    scenario: Scenario
    design: Design | None
    """None: it cannot be built."""
    details: Details | None
    found: SearchResult | None
    """The best designs under these facts; None where they were not searched for."""

    @property
    def best(self) -> Design | None:
        """The best design that meets the SLOs."""
        best = self.found.best.best if self.found and self.found.best else None
        return best.evaluation.design if best else None

    @property
    def savings(self) -> float | None:
        """What the best design saves of the planned one's objective, as a share of it."""
        if self.design is None or self.best is None:
            return None
        own = objective(self.scenario, self.design)
        return 1.0 - objective(self.scenario, self.best) / own if own > 0.0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """A change, and how the design stands with the facts of then but for this change."""

    change: Change
    alone: PlanUnderFacts


@dataclass(frozen=True, slots=True, eq=False)
class CheckResult:
    """A plan checked."""

    plan: Plan
    then: PlanUnderFacts
    """With the facts of then, by the programs of today."""
    now: PlanUnderFacts
    attributions: tuple[Attribution, ...]
    newer: tuple[Difference, ...]
    """Versions that differ from those that made the plan: a change where they compute otherwise."""
    reproduced: bool
    """Whether the facts of then give the recorded result."""
    edited: bool
    """Whether `[scenario]` was edited since the plan was made."""

    @property
    def slos(self) -> Outcome:
        return slo_outcome(self.now, self.plan.tolerances)

    @property
    def best(self) -> Outcome:
        return best_outcome(self.now, self.plan.tolerances)

    @property
    def outcome(self) -> Outcome:
        return worst(self.slos, self.best)


def check(plan: Plan, then: Scenario, today: Today, find: Find, jobs: int) -> CheckResult:
    """Check a plan.

    `find` is called for today's facts; if a better design is what fails, for each change too.
    """
    now = _stand(plan, today.scenario, jobs, find)
    found = changes(then, today.scenario, today.gone)
    newer = _newer(plan)
    dear = find if best_outcome(now, plan.tolerances) == "fails" else None

    def alone(change: Change) -> Attribution:
        whole = len(change.parts) == len(found)
        return Attribution(change, now if whole else _stand(plan, change.apply(then), jobs, dear))

    base = _stand(plan, then, jobs, dear if newer else None) if found else now
    reproduced = _reproduced(plan, base)
    of_versions = (Attribution(_of_versions(newer), base),) if newer and not reproduced else ()
    result = CheckResult(
        plan=plan,
        then=base,
        now=now,
        attributions=(*of_versions, *map(alone, found)),
        newer=newer,
        reproduced=reproduced,
        edited=scenario_sha256(plan.scenario.data) != plan.made.scenario_sha256,
    )
    if result.outcome == "holds":
        return result
    groups = _together(found, {one.change for one in blamed(result)})
    return replace(result, attributions=(*result.attributions, *map(alone, groups)))


def _together(found: Sequence[Change], guilty: Container[Change]) -> list[Change]:
    """The changes of each kind that has several, none of them guilty alone, as one.

    An SLO file is edited as a whole, and so is a price list.
    """
    kinds = dict.fromkeys(change.kind for change in found)
    groups = {kind: [one for one in found if one.kind == kind] for kind in kinds}
    return [
        together(kind, group)
        for kind, group in groups.items()
        if len(group) > 1 and not any(one in guilty for one in group)
    ]


def slo_outcome(standing: PlanUnderFacts, tolerances: Tolerances) -> Outcome:
    """Whether the design meets every SLO, with the margin that must remain."""
    if standing.details is None:
        return "fails"
    evaluation = standing.details.evaluation
    if evaluation.verdict == "meets":
        return "holds" if evaluation.margin_whole >= tolerances.margin else "fails"
    return tolerances.undecided if evaluation.verdict == "undecided" else "fails"


def target_outcome(estimate: Estimate, evaluation: Evaluation, tolerances: Tolerances) -> Outcome:
    """What one SLO says, no machine gone. Of a miss at least the one that is missed by most."""
    ratio = estimate.mean / estimate.target.limit
    if evaluation.meets_whole:
        return "holds" if 1.0 - ratio >= tolerances.margin else "fails"
    if evaluation.verdict == "undecided":
        close = [one for one in evaluation.estimates if one.high > one.target.limit]
        open_ = estimate in close or not close  # too few requests for any of them
        return tolerances.undecided if open_ else "holds"
    worst_ratio = max(one.mean / one.target.limit for one in evaluation.estimates)
    return "fails" if ratio > 1.0 or ratio == worst_ratio else "holds"


def spare_outcome(standing: PlanUnderFacts, tolerances: Tolerances) -> Outcome | None:
    """Whether the SLOs hold with machines gone; None where none may be, or it misses them whole."""
    evaluation = standing.details.evaluation if standing.details else None
    if evaluation is None or standing.scenario.spare is None or not evaluation.meets_whole:
        return None
    if evaluation.verdict == "meets":
        return "holds"
    return tolerances.undecided if evaluation.verdict == "undecided" else "fails"


def best_outcome(standing: PlanUnderFacts, tolerances: Tolerances) -> Outcome:
    """Whether no other design that meets the SLOs saves more than is tolerated."""
    savings = standing.savings
    return "holds" if savings is None or savings <= tolerances.savings + SAME else "fails"


def worst(*outcomes: Outcome) -> Outcome:
    """The outcome of several together."""
    order: Sequence[Outcome] = ("fails", "undecided", "holds")
    return next(one for one in order if one in (*outcomes, "holds"))


def blamed(result: CheckResult) -> tuple[Attribution, ...]:
    """The changes that alone do what today's facts do: miss the SLOs, or leave a better design."""
    tolerances = result.plan.tolerances
    return tuple(
        one
        for one in result.attributions
        if (result.slos != "holds" and slo_outcome(one.alone, tolerances) != "holds")
        or (result.best != "holds" and best_outcome(one.alone, tolerances) != "holds")
    )


def _stand(plan: Plan, scenario: Scenario, jobs: int, find: Find | None) -> PlanUnderFacts:
    """Judge the design; search, too, if `find` is given."""
    found = find(scenario) if find else None
    design = _design(plan, scenario)
    if design is None:
        return PlanUnderFacts(scenario, None, None, found)
    evaluator = Evaluator(scenario)
    judged = evaluator.judge(design)
    details = evaluator.detail(design, len(judged.replications), jobs)
    return PlanUnderFacts(scenario, design, as_judged(details, judged), found)


def _design(plan: Plan, scenario: Scenario) -> Design | None:
    """The planned design of the machines of a scenario."""
    chosen = plan.design
    for space in scenario.spaces:
        if space.family.id == chosen.family:
            return Design(space.family, chosen.prompt_machines, chosen.token_machines)
    return None


def _newer(plan: Plan) -> tuple[Difference, ...]:
    running: Mapping[str, str] = versions()
    return tuple(
        Difference(name.replace("_", "-"), getattr(plan.made, name), version)
        for name, version in running.items()
        if getattr(plan.made, name) != version
    )


def _of_versions(newer: tuple[Difference, ...]) -> Change:
    return Change("version", "", newer, lambda scenario: scenario)


def _reproduced(plan: Plan, base: PlanUnderFacts) -> bool:
    if base.details is None or base.design is None:
        return False
    evaluation = base.details.evaluation
    pairs = [(base.design.cost_usd_per_hour, plan.cost_usd_per_hour)]
    pairs.append((base.design.provisioned_power_w, plan.provisioned_power_w))
    estimates = evaluation.estimates
    pairs += [(e.mean, t.value) for e, t in zip(estimates, plan.targets, strict=False)]
    alike = all(isclose(now, then, rel_tol=SAME) for now, then in pairs)
    return alike and evaluation.verdict == "meets" and len(estimates) == len(plan.targets)
