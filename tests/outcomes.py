"""Hand-made outcomes, for reports to be written about."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import Any

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.outcome import (
    Certificate,
    Details,
    Evaluation,
    FamilyResult,
    LatencySummary,
    Replication,
    RequestCounts,
    SearchResult,
)
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.metrics import Energy, Pool
from splitwise_plan.sim.verdict import TargetResult, Verdict

TTFT, TBT, E2E = (0.5, 0.9, 4.6), (1.21, 1.4, 2.0), (0.95, 1.2, 2.2)
MEETS = (*TTFT, *TBT, *E2E)
"""Slowdowns in the order of the nine SLOs, tightest at TBT P50."""
MISSES = (*TTFT, 1.31, 1.4, 2.0, *E2E)
UNFINISHED = (0.5, 0.9, inf, *TBT, *E2E)


@cache
def scenario(**overrides: Any) -> Scenario:
    return load_scenario(Catalog(), None, overrides)


def design(asked: Scenario, family: str, prompt: int, token: int = 0) -> Design:
    [space] = [space for space in asked.spaces if space.family.id == family]
    return Design(space.family, prompt, token)


def evaluation(
    asked: Scenario, of: Design, verdict: Verdict, *values: tuple[float, ...]
) -> Evaluation:
    """One replication for each tuple of values of the nine targets."""
    replications = [
        Replication(
            number,
            verdict,
            tuple(map(TargetResult, asked.slos.targets, one)),
        )
        for number, one in enumerate(values)
    ]
    return Evaluation(of, verdict, tuple(replications), len(replications))


def details(
    asked: Scenario, of: Design, verdict: Verdict = "meets", *values: tuple[float, ...]
) -> Details:
    summary = LatencySummary(0.5, 0.25, 0.75, 1.5)
    pools = [Pool("prompt", "dgx-h100", of.prompt_machines, 0.58, 0.575, 2.0**39, 182_526.0)]
    if of.token_machines:
        pools.append(Pool("token", "dgx-h100", of.token_machines, 0.8, 0.026, 2.0**38, 64_789.0))
    else:
        pools = [Pool("shared", "dgx-h100", of.prompt_machines, 0.58, 0.5, 2.0**39, 182_526.0)]
    return Details(
        evaluation=evaluation(asked, of, verdict, *(values or (MEETS,))),
        requests=RequestCounts(8502, 8502, 0, 0),
        throughput_rps=69.6,
        latency_s=dict.fromkeys(("ttft", "tbt", "e2e"), summary),
        slowdown=dict.fromkeys(("ttft", "tbt", "e2e"), summary),
        kv_transfer_s=LatencySummary(0.007, 0.008, 0.008, 0.008),
        pools=tuple(pools),
        energy=Energy(247_315.0, 1.404),
        pool_moves=14,
        mixed_requests=1,
        prompt_tokens_per_s=140_000.0,
        output_tokens_per_s=2_000.0,
    )


def family_result(
    asked: Scenario,
    best: Details | None,
    *,
    family: str = "",
    ties: tuple[Design, ...] = (),
    closest: Details | None = None,
    undecided: int = 0,
) -> FamilyResult:
    found = best or closest
    family = family or (found.evaluation.design.family.id if found else "")
    [space] = [space for space in asked.spaces if space.family.id == family]
    open_ = (Design(space.family, 1, 1),) * undecided
    certificate = Certificate(1521, 311, {"prompt capacity": 97}, open_, True, 3)
    return FamilyResult(space, best, ties, certificate, closest)


def search_result(asked: Scenario, *families: FamilyResult) -> SearchResult:
    """The first family that has a best design wins."""
    best = next((family for family in families if family.best is not None), None)
    return SearchResult(families, best, 1234, 0.5)


def paper_answer(asked: Scenario) -> SearchResult:
    """A winner with ties, another family that meets the SLOs, and one that does not."""
    hh = design(asked, "splitwise-hh", 24, 4)
    ties = (design(asked, "splitwise-hh", 25, 3), design(asked, "splitwise-hh", 23, 5))
    ha = details(asked, design(asked, "splitwise-ha", 27, 9))
    a100 = details(asked, design(asked, "baseline-a100", 139), "misses", MISSES)
    return search_result(
        asked,
        family_result(asked, details(asked, hh), ties=ties),
        family_result(asked, ha),
        family_result(asked, None, closest=a100),
    )
