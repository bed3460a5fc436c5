"""The words of a check: what changed, and what it does to the plan."""

from __future__ import annotations

from splitwise_plan.questions.check.analysis import (
    CheckResult,
    PlanUnderFacts,
    best_outcome,
    slo_outcome,
)
from splitwise_plan.questions.check.differences import Change, Difference, Value
from splitwise_plan.report import wording
from splitwise_plan.report.numbers import gib, percent, significant, usd
from splitwise_plan.scenario.plan.plan import Tolerances

SHOWN = 3
"""Differences of a change that are told; the JSON document has all."""

KINDS = {
    "traffic": "",
    "price": "price of ",
    "machine": "machine ",
    "family": "family ",
    "llm": "LLM ",
    "profile": "profile ",
    "slo": "SLO ",
    "assumptions": "assumptions ",
    "scheduler": "scheduler",
    "seeds": "seeds",
    "scenario": "",
    "version": "versions",
}
MANY = {
    "price": "prices",
    "machine": "machines",
    "family": "families",
    "profile": "profiles",
    "slo": "SLOs",
}
OUTCOMES = {"holds": "holds", "undecided": "undecided", "fails": "no longer holds"}


def change_name(change: Change) -> str:
    """`price of dgx-h100`"""
    if change.together:
        return f"{MANY.get(change.kind, change.kind)} together"
    return f"{KINDS[change.kind]}{change.subject}"


def change_words(change: Change) -> str:
    """`$38/h → $47.50/h`, `prompt time at 2,048: 0.252 → 0.277 s, … and 2 more`"""
    alone = len(change.differences) == 1
    told = [difference_words(one, alone=alone) for one in change.differences[:SHOWN]]
    more = len(change.differences) - len(told)
    return "; ".join(told) + (f"; {more} more" if more else "")


def difference_words(one: Difference, *, alone: bool) -> str:
    """Before and after; with its name unless that goes without saying."""
    before, after = _value(one.before, one.unit), _value(one.after, one.unit)
    if before == after:
        before, after = f"{one.before!r}", f"{one.after!r}"
    number, _, unit = before.partition(" ")
    if unit and unit == after.partition(" ")[2]:
        before = number
    obvious = alone and one.name in ("", "rate", "limit", "cost")
    return f"{before} → {after}" if obvious else f"{one.name} {before} → {after}"


def _value(value: Value, unit: str) -> str:
    if value is None:
        return "none"
    if isinstance(value, str | bool):
        return str(value)
    if unit in ("B", "B/s"):
        return f"{gib(value)} Gi{unit}"
    shown = {
        "USD/h": f"{usd(value)}/h",
        "slowdown": f"{value:g}x",
        "tokens": f"{value:,.0f}",
        "": f"{value:,g}",
        "requests/s": f"{value:,g} requests/s",
        "W": f"{value:,.0f} W",
    }
    return shown.get(unit) or f"{significant(value)} {unit}"


def standing_words(standing: PlanUnderFacts, tolerances: Tolerances) -> str:
    """How a design stands, in few words: `holds`, `misses TBT P50`, `saves 12 % elsewhere`."""
    if standing.details is None:
        return "cannot be built"
    evaluation = standing.details.evaluation
    slos = slo_outcome(standing, tolerances)
    told = []
    if slos == "fails" and evaluation.verdict == "meets":
        told.append(f"leaves less than {tolerated(tolerances.margin)}")
    elif evaluation.verdict != "meets":
        told.append(wording.short_verdict(evaluation))
    if best_outcome(standing, tolerances) == "fails":
        told.append("no longer the best")
    return ", ".join(told) or "holds"


def best_words(result: CheckResult) -> str:
    """Whether something better meets the SLOs, and what it would save or cost."""
    now = result.now
    if now.best is None:
        return "no design meets the SLOs under today's facts"
    better = wording.design_line(now.scenario, now.best)
    if now.design is None:
        return f"the best design today is {better}"
    savings = now.savings or 0.0
    if savings > 0.0:
        allowed = tolerated(result.plan.tolerances.savings)
        of = OBJECTIVES[now.scenario.minimize]
        return f"{percent(savings)} of {of} could be saved ({allowed} tolerated): {better}"
    if now.details is not None and now.details.evaluation.verdict == "meets":
        return f"no design that meets the SLOs {LESS[now.scenario.minimize]}"
    more = f", {percent(-savings, sign=True)}" if savings < 0.0 else ""
    return f"what meets the SLOs today: {better}{more}"


OBJECTIVES = {"cost": "the cost", "power": "the power", "machines": "the machines"}
LESS = {"cost": "costs less", "power": "needs less power", "machines": "has fewer machines"}


def tolerated(share: float) -> str:
    """A share as its owner wrote it: `5 %`."""
    return f"{100 * share:g} %"


def warnings(result: CheckResult) -> list[str]:
    """What makes the check less than certain to compare like with like."""
    told = []
    if result.newer:
        pairs = "; ".join(difference_words(one, alone=False) for one in result.newer)
        told.append(f"made with other versions: {pairs}")
    if result.edited:
        told.append("[scenario] was edited since the plan was made: its result is of another one")
    if not result.reproduced and not result.edited:
        why = "these versions compute otherwise" if result.newer else "[design] or [result] edited"
        told.append(f"the facts of then do not give the result recorded: {why}")
    return told
