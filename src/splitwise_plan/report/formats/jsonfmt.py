"""The JSON documents that others may build on: keys may be added, never renamed.

The same input gives the same bytes, but for `timing`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from splitwise_plan.facts.design import Design, Family
from splitwise_plan.facts.slo import METRICS, SLOTarget
from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.outcome import (
    Certificate,
    Details,
    Evaluation,
    FamilyResult,
    LatencySummary,
    SearchResult,
)
from splitwise_plan.report.economics import economics_document
from splitwise_plan.report.extrapolation import beyond_document
from splitwise_plan.report.failures import failure_document
from splitwise_plan.report.front import front
from splitwise_plan.report.provenance import provenance, slo_name
from splitwise_plan.report.wording import margin
from splitwise_plan.scenario.scenario import Scenario

SIMULATION = "splitwise-plan/simulation/1"
SEARCH = "splitwise-plan/search/1"

Json = dict[str, Any]

RATE_UNITS = {"throughput": "rps", "throughput_per_cost": "requests/USD"}
"""Of what is maximised."""


def simulation(scenario: Scenario, details: Details, timing: Mapping[str, float]) -> Json:
    """The document of one simulated design."""
    return {
        "schema": SIMULATION,
        **origin(scenario),
        **detailed(scenario, details),
        "timing": dict(timing),
    }


def search(scenario: Scenario, result: SearchResult, timing: Mapping[str, float]) -> Json:
    """The document of a search."""
    best = result.best.best if result.best else None
    return {
        "schema": SEARCH,
        **origin(scenario),
        "objective": objective_document(scenario),
        "best": detailed(scenario, best) if best else None,
        "families": [_family(scenario, family) for family in result.families],
        "pareto": [design(scenario, one) for one in front(result)],
        "timing": {**timing, "simulations": result.simulations},
    }


def detailed(scenario: Scenario, details: Details) -> Json:
    """All that is known of one simulated design."""
    return {
        "design": design(scenario, details.evaluation.design),
        "requests": asdict(details.requests),
        "throughput_rps": details.throughput_rps,
        "latency_s": {metric: _summary(details.latency_s[metric]) for metric in METRICS},
        "slowdown": {metric: _summary(details.slowdown[metric]) for metric in METRICS},
        "kv_transfer_s": _summary(details.kv_transfer_s),
        "slo": _slo(scenario, details.evaluation),
        "pools": [asdict(pool) for pool in details.pools],
        "mixed": {"moves": details.pool_moves, "requests": details.mixed_requests},
        "energy": asdict(details.energy),
        "economics": economics_document(scenario, details),
        "beyond_profile": beyond_document(details.beyond),
        "failures": failure_document(details),
    }


def origin(scenario: Scenario) -> Json:
    """Where a result comes from: what every document says after its schema."""
    return {
        "provenance": provenance(scenario),
        "assumptions": scenario.assumptions.id,
        "scenario": question(scenario),
    }


def question(scenario: Scenario) -> Json:
    """The load and the model that were asked about."""
    return {
        "workload": scenario.workload.id if scenario.workload else None,
        "trace_requests": len(scenario.trace) if scenario.trace else None,
        "trace_window_s": scenario.arrivals.window_s,
        "trace_speed": scenario.arrivals.speed if scenario.trace else None,
        "trace_notes": list(scenario.notes),
        "arrivals": scenario.arrivals.process,
        "rate_rps": scenario.arrivals.rate_rps,
        "duration_s": scenario.arrivals.duration_s,
        "horizon": scenario.horizon,
        "llm": scenario.llm.id,
        "slo": slo_name(scenario),
        "kv_transfer": scenario.assumptions.kv_transfer,
    }


def objective_document(scenario: Scenario) -> Json:
    """What is least or most, and the budgets."""
    paper = scenario.assumptions.power_accounting == "paper"
    units = {"cost": "USD/h", "power": "paper units" if paper else "W", "machines": "machines"}
    rate = scenario.maximize is not None
    return {
        "minimize": None if rate else scenario.minimize,
        "maximize": scenario.maximize,
        "unit": RATE_UNITS[scenario.maximize] if scenario.maximize else units[scenario.minimize],
        "rate_rps": scenario.arrivals.rate_rps,
        "rate_step_rps": scenario.rate_step_rps if rate else None,
        "power_budget": scenario.power_budget,
        "power_budget_unit": units["power"],
        "cost_budget_usd_per_hour": scenario.cost_budget_usd_per_hour,
    }


def dumps(document: Json) -> str:
    """A document as text. Numbers that are not finite become null."""
    return json.dumps(_finite(document), indent=2, allow_nan=False) + "\n"


def _family(scenario: Scenario, family: FamilyResult) -> Json:
    return {
        "family": family.family.id,
        "status": status(family),
        "rate_rps": family.rate_rps or scenario.arrivals.rate_rps,
        "rate_high_rps": family.rate_high_rps,
        "best": detailed(scenario, family.best) if family.best else None,
        "ties": [design(scenario, one) for one in family.ties],
        "closest": detailed(scenario, family.closest) if family.closest else None,
        "certificate": certificate(family.certificate),
    }


def status(family: FamilyResult) -> str:
    """`meets`: there is a best design. `undecided`: none, but some might be. Else all miss."""
    if family.best:
        return "meets"
    if family.certificate.better_undecided:
        return "undecided"
    unstable = family.closest is not None and family.closest.evaluation.verdict == "unstable"
    return "unstable" if unstable else "misses"


def certificate(of: Certificate) -> Json:
    """Why nothing better works."""
    return {
        "space": of.space,
        "better_simulated": of.better_simulated,
        "better_excluded": sum(of.better_excluded.values()),
        "better_excluded_by": of.better_excluded,
        "better_undecided": of.better_undecided,
        "exact": of.exact,
        "seeds": of.seeds,
    }


def design(scenario: Scenario, of: Design) -> Json:
    """A design with its totals."""
    family = of.family
    document: Json = {
        "family": family.id,
        "prompt_machine": family.prompt_machine.id,
        "token_machine": family.token_machine.id if family.token_machine else None,
        "prompt_machines": of.prompt_machines,
        "token_machines": of.token_machines,
        "machines": of.machines,
        "tensor_parallel": of.family.tensor_parallel,
        "cost_usd_per_hour": of.cost_usd_per_hour,
        "rent_usd_per_hour": of.rent_usd_per_hour,
        "provisioned_power_w": of.provisioned_power_w,
        "estimated": _is_estimated(scenario, family),
    }
    if scenario.assumptions.power_accounting == "paper":
        document["provisioned_power_paper_units"] = of.total("paper_power")
    return document


def _is_estimated(scenario: Scenario, family: Family) -> bool:
    degree = family.tensor_parallel
    return any((one.profile, degree) in scenario.estimated for one in family.machines)


def _slo(scenario: Scenario, evaluation: Evaluation) -> Json:
    found = {estimate.target: estimate for estimate in evaluation.estimates}
    return {
        "verdict": evaluation.verdict,
        "targets": [_target(target, found.get(target)) for target in scenario.slos.all_targets],
        "replications": [
            {
                "replication": one.replication,
                "verdict": one.verdict,
                "values": [result.value for result in one.results],
            }
            for one in evaluation.replications
        ],
    }


def _target(target: SLOTarget, estimate: Estimate | None) -> Json:
    """A target and its percentile, a mean over replications with its interval.

    Met is what stays within the limit up to the upper end of the interval.
    """
    return {
        "metric": target.metric,
        "percentile": target.percentile,
        "unit": target.unit,
        "limit": target.limit,
        "value": estimate.mean if estimate else None,
        "low": estimate.low if estimate else None,
        "high": estimate.high if estimate else None,
        "margin": margin(estimate) if estimate else None,
        "met": estimate.high <= target.limit if estimate else None,
        **({"joint_limits": _limits(target)} if target.joint_limits else {}),
        **({"attained": estimate.attained._asdict()} if estimate and estimate.attained else {}),
    }


def _limits(target: SLOTarget) -> list[Json]:
    names = ("metric", "limit", "unit")
    return [dict(zip(names, limit, strict=True)) for limit in target.joint_limits]


def _summary(summary: LatencySummary) -> Json:
    return asdict(summary)


def _finite(value: Any) -> Any:
    """`value` as JSON has it: no NaN, no infinity."""
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
