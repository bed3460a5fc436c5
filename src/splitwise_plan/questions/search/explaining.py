"""Why nothing meets the SLOs, and whether runs were long enough, in words and for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from splitwise_plan.planner.length_check import LengthCheck
from splitwise_plan.questions.search.diagnosis import PLENTY, Diagnosis
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.numbers import significant
from splitwise_plan.report.page import Statement
from splitwise_plan.scenario.scenario import Scenario

FEW = 3
"""So many missed targets are named one by one."""

GROWING = 1.5
"""From here on a drift is called growth: queues had not settled."""


def diagnosis_fact(scenario: Scenario, diagnosis: Diagnosis) -> Statement:
    """The bottleneck, and what alone would do."""
    return Statement("Why", (_bottleneck(diagnosis), *_remedies(scenario, diagnosis)), "bad")


def length_fact(check: LengthCheck) -> Statement:
    """What runs twice as long say of the winner."""
    binds = wording.tightest(check.doubled)
    told = f"in runs twice as long it {_verb(check.doubled.verdict)}"
    if binds is not None:
        told += f": {wording.binding(binds, check.doubled)}"
    if check.drift >= GROWING:
        told += f"; E2E grows {check.drift:.2g}-fold within a run: give a longer duration"
    return Statement("Length", (told,), "good" if check.doubled.verdict == "meets" else "bad")


def diagnosis_document(diagnosis: Diagnosis) -> dict[str, Any]:
    """For JSON."""
    rate, more = diagnosis.rate_design, diagnosis.more
    return {
        "bottleneck": diagnosis.bottleneck,
        "plenty": PLENTY,
        "worst_value_over_limit_with_plenty_of": dict(diagnosis.relief),
        "missed": [wording.target_name(estimate.target) for estimate in diagnosis.missed],
        "largest_rate_rps": diagnosis.rate_rps,
        "largest_rate_design": rate.label if rate else None,
        "more_machines_design": more.label if more else None,
    }


def length_document(check: LengthCheck) -> dict[str, Any]:
    """For JSON."""
    return {"verdict_of_doubled_duration": check.doubled.verdict, "drift": check.drift}


def _verb(verdict: str) -> str:
    known = {"meets": "meets the SLOs too", "misses": "misses", "undecided": "is too close to call"}
    return known.get(verdict, "is unstable")


def _bottleneck(diagnosis: Diagnosis) -> str:
    if diagnosis.bottleneck is None:
        return "the closest design meets the SLOs as long as no machine is gone"
    before = -diagnosis.closest.evaluation.margin + 1.0
    after = diagnosis.relief[diagnosis.bottleneck]
    return (
        f"the bottleneck is {diagnosis.bottleneck}: with {PLENTY:g} times as much of it the "
        f"closest design's worst SLO would be at {significant(after)} times its limit, "
        f"not {significant(before)} times"
    )


def _remedies(scenario: Scenario, diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.rate_rps is not None and diagnosis.rate_design is not None:
        rate = f"{diagnosis.rate_rps:.4g} requests/s"
        design = wording.design_line(scenario, diagnosis.rate_design)
        yield f"a lower rate would do: {rate} with {design}"
    if diagnosis.more is not None:
        yield f"or more machines: {wording.design_line(scenario, diagnosis.more)}"
    yield from _looser(diagnosis)


def _looser(diagnosis: Diagnosis) -> Iterator[str]:
    missed = diagnosis.missed
    if len(missed) > FEW:
        factor = max(estimate.high / estimate.target.limit for estimate in missed)
        yield f"or, for the closest design, SLOs up to {significant(factor)} times as loose"
    elif missed:
        needed = (f"{wording.target_name(e.target)} {estimates.worst(e)}" for e in missed)
        yield f"or looser SLOs, for the closest design: {', '.join(needed)}"
