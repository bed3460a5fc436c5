"""The rates that are searched, and a guess where to begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock

import numpy as np

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exclusion import PromptCapacity
from splitwise_plan.scenario.sampling import lengths_of
from splitwise_plan.scenario.scenario import Scenario

MAX_LEVELS = 1_000_000
"""Rates are not searched beyond this many steps."""

KEPT = 12
"""Rates whose requests are kept: at each up to some hundred megabytes."""


class RateLevels:
    """Evaluators at multiples of the rate step, made when asked for. Thread-safe.

    Those asked for last are kept, with their requests.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._evaluators: dict[int, Evaluator] = {}
        self._lock = Lock()

    def rate_rps(self, level: int) -> float:
        """The rate of a level."""
        return level * self.scenario.rate_step_rps

    def evaluator(self, level: int) -> Evaluator:
        """Judges designs at a level."""
        with self._lock:
            evaluator = self._evaluators.pop(level, None)
            if evaluator is None:
                arrivals = replace(self.scenario.arrivals, rate_rps=self.rate_rps(level))
                evaluator = Evaluator(replace(self.scenario, arrivals=arrivals))
            self._evaluators[level] = evaluator
            while len(self._evaluators) > KEPT:
                self._evaluators.pop(next(iter(self._evaluators)))
            return evaluator


def likely_rate_rps(
    scenario: Scenario, bound: PromptCapacity, candidates: Sequence[Design]
) -> float:
    """Half of what the prompts of the largest design would allow; 1 where nothing limits them."""
    most = max(bound.tokens_per_s(design) for design in candidates)
    mean, _ = lengths_of(scenario).mean_tokens
    return 0.5 * most / mean if np.isfinite(most) else 1.0
