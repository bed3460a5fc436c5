"""Where nothing meets the SLOs: the design that exceeds the one that binds by the least.

Designs judged on whole runs were close in some of them, and are compared by what those measured.
Where there are none, designs spread over the space are run to their end, then the neighbours of the
best of them in steps of halving length: an answer for the eye, which no proof rests on. Of designs
that are as close, within `ALIKE`, the one with the least objective is it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf, isnan

from splitwise_plan.facts.design import Design
from splitwise_plan.search.driver import Jobs, in_order
from splitwise_plan.search.evaluate import Evaluator, replicate
from splitwise_plan.search.outcome import Details, Evaluation, SearchResult

SPREAD = 8
"""So many counts of each pool are tried at first."""

ALIKE = 0.01

Cost = Callable[[Design], float]


def closest(
    evaluator: Evaluator, tried: Sequence[Evaluation], cost: Cost, jobs: Jobs
) -> Evaluation | None:
    """Of designs that were judged and do not meet the SLOs the closest; None if there are none."""
    if not tried:
        return None
    whole = [one for one in tried if all(run.results for run in one.replications)]
    if whole:
        excess = {one.design: -one.margin for one in whole}
    else:
        excess = _measured(evaluator, [one.design for one in tried], jobs)
    chosen = _least(excess, cost)
    return next((one for one in tried if one.design == chosen), None)


def nearest(result: SearchResult) -> Details | None:
    """Of the families' closest designs the closest."""
    found = [family.closest for family in result.families if family.closest is not None]
    return max(found, key=lambda details: details.evaluation.margin, default=None)


def _measured(evaluator: Evaluator, designs: Sequence[Design], jobs: Jobs) -> dict[Design, float]:
    """The excess of some designs, those around the closest among them."""
    by_place = {_place(design): design for design in designs}
    prompts, tokens = ([*dict.fromkeys(sorted(axis))] for axis in zip(*by_place, strict=True))
    excess: dict[Design, float] = {}

    def measure(places: Iterable[tuple[int, int]]) -> None:
        new = [by_place[one] for one in places if one in by_place and by_place[one] not in excess]
        excess.update(zip(new, in_order(_Excess(evaluator), new, jobs), strict=True))

    measure((p, t) for p in _some(prompts) for t in _some(tokens))
    step = max(len(prompts), len(tokens)) // SPREAD
    while step and excess:
        prompt, token = _place(min(excess, key=lambda one: excess[one]))
        before = len(excess)
        measure((prompt + p, token + t) for p in (-step, 0, step) for t in (-step, 0, step))
        if len(excess) == before:
            step //= 2
    return excess


class _Excess:
    """How far a design's worst target is over its limit in the first replication; as a share."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def __call__(self, design: Design) -> float:
        simulator = self.evaluator.simulator(0)
        results = replicate(simulator, 0, simulator.run(design)).results
        ratios = [r.value / r.target.limit for r in results if not isnan(r.value)]
        return max(ratios, default=inf) - 1.0


def _least(excess: dict[Design, float], cost: Cost) -> Design | None:
    """Where even the least is infinite, the design with the most machines."""
    least = min(excess.values(), default=inf)
    if least == inf:
        return max(excess, key=lambda one: one.machines, default=None)
    alike = [one for one, over in excess.items() if over <= least + ALIKE * (1.0 + least)]
    return min(alike, key=lambda one: (cost(one), excess[one]))


def _place(design: Design) -> tuple[int, int]:
    return design.prompt_machines, design.token_machines


def _some(counts: Sequence[int]) -> list[int]:
    """At most `SPREAD` of them, both ends included."""
    last = len(counts) - 1
    parts = max(min(SPREAD - 1, last), 1)
    return [*dict.fromkeys(counts[round(last * part / parts)] for part in range(parts + 1))]
