"""A check as single cases that hold or do not: what CI counts."""

from __future__ import annotations

from collections.abc import Iterator

from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.questions.check.analysis import CheckResult, spare_outcome, target_outcome
from splitwise_plan.questions.check.words import best_words, change_name, change_words, tolerated
from splitwise_plan.report import wording
from splitwise_plan.report.cases import Case
from splitwise_plan.report.numbers import count
from splitwise_plan.scenario.plan.plan import AcceptedTarget


def cases(result: CheckResult) -> list[Case]:
    """Every SLO, whether the design is still the best, and whether it can still be built."""
    return [*_slos(result), *_spare(result), _best(result), _facts(result)]


def _slos(result: CheckResult) -> Iterator[Case]:
    accepted = {(one.metric, one.percentile): one for one in result.plan.targets}
    details = result.now.details
    found = {one.target: one for one in details.evaluation.estimates} if details else {}
    for target in result.now.scenario.slos.all_targets:
        yield _slo(result, target, accepted.get((target.metric, target.percentile)), found)


def _slo(
    result: CheckResult,
    target: SLOTarget,
    accepted: AcceptedTarget | None,
    found: dict[SLOTarget, Estimate],
) -> Case:
    name, before = wording.target_name(target), accepted.value if accepted else None
    details, estimate = result.now.details, found.get(target)
    if details is None:
        return Case("slo", name, "fails", "the design cannot be built", target.limit, before)
    if estimate is None:
        told = "no request has such a latency"
        return Case("slo", name, "holds", told, target.limit, before)
    return Case(
        "slo",
        name,
        target_outcome(estimate, details.evaluation, result.plan.tolerances),
        wording.binding(estimate, details.evaluation),
        target.limit,
        before,
        estimate.mean,
        wording.margin(estimate),
    )


def _spare(result: CheckResult) -> Iterator[Case]:
    """Whether it still does with machines gone, where they may be."""
    outcome = spare_outcome(result.now, result.plan.tolerances)
    spare, details = result.now.scenario.spare, result.now.details
    if outcome is not None and spare is not None and details is not None:
        told = wording.verdict(result.now.scenario, details.evaluation)
        yield Case("slo", wording.spare_words(spare), outcome, told)


def _best(result: CheckResult) -> Case:
    name = f"still the best within {tolerated(result.plan.tolerances.savings)}"
    return Case("best", name, result.best, best_words(result), value=result.now.savings)


def _facts(result: CheckResult) -> Case:
    told = [f"{change_name(one.change)}: {change_words(one.change)}" for one in result.attributions]
    some = f"{count(len(told), 'change')}: {'; '.join(told)}" if told else "nothing changed"
    built = result.now.design is not None
    return Case("facts", "facts", "holds" if built else "fails", some)
