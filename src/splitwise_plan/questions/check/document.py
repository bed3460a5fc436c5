"""A check as a JSON document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from splitwise_plan.facts.files import name_alone
from splitwise_plan.questions.check.analysis import (
    Attribution,
    CheckResult,
    PlanUnderFacts,
    best_outcome,
    blamed,
    slo_outcome,
)
from splitwise_plan.questions.check.words import warnings
from splitwise_plan.report.cases import Case
from splitwise_plan.report.formats import jsonfmt
from splitwise_plan.report.formats.jsonfmt import Json

CHECK = "splitwise-plan/check/1"


def document(result: CheckResult, cases: Sequence[Case], timing: Mapping[str, float]) -> Json:
    """The document; `changes` in the order in which they are told, each made alone."""
    now, plan = result.now, result.plan
    guilty = blamed(result)
    best = now.found.best.best if now.found and now.found.best else None
    return {
        "schema": CHECK,
        **jsonfmt.origin(now.scenario),
        "plan": {
            "file": name_alone(Path(plan.where)),
            "sha256": plan.sha256,
            "design": asdict(plan.design),
            "tolerances": asdict(plan.tolerances),
            "accepted": {
                "cost_usd_per_hour": plan.cost_usd_per_hour,
                "provisioned_power_w": plan.provisioned_power_w,
                "replications": plan.replications,
                "certificate": list(plan.certificate),
                "targets": [asdict(one) for one in plan.targets],
            },
            "made": asdict(plan.made),
            "reproduced": result.reproduced,
            "edited": result.edited,
        },
        "outcome": result.outcome,
        "slo": {
            "outcome": result.slos,
            "verdict": now.details.evaluation.verdict if now.details else None,
            "margin": now.details.evaluation.margin if now.details else None,
        },
        "best": {
            "outcome": result.best,
            "savings": now.savings,
            "design": jsonfmt.detailed(now.scenario, best) if best else None,
            "families": [
                {
                    "family": family.family.id,
                    "status": jsonfmt.status(family),
                    "certificate": jsonfmt.certificate(family.certificate),
                }
                for family in (now.found.families if now.found else ())
            ],
        },
        "design": jsonfmt.detailed(now.scenario, now.details) if now.details else None,
        "cases": [asdict(case) for case in cases],
        "changes": [_change(result, one, blamed=one in guilty) for one in result.attributions],
        "warnings": warnings(result),
        "timing": dict(timing),
    }


def _change(result: CheckResult, one: Attribution, *, blamed: bool) -> Json:
    return {
        "kind": one.change.kind,
        "subject": one.change.subject,
        "together": [change.subject for change in one.change.together],
        "differences": [asdict(difference) for difference in one.change.differences],
        "blamed": blamed,
        "alone": _standing(result, one.alone),
    }


def _standing(result: CheckResult, standing: PlanUnderFacts) -> Json:
    tolerances, details = result.plan.tolerances, standing.details
    return {
        "slo": slo_outcome(standing, tolerances),
        "verdict": details.evaluation.verdict if details else None,
        "margin": details.evaluation.margin if details else None,
        "cost_usd_per_hour": standing.design.cost_usd_per_hour if standing.design else None,
        "best": best_outcome(standing, tolerances) if standing.found else None,
        "savings": standing.savings,
    }
