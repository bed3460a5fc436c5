"""Designs judged under several loads: one meets the SLOs if it meets them under each.

The most demanding load comes first, so that most designs that miss are known to after it. Only time
is saved by that order: a design meets if all loads were looked at, and misses if one says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.outcome import Details, Evaluation
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.simulator import Simulator

WINDOWS = 12
"""A load is as demanding as the busiest of so many parts of its run."""


class MultiLoadEvaluator(Evaluator):
    """Judges designs under all loads of a scenario's machines, all of them on the same requests.

    What it says of a design is what the load says that decides: the first that is missed, else one
    that is undecided, else the one with the least margin.
    """

    def __init__(self, base: Scenario, parts: Sequence[Evaluator]) -> None:
        """`base`: the machines, prices and objective that the loads have in common."""
        super().__init__(base)
        self._parts = tuple(sorted(parts, key=lambda one: -demand(one)))
        self.looks = max((one.looks for one in parts), key=len)
        self._deciding: dict[Design, Evaluator] = {}

    def __reduce__(  # type: ignore[override]
        self,
    ) -> tuple[Callable[..., MultiLoadEvaluator], tuple[Scenario, tuple[Evaluator, ...]]]:
        return MultiLoadEvaluator, (self.scenario, self._parts)

    @property
    def parts(self) -> tuple[Evaluator, ...]:
        """Those of the loads, the most demanding first."""
        return self._parts

    def simulator(self, replication: int) -> Simulator:
        """That of the most demanding load."""
        return self._parts[0].simulator(replication)

    def screen(self, design: Design) -> Evaluation | None:
        """The first load's verdict under which it soon turns out to miss."""
        return next((one for part in self._parts if (one := part.screen(design))), None)

    def judge(self, design: Design, *, first_look: bool = False, jobs: Jobs = 1) -> Evaluation:
        """The verdict of the load that decides; `simulations` of all that were looked at."""
        found: list[tuple[Evaluation, Evaluator]] = []
        for part in self._parts:
            evaluation = part.judge(design, first_look=first_look, jobs=jobs)
            found.append((evaluation, part))
            if evaluation.verdict not in ("meets", "undecided"):
                break
        else:
            found.sort(key=lambda pair: (pair[0].verdict == "meets", pair[0].margin), reverse=True)
        evaluation, self._deciding[design] = found[-1]
        return replace(evaluation, simulations=sum(one.simulations for one, _ in found))

    def seems_to_meet(self, design: Design) -> bool:
        """A quick look at each load, until one is missed."""
        return all(part.seems_to_meet(design) for part in self._parts)

    def detail(
        self,
        design: Design,
        replications: int | None = None,
        jobs: Jobs = 1,
        *,
        stop_when_missed: bool = False,
    ) -> Details:
        """Everything about a design under the load that decides."""
        if design not in self._deciding:
            self.judge(design)
        part = self._deciding[design]
        return part.detail(design, replications, jobs, stop_when_missed=stop_when_missed)


def demand(evaluator: Evaluator) -> float:
    """Machine-seconds a second that requests would take alone, in the busiest part of a run."""
    simulator = evaluator.simulator(0)
    arrival_s = simulator.requests.arrival_s
    span_s = max(simulator.last_arrival_s - simulator.start_s, 1e-9)
    part = np.minimum((arrival_s - simulator.start_s) / span_s * WINDOWS, WINDOWS - 1)
    work_s = np.bincount(part.astype(np.int64), weights=simulator.alone_s[2], minlength=WINDOWS)
    return float(work_s.max()) * WINDOWS / span_s
