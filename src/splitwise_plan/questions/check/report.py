"""The report of a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from math import isclose
from pathlib import Path

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.files import name_alone
from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.confidence import Estimate, Interval
from splitwise_plan.questions.check.analysis import Attribution, CheckResult, blamed
from splitwise_plan.questions.check.cases import cases
from splitwise_plan.questions.check.document import document
from splitwise_plan.questions.check.words import (
    OUTCOMES,
    best_words,
    change_name,
    change_words,
    standing_words,
    tolerated,
    warnings,
)
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.cases import Case
from splitwise_plan.report.files import text_writer
from splitwise_plan.report.folder import text_files
from splitwise_plan.report.formats import csvfmt
from splitwise_plan.report.formats.junit import junit
from splitwise_plan.report.numbers import NONE, kilowatts, percent, usd
from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement, Tone, words
from splitwise_plan.report.proof import proof
from splitwise_plan.report.provenance import provenance
from splitwise_plan.report.report import Report
from splitwise_plan.scenario.plan.plan import AcceptedTarget, Outcome, Plan

TONES: dict[Outcome, Tone] = {"holds": "good", "undecided": "", "fails": "bad"}


def report(
    result: CheckResult, timing: Mapping[str, float], next_steps: Sequence[str] = ()
) -> Report:
    """The report of a check; `next_steps`: command lines that go on from here."""
    found = cases(result)
    sheets = [_slo_sheet(result, found)]
    if result.attributions:
        sheets.append(_change_sheet(result))
    page = Page("Plan check", tuple(_top(result, found)), tuple(sheets))
    told = Report(page, document(result, found, timing), list(_rows(result, found)))
    files = text_files(told, result.now.scenario, "checks.csv")
    files["junit.xml"] = text_writer(junit_text(result, found))
    return replace(told, files=files).then(next_steps)


def junit_text(result: CheckResult, found: Sequence[Case]) -> str:
    """The check as JUnit XML."""
    changed = [
        f"{change_name(one.change)}: {change_words(one.change)}; alone: {_alone(result, one)}"
        for one in result.attributions
    ]
    stated = provenance(result.now.scenario)
    sources = stated.pop("sources")
    properties = {name: str(value) for name, value in stated.items()}
    plan = result.plan
    properties |= {"plan": name_alone(Path(plan.where)), "plan_sha256": plan.sha256}
    properties |= {f"source {one['path']}": one["sha256"] for one in sources}
    return junit(found, properties, "\n".join(changed), "\n".join(warnings(result)))


def _top(result: CheckResult, found: Sequence[Case]) -> Iterator[Statement]:
    now = result.now
    known = now if now.design is not None else result.then
    yield Statement("Question", (wording.question(now.scenario, objective=True),))
    if known.design is not None:
        yield Statement(
            "Plan", (wording.design_line(known.scenario, known.design), *_price(result))
        )
    yield Statement("Check", (_conclusion(result, found),), TONES[result.outcome])
    if now.details is not None:
        yield Statement(
            "SLOs", (wording.verdict(now.scenario, now.details.evaluation), *_left(result))
        )
    else:
        family = result.plan.design.family
        yield Statement("SLOs", (f"none can be met: {family} cannot be built of today's machines",))
    proven = proof(now.scenario, now.found)[:1] if now.found and now.found.families else ()
    yield Statement("Best", (best_words(result), *proven))
    if result.outcome != "holds":
        yield Statement("Because", (_because(result),))
    if result.edited or not result.reproduced:
        yield Statement("Mind", tuple(warnings(result)))


def _conclusion(result: CheckResult, found: Sequence[Case]) -> str:
    unmet = [case.name for case in found if case.outcome != "holds" and case.group == "slo"]
    told = [f"SLOs {', '.join(unmet)}"] if unmet and result.now.design is not None else []
    if result.now.design is None:
        told.append("the design cannot be built")
    if result.best != "holds":
        told.append("another design is better by more than is tolerated")
    return OUTCOMES[result.outcome] + (f": {' and '.join(told)}" if told else "")


def _price(result: CheckResult) -> tuple[str, ...]:
    """What was accepted, and by which changes it got dearer or cheaper."""
    plan = result.plan
    power = kilowatts(plan.provisioned_power_w)
    told = f"accepted at {usd(plan.cost_usd_per_hour)}/h, {power} kW"
    before, now = _amount(result, plan), _amount(result, result.now.design)
    if now is None or not before or isclose(now, before, rel_tol=1e-6):
        return (told,)
    by = [
        change_name(one.change)
        for one in result.attributions
        if (alone := _amount(result, one.alone.design)) is not None
        and not isclose(alone, before, rel_tol=1e-6)
    ]
    told += f"; now {percent(now / before - 1.0, sign=True)}"
    return (told + (f", by the {' and the '.join(by)}" if by else ""),)


def _amount(result: CheckResult, of: Plan | Design | None) -> float | None:
    """What it takes: watts where power is minimised, else dollars per hour."""
    if of is None:
        return None
    power = result.now.scenario.minimize == "power"
    return of.provisioned_power_w if power else of.cost_usd_per_hour


def _left(result: CheckResult) -> tuple[str, ...]:
    least = result.plan.tolerances.margin
    return (f"{tolerated(least)} of each limit must remain",) if least > 0.0 else ()


def _because(result: CheckResult) -> str:
    """The changes that would do it alone; or that it takes several."""
    alone = [f"{change_name(one.change)} ({change_words(one.change)})" for one in blamed(result)]
    if alone:
        return f"{' and '.join(alone)}: {'each ' if len(alone) > 1 else ''}alone does it"
    if not result.attributions:
        return "nothing changed: the plan did not hold when it was made, or was edited"
    return "no change alone does it: together they do"


def _slo_sheet(result: CheckResult, found: Sequence[Case]) -> Sheet:
    columns = (words("SLO"), Column("limit"), Column("accepted"), Column("now"), Column("margin"))
    targets = result.now.scenario.slos.all_targets
    details = result.now.details
    now = {one.target: one for one in details.evaluation.estimates} if details else {}
    accepted = {(one.metric, one.percentile): one for one in result.plan.targets}
    rows = [
        _slo_row(case, target, accepted.get((target.metric, target.percentile)), now.get(target))
        for case, target in zip(found, targets, strict=False)
    ]
    return Sheet((*columns, Column("", number=False)), tuple(rows))


def _slo_row(
    case: Case, target: SLOTarget, accepted: AcceptedTarget | None, now: Estimate | None
) -> tuple[Cell, ...]:
    value, limit = estimates.beside(now) if now else (NONE, estimates.limit(target))
    spare = "" if now is None or estimates.is_spare(now) else "-"
    return (
        Cell(case.name),
        Cell(limit),
        Cell(estimates.value(_estimate(target, accepted)) if accepted else NONE),
        Cell(value),
        Cell(f"{spare}{estimates.room(now)}" if now else NONE),
        Cell({"fails": "✗", "undecided": "?", "holds": "✓"}[case.outcome], TONES[case.outcome]),
    )


def _estimate(target: SLOTarget, accepted: AcceptedTarget) -> Estimate:
    """What a target was met with."""
    share = accepted.attained
    attained = Interval(share, share, share) if share is not None else None
    return Estimate(target, accepted.value, accepted.low, accepted.high, attained)


def _change_sheet(result: CheckResult) -> Sheet:
    power = result.now.scenario.minimize == "power"
    amounts = Column("kW" if power else "$/h")
    columns = (words("changed"), words("from → to"), amounts, words("alone, the plan"))
    guilty = blamed(result)
    rows = []
    for one in result.attributions:
        amount = _amount(result, one.alone.design)
        told = NONE if amount is None else kilowatts(amount) if power else f"{amount:,.0f}"
        tone: Tone = "bad" if one in guilty else ""
        rows.append(
            (
                Cell(change_name(one.change)),
                Cell(change_words(one.change)),
                Cell(told),
                Cell(_alone(result, one), tone),
            )
        )
    return Sheet(columns, tuple(rows))


def _alone(result: CheckResult, one: Attribution) -> str:
    return standing_words(one.alone, result.plan.tolerances)


def _rows(result: CheckResult, found: Sequence[Case]) -> Iterator[Sequence[csvfmt.Value]]:
    """A header, a row a case, and a row a change."""
    names = ("group", "name", "outcome", "limit", "accepted", "value", "margin", "message")
    yield names
    for case in found:
        yield [asdict(case)[name] for name in names]
    for one in result.attributions:
        told = f"{change_words(one.change)}; alone: {_alone(result, one)}"
        fails = "fails" if one in blamed(result) else "holds"
        yield ("change", change_name(one.change), fails, None, None, None, None, told)
