"""Throughput as the paper has it: the largest rate of its grid that meets all nine SLOs.

Of windows for each seed by itself, so that it is known how much a figure made from one trace would
vary. Of the steady state it is one rate, as far as one long run tells. That no higher rate is
feasible again is assumed, as in any capacity found by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.budget import frontier
from splitwise_plan.planner.driver import Jobs, in_order, together
from splitwise_plan.planner.rates import RateLevels
from splitwise_plan.planner.replications import replicate
from splitwise_plan.planner.widen import within_budgets
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.verdict import TargetResult, binding


@dataclass(frozen=True, slots=True)
class Best:
    """What a budget carries at most, by seed if of windows, and a split that does."""

    rates_rps: tuple[float, ...]
    designs: tuple[Design | None, ...]


def capacities(
    scenario: Scenario, designs: Sequence[Design], near_rps: Sequence[float], jobs: int
) -> list[tuple[float, ...]]:
    """The largest rates of each design; `near_rps`: where to begin to look."""
    grid = _Grid(scenario)
    asked = [
        (one, near, seed)
        for one, near in zip(designs, near_rps, strict=True)
        for seed in range(grid.seeds)
    ]
    found = in_order(lambda each: grid.climb([each[0]], each[1], each[2], 1), asked, jobs)
    rates = [grid.rates.rate_rps(level) for level, _ in found]
    size = grid.seeds
    return [tuple(rates[at * size : (at + 1) * size]) for at in range(len(designs))]


def best_splits(scenario: Scenario, near_rps: Mapping[str, float], jobs: int) -> dict[str, Best]:
    """The best use of the scenario's budgets by each of its families, by family id."""
    grid = _Grid(scenario)
    spaces = [within_budgets(scenario, space) for space in scenario.spaces]
    splits = {space.family.id: frontier(scenario, space) for space in spaces}
    asked = [(family, seed) for family in splits for seed in range(grid.seeds)]

    def look(each: tuple[str, int], jobs: Jobs) -> tuple[int, Design | None]:
        family, seed = each
        return grid.climb(splits[family], near_rps.get(family, 0.0), seed, jobs)

    found = dict(zip(asked, together(look, asked, jobs), strict=True))
    best = {}
    for family in splits:
        of_seeds = [found[family, seed] for seed in range(grid.seeds)]
        rates = tuple(grid.rates.rate_rps(level) for level, _ in of_seeds)
        best[family] = Best(rates, tuple(split for _, split in of_seeds))
    return best


def tightest(scenario: Scenario, design: Design, rate_rps: float) -> TargetResult:
    """The SLO with the least margin, of the first seed, in a run to its end."""
    evaluator = RateLevels(scenario).evaluator(round(rate_rps / scenario.rate_step_rps))
    return binding(list(evaluator.detail(design, 1).evaluation.replications[0].results))


class _Grid:
    """Designs at levels of the rate. Thread-safe."""

    def __init__(self, scenario: Scenario) -> None:
        self.rates = RateLevels(scenario)
        self.in_steady_state = scenario.horizon == "steady"
        self.seeds = 1 if self.in_steady_state else scenario.seeds

    def climb(
        self, designs: Sequence[Design], near_rps: float, seed: int, jobs: Jobs
    ) -> tuple[int, Design | None]:
        """The largest level at which any of the designs meets the SLOs, and one that does.

        In steps that double, up or down, from where one begins; then by halves.
        """
        level = max(1, round(near_rps / self.rates.scenario.rate_step_rps))
        best = self._any(designs, level, seed, jobs)
        met, missed = (level, 0) if best else (0, level)
        step = 1
        while best is not None and not missed:
            if found := self._any([best, *designs], met + step, seed, jobs):
                met, best, step = met + step, found, 2 * step
            else:
                missed = met + step
        while best is None and missed > 1:
            lower = max(missed - step, 1)
            best = self._any(designs, lower, seed, jobs)
            met, missed, step = (lower, missed, step) if best else (0, lower, 2 * step)
        while best is not None and missed - met > 1:
            middle = (met + missed) // 2
            if found := self._any([best, *designs], middle, seed, jobs):
                met, best = middle, found
            else:
                missed = middle
        return met, best

    def _any(self, designs: Sequence[Design], level: int, seed: int, jobs: Jobs) -> Design | None:
        """The first of the designs that meets the SLOs."""
        evaluator = self.rates.evaluator(level)

        def meets(design: Design) -> bool:
            if self.in_steady_state:
                return evaluator.judge(design, first_look=True).seems_to_meet
            simulator = evaluator.simulator(seed)
            run = simulator.run_unless_missed(design)
            return run is not None and replicate(simulator, seed, run).seems_to_meet

        looked = in_order(meets, designs, jobs)
        try:
            return next((one for one, met in zip(designs, looked, strict=True) if met), None)
        finally:
            looked.close()
