"""Where nothing meets the SLOs: the design that exceeds the one that binds by the least.

Designs judged on whole runs were close in some of them, and are compared by what those measured.
Where there are none, designs spread over the space are run to their end, then the neighbours of the
best of them in steps of halving length: an answer for the eye, which no proof rests on. Of designs
that are as close, within `ALIKE`, those that miss all SLOs together by the least come first, and of
those that are alike in that too the one with the least objective is it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf, isnan
from typing import NamedTuple

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.driver import Jobs, in_order
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.outcome import Details, Evaluation, SearchResult
from splitwise_plan.planner.replications import replicate

SPREAD = 8
"""So many counts of each pool are tried at first."""

ALIKE = 0.01

Cost = Callable[[Design], float]


class Excess(NamedTuple):
    """Over the limits, as shares of them: by the worst target, and by all that are missed."""

    worst: float
    total: float

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Excess:
        """Of values over their limits."""
        return cls(max(ratios, default=inf) - 1.0, sum(max(one - 1.0, 0.0) for one in ratios))


def closest(
    evaluator: Evaluator, tried: Sequence[Evaluation], cost: Cost, jobs: Jobs
) -> Evaluation | None:
    """Of designs that were judged and do not meet the SLOs the closest; None if there are none."""
    if not tried:
        return None
    whole = [one for one in tried if all(run.results for run in one.replications)]
    excess = {one.design: _estimated(one) for one in whole}
    if all(over.worst == inf for over in excess.values()):
        excess = _measured(evaluator, [one.design for one in tried], jobs)
    chosen = _least(excess, cost)
    return next((one for one in tried if one.design == chosen), None)


def nearest(result: SearchResult) -> Details | None:
    """Of the families' closest designs the closest."""
    found = [family.closest for family in result.families if family.closest is not None]
    return max(found, key=lambda details: details.evaluation.margin, default=None)


def _estimated(evaluation: Evaluation) -> Excess:
    return Excess.of([e.mean / e.target.limit for e in evaluation.estimates])


def _measured(evaluator: Evaluator, designs: Sequence[Design], jobs: Jobs) -> dict[Design, Excess]:
    """The excess of some designs, those around the closest among them."""
    by_place = {_place(design): design for design in designs}
    prompts, tokens = ([*dict.fromkeys(sorted(axis))] for axis in zip(*by_place, strict=True))
    excess: dict[Design, Excess] = {}

    def measure(places: Iterable[tuple[int, int]]) -> None:
        new = [by_place[one] for one in places if one in by_place and by_place[one] not in excess]
        excess.update(zip(new, in_order(_Measure(evaluator), new, jobs), strict=True))

    measure((p, t) for p in _some(prompts) for t in _some(tokens))
    step = max(len(prompts), len(tokens)) // SPREAD
    while step and excess:
        prompt, token = _place(min(excess, key=lambda one: excess[one]))
        before = len(excess)
        measure((prompt + p, token + t) for p in (-step, 0, step) for t in (-step, 0, step))
        if len(excess) == before:
            step //= 2
    return excess


class _Measure:
    """How far a design is over the limits in the first replication."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def __call__(self, design: Design) -> Excess:
        simulator = self.evaluator.simulator(0)
        results = replicate(simulator, 0, simulator.run(design)).results
        return Excess.of([r.value / r.target.limit for r in results if not isnan(r.value)])


def _least(excess: dict[Design, Excess], cost: Cost) -> Design | None:
    """Where even the least is infinite, the design with the most machines."""
    if all(over.worst == inf for over in excess.values()):
        return max(excess, key=lambda one: one.machines, default=None)
    close = _alike(list(excess), lambda one: excess[one].worst)
    close = _alike(close, lambda one: excess[one].total)
    return min(close, key=lambda one: (cost(one), excess[one]))


def _alike(designs: Sequence[Design], over: Callable[[Design], float]) -> list[Design]:
    """Those that are over by no more than the least, but for `ALIKE`."""
    least = min(map(over, designs))
    return [one for one in designs if over(one) <= least + ALIKE * (1.0 + least)]


def _place(design: Design) -> tuple[int, int]:
    return design.prompt_machines, design.token_machines


def _some(counts: Sequence[int]) -> list[int]:
    """At most `SPREAD` of them, both ends included."""
    last = len(counts) - 1
    parts = max(min(SPREAD - 1, last), 1)
    return [*dict.fromkeys(counts[round(last * part / parts)] for part in range(parts + 1))]
