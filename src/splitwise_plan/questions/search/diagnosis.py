"""Why nothing meets the SLOs, and what alone would change that.

The bottleneck is found by experiment: the closest design is simulated again with one resource at a
time made plentiful (`PLENTY` times as much), and the one that brings the SLOs nearest is named.
Remedies are found by search: the largest rate the space can carry, and the counts that would do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from splitwise_plan.facts.design import CountRange, Design, FamilySpace
from splitwise_plan.planner.capacity import maximize_rate
from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.nearest import nearest
from splitwise_plan.planner.outcome import Details, FamilyResult, SearchResult
from splitwise_plan.planner.replications import replicate
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.lower import Lowered
from splitwise_plan.sim.simulator import Simulator

PLENTY = 4.0
"""How much more of a resource an experiment gives."""

MORE_MACHINES = 2
"""Ranges are widened by this factor to find counts that would do."""


def _faster_prompts(lowered: Lowered) -> Lowered:
    points = lowered.points.copy()
    points.y[:, k.PROMPT_TIME] /= PLENTY
    return replace(lowered, points=points)


def _faster_tokens(lowered: Lowered) -> Lowered:
    tables = lowered.tables.copy()
    tables[:, k.TOKEN_TIME] /= PLENTY
    return replace(lowered, tables=tables, context_slope_s=lowered.context_slope_s / PLENTY)


def _more_memory(lowered: Lowered) -> Lowered:
    room = lowered.memory_limit_bytes - lowered.rules[0].weights_bytes
    limit = lowered.rules[0].weights_bytes + PLENTY * room
    return replace(lowered, memory_limit_bytes=limit)


def _faster_transfer(lowered: Lowered) -> Lowered:
    pairs = lowered.pairs.copy()
    pairs.bandwidth_bytes_per_s *= PLENTY
    pairs.layerwise_visible_s /= PLENTY
    return replace(lowered, pairs=pairs)


RESOURCES: dict[str, Callable[[Lowered], Lowered]] = {
    "prompt compute": _faster_prompts,
    "token bandwidth": _faster_tokens,
    "token memory": _more_memory,
    "KV transfer": _faster_transfer,
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with the closest design, and what alone would help.

    `relief`: for each resource the worst ratio of a target's value to its limit with plenty of it;
    at most 1 where the SLOs would be met. `bottleneck`: the one with the least. None, and no
    `relief`, where the closest design meets the SLOs whole, and misses only with machines gone.
    """

    closest: Details
    missed: tuple[Estimate, ...]
    relief: dict[str, float]
    bottleneck: str | None
    rate_rps: float | None
    """The largest rate at which the largest design of a family meets the SLOs."""
    rate_design: Design | None
    more: Design | None
    """The best design in ranges twice as wide, if one meets there."""


def diagnose(scenario: Scenario, result: SearchResult, jobs: Jobs) -> Diagnosis | None:
    """Explain a search without a best; None where nothing was simulated, or nothing measured."""
    closest = nearest(result)
    if result.best is not None or closest is None or not closest.evaluation.estimates:
        return None
    family = next(one for one in result.families if one.closest is closest)
    design = closest.evaluation.design
    at_rate = scenario
    if scenario.maximize is not None:
        arrivals = replace(scenario.arrivals, rate_rps=scenario.rate_step_rps)
        at_rate = replace(scenario, arrivals=arrivals)
    whole = closest.evaluation.meets_whole
    relief = {} if whole else reliefs(Evaluator(at_rate), design)
    slower = _slower(scenario, family.space, jobs) if scenario.maximize is None else None
    more = _more(at_rate, family.space, jobs)
    return Diagnosis(
        closest=closest,
        missed=tuple(e for e in closest.evaluation.estimates if not e.high <= e.target.limit),
        relief=relief,
        bottleneck=min(relief, key=lambda name: relief[name], default=None),
        rate_rps=slower.rate_rps if slower else None,
        rate_design=slower.best.evaluation.design if slower and slower.best else None,
        more=more,
    )


def reliefs(evaluator: Evaluator, design: Design) -> dict[str, float]:
    """Simulate `design` with plenty of each resource in turn, on the first replication."""
    simulator = evaluator.simulator(0)
    family = design.family.id
    lowered = simulator.families[family]
    return {
        name: _worst_ratio(replace(simulator, families={family: change(lowered)}), design)
        for name, change in RESOURCES.items()
    }


def _worst_ratio(simulator: Simulator, design: Design) -> float:
    results = replicate(simulator, 0, simulator.run(design)).results
    ratios = (result.value / result.target.limit for result in results)
    return max((ratio for ratio in ratios if not np.isnan(ratio)), default=np.inf)


def _slower(scenario: Scenario, space: FamilySpace, jobs: Jobs) -> FamilyResult:
    """The rate that the largest design of a space can carry."""
    rate = scenario.arrivals.rate_rps or 1.0
    asked = replace(scenario, maximize="throughput", spaces=(space,), rate_step_rps=rate / 100)
    return maximize_rate(asked, jobs).families[0]


def _more(scenario: Scenario, space: FamilySpace, jobs: Jobs) -> Design | None:
    """The best design if counts may be larger than the space allows."""
    wider = replace(
        space,
        prompt_machines=_wider(space.prompt_machines),
        token_machines=_wider(space.token_machines) if space.token_machines else None,
    )
    asked = replace(
        scenario,
        maximize=None,
        power_budget=None,
        cost_budget_usd_per_hour=None,
        spaces=(wider,),
        seeds=1,
        max_seeds=1,
    )
    best = search(asked, jobs).best
    return best.best.evaluation.design if best and best.best else None


def _wider(counts: CountRange) -> CountRange:
    return CountRange(counts.low, MORE_MACHINES * counts.high)
