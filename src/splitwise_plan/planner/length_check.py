"""Were the runs long enough? The winner once more, in runs twice as long."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.outcome import Evaluation
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.metrics import latencies


@dataclass(frozen=True, slots=True)
class LengthCheck:
    """`doubled`: the design judged on runs twice as long.

    `drift`: median E2E slowdown of the last quarter of a run over that of the second, averaged over
    the replications of the usual length; well above 1 where queues grow and a run is too short.
    """

    doubled: Evaluation
    drift: float


def check_length(scenario: Scenario, design: Design, rate_rps: float | None) -> LengthCheck | None:
    """Check a design at the scenario's rate or the one found.

    None in the steady state, and where a trace is replayed: there are no windows to be too short.
    """
    if scenario.horizon == "steady" or scenario.arrivals.process == "trace":
        return None
    rate = rate_rps or scenario.arrivals.rate_rps
    usual = replace(scenario, arrivals=replace(scenario.arrivals, rate_rps=rate))
    longer = replace(
        usual, arrivals=replace(usual.arrivals, duration_s=2 * scenario.arrivals.duration_s)
    )
    return LengthCheck(Evaluator(longer).judge(design), _drift(Evaluator(usual), design))


def _drift(evaluator: Evaluator, design: Design) -> float:
    ratios = []
    for simulator in evaluator.simulators(evaluator.looks[0]):
        slowdown = latencies(simulator, simulator.run(design)).slowdown["e2e"]
        quarters = [float(np.median(part)) for part in np.array_split(slowdown, 4) if len(part)]
        if len(quarters) == 4:
            ratios.append(quarters[3] / quarters[1])
    return float(np.mean(ratios)) if ratios else float("nan")
