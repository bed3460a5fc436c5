"""A design judged for a sampler: the evaluation, the objective, and how far the SLOs are missed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.models.bounds import CAPACITY
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exclusion import PromptCapacity
from splitwise_plan.planner.outcome import Evaluation, Reduced
from splitwise_plan.planner.replications import replicate
from splitwise_plan.planner.serialize import evaluation_from_json, evaluation_to_json, number
from splitwise_plan.planner.space import objective
from splitwise_plan.scenario.scenario import Scenario

MOST = 1e6
"""Excesses of simulated designs end here, those of excluded ones begin: both only ever rank."""


LEAST = 1e-6
"""Excess at least of what does not meet for sure, though its means do."""


@dataclass(frozen=True, slots=True)
class Trial:
    """`evaluation` None: a bound proved that the design misses, and it was not simulated."""

    evaluation: Evaluation | None
    excess: float
    """The worst target, over its limit as a share of it; at most 0 where all are met for sure."""
    simulations: int
    values: tuple[float, ...]
    """The objective, to be minimised."""

    @property
    def meets(self) -> bool:
        return self.evaluation is not None and self.evaluation.verdict == "meets"

    def to_json(self) -> dict[str, Any]:
        """Floats as they are (infinity as a word), so that reading gives the same bits."""
        told: dict[str, Any] = {
            "excess": self.excess,
            "simulations": self.simulations,
            "objective": self.values[0],
        }
        if self.evaluation is None:
            return told | {"excluded": CAPACITY}
        return (
            told
            | evaluation_to_json(self.evaluation)
            | {
                "estimates": [
                    [e.target.metric, e.target.percentile, *map(number, (e.mean, e.low, e.high))]
                    for e in self.evaluation.estimates
                ]
            }
        )


def from_json(slos: SLOSet, design: Design, told: Any) -> Trial:
    """What `to_json` said of a design."""
    evaluation = None if "excluded" in told else evaluation_from_json(slos, design, told)
    return Trial(evaluation, told["excess"], told["simulations"], (told["objective"],))


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges the designs of a scenario; may be sent to other processes."""

    scenario: Scenario
    evaluator: Evaluator
    bounds: dict[str, PromptCapacity]
    """By family id."""

    @classmethod
    def of(cls, scenario: Scenario) -> Judge:
        """A judge of all families of a scenario."""
        evaluator = Evaluator(scenario)
        bounds = {s.family.id: PromptCapacity(scenario, s, evaluator) for s in scenario.spaces}
        return cls(scenario, evaluator, bounds)

    def __call__(self, design: Design) -> Trial:
        """Exclude a design by the bound, or simulate it."""
        cost = objective(self.scenario, design)
        bound = self.bounds[design.family.id]
        if not bound.can_carry(design):
            return Trial(None, MOST * (1.0 + 1.0 / bound.tokens_per_s(design)), 0, (cost,))
        evaluation = self.evaluator.judge(design)
        excess, more = self._excess(evaluation)
        return Trial(evaluation, excess, evaluation.simulations + more, (cost,))

    def _excess(self, evaluation: Evaluation) -> tuple[float, int]:
        """The excess, and how many further runs it took: one where a run ended early, unmeasured.

        Where the targets have intervals it is that of their upper ends: at most 0 is `meets`.
        """
        if all(one.results for one in evaluation.replications):
            over = [e.high / e.target.limit - 1.0 for e in evaluation.estimates]
            over += [_over(one) for one in evaluation.reduced]
            return min(max(over, default=0.0), MOST), 0
        simulator = self.evaluator.simulator(0)
        whole = replicate(simulator, 0, simulator.run(evaluation.design))
        over = [r.value / r.target.limit - 1.0 for r in whole.results if r.value == r.value]
        return min(max(over, default=MOST), MOST), 1


def _over(reduced: Reduced) -> float:
    """How far what is left with machines gone is from meeting: above 0 where it does not."""
    return 0.0 if reduced.verdict == "meets" else max(-reduced.margin, LEAST)
