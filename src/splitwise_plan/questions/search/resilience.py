"""What the spare machines of an answer are good for, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.design_capacity import Challenge, Reaching
from splitwise_plan.planner.driver import Jobs, in_order
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.outcome import SearchResult
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.scenario.spare import Spare, works
from splitwise_plan.sim.verdict import Verdict

WHOLE = 1e-9
"""How far from whole a number of rate steps may be."""

Find = Callable[[Scenario], SearchResult]
"""Searches the space of a scenario."""


@dataclass(frozen=True, slots=True)
class Loss:
    """So many machines `gone`; of all that may then be left, what does worst.

    `rate_rps`: the largest rate at which that meets its SLOs, on multiples of the rate step (see
    `reach`); None where a trace is replayed. `verdict`: at the rate of the question.
    """

    gone: int
    left: Design
    rate_rps: float | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Resilience:
    """`losses`: none gone, one, and so on. `bare`: the best design were no machine ever gone."""

    design: Design
    losses: tuple[Loss, ...]
    bare: Design | None
    bare_rate_rps: float | None
    """Where the rate was searched: the largest of `bare`."""


def resilience(
    scenario: Scenario, result: SearchResult, find: Find, jobs: Jobs
) -> Resilience | None:
    """Of the best design of a search with spare machines; None where there is none of either."""
    spare, best = scenario.spare, result.best
    if spare is None or best is None or best.best is None:
        return None
    design = best.best.evaluation.design
    asked = replace(scenario, spare=None)
    if best.rate_rps is not None:
        arrivals = replace(scenario.arrivals, rate_rps=best.rate_rps)
        asked = replace(asked, arrivals=arrivals)
    losses = tuple(
        _worst(_held_to(asked, spare, gone), gone, list(spare.with_gone(design, gone)), jobs)
        for gone in range(spare.machines + 1)
        if gone <= design.machines
    )
    if result.without_spare is not None:
        return Resilience(design, losses, result.without_spare, None)
    bare = find(replace(scenario, spare=None)).best
    found = bare.best.evaluation.design if bare and bare.best else None
    return Resilience(design, losses, found, bare.rate_rps if bare else None)


def _held_to(scenario: Scenario, spare: Spare, gone: int) -> Scenario:
    """The scenario with the SLOs that must hold with so many gone."""
    return replace(scenario, slos=spare.slos) if gone and spare.slos else scenario


def _capacity(reaching: Reaching, asked: int, left: Design) -> int:
    """In steps: from the rate asked about on if it is met there, else whatever is reached."""
    beyond = reaching.answer(Challenge(left, asked)).level if asked else 0
    return beyond or reaching.reach(left).level


def _worst(scenario: Scenario, gone: int, lefts: Sequence[Design], jobs: Jobs) -> Loss:
    """Of what may be left the one that carries least, then the one with the least margin."""
    dead = next((left for left in lefts if not works(left)), None)
    replayed = scenario.arrivals.process == "trace"
    if dead is not None:
        return Loss(gone, dead, None if replayed else 0.0, "misses")
    found = list(in_order(Evaluator(scenario).judge, lefts, jobs))
    margins = [one.margin for one in found]
    rates: list[float | None] = [None] * len(lefts)
    if not replayed:
        step = scenario.rate_step_rps
        level = int((scenario.arrivals.rate_rps or 0.0) / step + WHOLE)
        capacity = partial(_capacity, Reaching(scenario), level)
        rates = [reached * step for reached in in_order(capacity, lefts, jobs)]
    order = [(rate or 0.0, margin) for rate, margin in zip(rates, margins, strict=True)]
    at = min(range(len(lefts)), key=lambda one: order[one])
    missing = [one.verdict for one in found if one.verdict != "meets"]
    return Loss(gone, lefts[at], rates[at], missing[0] if missing else "meets")
