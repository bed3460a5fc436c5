"""Throughput as the paper has it: the largest rate of its grid that meets all nine SLOs.

For each seed by itself, so that it is known how much a figure made from one trace would vary. That
no higher rate is feasible again is assumed, as in any capacity found by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.scenario import Scenario
from splitwise_plan.search.budget import frontier
from splitwise_plan.search.driver import in_order
from splitwise_plan.search.rates import RateLevels
from splitwise_plan.search.replications import replicate
from splitwise_plan.search.widen import within_budgets
from splitwise_plan.sim.verdict import TargetResult, binding


@dataclass(frozen=True, slots=True)
class Best:
    """What a budget carries at most, seed by seed, and a split of its machines that does."""

    rates_rps: tuple[float, ...]
    designs: tuple[Design | None, ...]


def capacities(
    scenario: Scenario, designs: Sequence[Design], near_rps: Sequence[float], jobs: int
) -> list[tuple[float, ...]]:
    """The largest rate of each design, for each seed; `near_rps`: where to begin to look."""
    grid = _Grid(scenario)
    seeds = range(scenario.seeds)
    asked = [
        (one, near, seed) for one, near in zip(designs, near_rps, strict=True) for seed in seeds
    ]
    found = in_order(lambda each: grid.climb([each[0]], each[1], each[2]), asked, jobs)
    rates = [grid.rates.rate_rps(level) for level, _ in found]
    size = scenario.seeds
    return [tuple(rates[at * size : (at + 1) * size]) for at in range(len(designs))]


def best_splits(scenario: Scenario, near_rps: Mapping[str, float], jobs: int) -> dict[str, Best]:
    """The best use of the scenario's budgets by each of its families, by family id."""
    grid = _Grid(scenario)
    spaces = [within_budgets(scenario, space) for space in scenario.spaces]
    splits = {space.family.id: frontier(scenario, space) for space in spaces}
    asked = [(family, seed) for family in splits for seed in range(scenario.seeds)]

    def look(each: tuple[str, int]) -> tuple[int, Design | None]:
        family, seed = each
        return grid.climb(splits[family], near_rps.get(family, 0.0), seed)

    found = dict(zip(asked, in_order(look, asked, jobs), strict=True))
    best = {}
    for family in splits:
        of_seeds = [found[family, seed] for seed in range(scenario.seeds)]
        rates = tuple(grid.rates.rate_rps(level) for level, _ in of_seeds)
        best[family] = Best(rates, tuple(split for _, split in of_seeds))
    return best


def tightest(scenario: Scenario, design: Design, rate_rps: float) -> TargetResult:
    """The SLO with the least margin, of the first seed, in a run to its end."""
    rates = RateLevels(scenario)
    simulator = rates.evaluator(round(rate_rps / scenario.rate_step_rps)).simulator(0)
    return binding(list(replicate(simulator, 0, simulator.run(design)).results))


class _Grid:
    """Designs at levels of the rate. Thread-safe."""

    def __init__(self, scenario: Scenario) -> None:
        self.rates = RateLevels(scenario)

    def climb(
        self, designs: Sequence[Design], near_rps: float, seed: int
    ) -> tuple[int, Design | None]:
        """The largest level at which any of the designs meets the SLOs, and one that does.

        In steps that double, up or down, from where one begins; then by halves.
        """
        level = max(1, round(near_rps / self.rates.scenario.rate_step_rps))
        best = self._any(designs, level, seed)
        met, missed = (level, 0) if best else (0, level)
        step = 1
        while best is not None and not missed:
            if found := self._any([best, *designs], met + step, seed):
                met, best, step = met + step, found, 2 * step
            else:
                missed = met + step
        while best is None and missed > 1:
            lower = max(missed - step, 1)
            best = self._any(designs, lower, seed)
            met, missed, step = (lower, missed, step) if best else (0, lower, 2 * step)
        while best is not None and missed - met > 1:
            middle = (met + missed) // 2
            if found := self._any([best, *designs], middle, seed):
                met, best = middle, found
            else:
                missed = middle
        return met, best

    def _any(self, designs: Sequence[Design], level: int, seed: int) -> Design | None:
        """The first of the designs that meets the SLOs."""
        simulator = self.rates.evaluator(level).simulator(seed)

        def meets(design: Design) -> bool:
            run = simulator.run_unless_missed(design)
            return run is not None and replicate(simulator, seed, run).seems_to_meet

        return next((one for one in designs if meets(one)), None)
