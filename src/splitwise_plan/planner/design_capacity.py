"""The largest rate at which one design meets the SLOs: its capacity, on multiples of a step.

Like `capacity`, for a single design: quick looks gallop and bisect, then the design is judged at
the answer and at the next step. That no higher rate is feasible again is assumed, as in any
capacity found by bisection (`capacity` says how well that holds).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.exclusion import PromptCapacity
from splitwise_plan.planner.rates import MAX_LEVELS, RateLevels, likely_rate_rps
from splitwise_plan.scenario.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Reach:
    """Steps of the rate that a design reaches (0: not even one), and what it took to know."""

    level: int
    simulations: int


@dataclass(frozen=True, slots=True)
class Challenge:
    """Whether a design reaches a level at least (0: any)."""

    design: Design
    level: int


class Reaching:
    """Finds capacities of designs of a scenario. Thread-safe; may be sent to other processes."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.rates = RateLevels(scenario)
        self._spaces = {space.family.id: space for space in scenario.spaces}
        self._bounds: dict[tuple[str, int], PromptCapacity] = {}
        self._lock = Lock()
        self._pickled = b""

    def __reduce__(self) -> tuple[Callable[[bytes], Reaching], tuple[bytes]]:
        """As its scenario: in another process all copies become one."""
        self._pickled = self._pickled or pickle.dumps(self.scenario)
        return _unpickled, (self._pickled,)

    def reach(self, design: Design) -> Reach:
        """The capacity of a design."""
        return _Search(self, design).run(0)

    def answer(self, challenge: Challenge) -> Reach:
        """The capacity of a design if it meets the SLOs at the level; 0 if it misses there."""
        search = _Search(self, challenge.design)
        if challenge.level == 0 or search.judge(challenge.level):
            return search.run(challenge.level)
        return Reach(0, search.simulations)

    def excludes(self, challenge: Challenge) -> bool:
        """Whether the bound proves that a design misses at a level."""
        design, level = challenge.design, challenge.level
        return level > 0 and not self._bound(design, level).can_carry(design)

    def _bound(self, design: Design, level: int) -> PromptCapacity:
        key = (design.family.id, level)
        if key not in self._bounds:
            evaluator = self.rates.evaluator(level)
            bound = PromptCapacity(evaluator.scenario, self._spaces[key[0]], evaluator)
            with self._lock:
                self._bounds[key] = bound
        return self._bounds[key]

    def guess(self, design: Design) -> int:
        """A level to begin with."""
        bound = PromptCapacity(self.scenario, self._spaces[design.family.id])
        likely = likely_rate_rps(self.scenario, bound, [design])
        return max(1, min(int(likely / self.scenario.rate_step_rps), MAX_LEVELS - 1))


@lru_cache(maxsize=2)
def _unpickled(scenario: bytes) -> Reaching:
    return Reaching(pickle.loads(scenario))


class _Search:
    """The search for one design's capacity."""

    def __init__(self, owner: Reaching, design: Design) -> None:
        self.owner = owner
        self.design = design
        self.simulations = 0
        self._judged: dict[int, bool] = {}

    def run(self, known: int) -> Reach:
        """From a level that is known to be met (0 always is)."""
        level = self._rough(known)
        while self.judge(level + 1):
            level += 1
        while level > known and not self.judge(level):
            level -= 1
        return Reach(level, self.simulations)

    def judge(self, level: int) -> bool:
        """The verdict at a level."""
        if level not in self._judged:
            self._judged[level] = False
            if not self.owner.excludes(Challenge(self.design, level)):
                evaluation = self.owner.rates.evaluator(level).judge(self.design)
                self.simulations += evaluation.simulations
                self._judged[level] = evaluation.verdict == "meets"
        return self._judged[level]

    def _rough(self, known: int) -> int:
        """Gallop up from what is known or else a guess, then bisect, by quick looks."""
        feasible, infeasible, step = known, MAX_LEVELS, 0
        level = known + 1 if known else self.owner.guess(self.design)
        while infeasible - feasible > 1:
            if self._seems(level):
                feasible, step = level, max(2 * step, level // 16, 1)
                level = min(feasible + step, (feasible + infeasible) // 2)
            else:
                infeasible = level
                level = (feasible + infeasible) // 2
        return feasible

    def _seems(self, level: int) -> bool:
        """A quick look: one replication after the other, until one does not meet."""
        if self.owner.excludes(Challenge(self.design, level)):
            return False
        self.simulations += 1
        return self.owner.rates.evaluator(level).seems_to_meet(self.design)
