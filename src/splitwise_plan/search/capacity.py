"""The largest rate under a budget: iso-power and iso-cost throughput.

Rates are multiples of the scenario's `rate_step_rps`. The space is the designs of a family that
use up the budget: within it, and adding a machine of either type would exceed it or the family's
range. A rate is feasible if one of them meets the SLOs there. The answer is a feasible rate whose
next step is not: every design of the space was judged at that next step, and none meets. That no
higher rate is feasible again is assumed, as in any capacity found by bisection.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

import numpy as np

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.scenario import FamilySpace, Scenario
from splitwise_plan.models.bounds import CAPACITY
from splitwise_plan.search.driver import Jobs
from splitwise_plan.search.evaluate import Evaluator, as_judged
from splitwise_plan.search.exclusion import PromptCapacity
from splitwise_plan.search.journal import (
    Journal,
    evaluations,
    kept_in_order,
    or_none,
    quick_looks,
)
from splitwise_plan.search.nearest import closest
from splitwise_plan.search.outcome import (
    Certificate,
    Details,
    Evaluation,
    FamilyResult,
    SearchResult,
)
from splitwise_plan.search.progress import Progress, Report
from splitwise_plan.search.space import designs, provisioned_power
from splitwise_plan.search.widen import within_budgets

MAX_LEVELS = 1_000_000
"""Rates are not searched beyond this many steps."""

MOST_UNDECIDED = 20
"""Steps above the answer up to which the end of the undecided rates is looked for."""

NEAREST = 6
"""Designs around a favourite that a quick look at a rate begins with."""


def maximize_rate(
    scenario: Scenario,
    jobs: Jobs,
    report: Report | None = None,
    journal: Journal | None = None,
) -> SearchResult:
    """For each family the largest rate that meets the SLOs within the scenario's budgets.

    `journal`: to go on from.
    """
    start = time.perf_counter()
    rates = RateLevels(scenario)
    searches = [RateSearch(scenario, space, rates, jobs, journal) for space in scenario.spaces]
    results = tuple(one.run(report) for one in searches)
    found = [result for result in results if result.best is not None]
    best = min(found, key=lambda result: rate_rank(scenario, result), default=None)
    simulations = sum(one.simulations for one in searches)
    return SearchResult(results, best, simulations, time.perf_counter() - start)


def rate_rank(scenario: Scenario, result: FamilyResult) -> tuple[float, ...]:
    """Order of families: largest rate, then the order of designs that reach it."""
    if result.best is None or result.rate_rps is None:
        raise ValueError(f"{result.family.id} reaches no rate")
    return (-result.rate_rps, *design_rank(scenario, result.best))


def design_rank(scenario: Scenario, details: Details) -> tuple[float, ...]:
    """Order of designs at one rate: fewer machines, less power, less cost, more SLO margin."""
    design = details.evaluation.design
    return (
        design.machines,
        provisioned_power(scenario, design),
        round(design.cost_usd_per_hour, 6),
        -details.evaluation.margin,
    )


def within_budget(scenario: Scenario, design: Design) -> bool:
    """Whether a design keeps to every budget, with room for rounding."""
    power, cost = scenario.power_budget, scenario.cost_budget_usd_per_hour
    if power is not None and provisioned_power(scenario, design) > power * (1 + 1e-9):
        return False
    return cost is None or design.cost_usd_per_hour <= cost * (1 + 1e-9)


def frontier(scenario: Scenario, space: FamilySpace) -> list[Design]:
    """The designs of a space that use up the budget, prompt machines ascending."""
    inside = {
        (design.prompt_machines, design.token_machines): design
        for design in designs(space)
        if within_budget(scenario, design)
    }
    return [
        design
        for (prompt, token), design in inside.items()
        if (prompt + 1, token) not in inside and (prompt, token + 1) not in inside
    ]


def likely_rate_rps(
    scenario: Scenario, bound: PromptCapacity, candidates: Sequence[Design]
) -> float:
    """Half of what the prompts of the largest design would allow; 1 where nothing limits them."""
    most = max(bound.tokens_per_s(design) for design in candidates)
    workload = scenario.workload
    if workload is None:
        if scenario.trace is None:
            raise ValueError("needs a workload or a trace")
        mean = float(np.mean(scenario.trace.prompt_tokens))
    else:
        table = workload.lengths
        mean = float(np.average(table.prompt_tokens, weights=table.count))
    return 0.5 * most / mean if np.isfinite(most) else 1.0


class RateLevels:
    """Evaluators at multiples of the rate step, made when first asked for. Thread-safe."""

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
            if level not in self._evaluators:
                arrivals = replace(self.scenario.arrivals, rate_rps=self.rate_rps(level))
                self._evaluators[level] = Evaluator(replace(self.scenario, arrivals=arrivals))
            return self._evaluators[level]


@dataclass(slots=True)
class RateSearch:
    """The search of one family."""

    scenario: Scenario
    space: FamilySpace
    rates: RateLevels
    jobs: Jobs
    journal: Journal | None = None
    simulations: int = 0
    judged: int = 0
    favourite: Design | None = None
    """The design that met the SLOs last: tried first at the next rate."""
    candidates: list[Design] = field(default_factory=list)

    def run(self, report: Report | None) -> FamilyResult:
        """Find about where the answer is by quick looks at some designs, then judge them all."""
        self.space = within_budgets(self.scenario, self.space)
        self.candidates = frontier(self.scenario, self.space)
        if not self.candidates:
            return self._result(0, [], [])
        level = self._rough_level(report)
        here = self._judge_all(level, report) if level else []
        beyond = self._judge_all(level + 1, report)
        while any(_meets(one) for one in beyond):
            level, here, beyond = level + 1, beyond, self._judge_all(level + 2, report)
        while level and not any(_meets(one) for one in here):
            level, beyond = level - 1, here
            here = self._judge_all(level, report) if level else []
        return self._result(level, here, beyond)

    def _rough_level(self, report: Report | None) -> int:
        """Gallop up from a guess, then bisect, looking at designs spread over the space."""
        feasible, infeasible, step = 0, MAX_LEVELS, 0
        level = self._guess()
        while infeasible - feasible > 1:
            level = min(max(level, feasible + 1), infeasible - 1)
            if self._seems_feasible(level, report):
                feasible = level
                step = max(2 * step, level // 16, 1)
                level = feasible + step
                if infeasible < MAX_LEVELS:
                    level = min(level, (feasible + infeasible) // 2)
            else:
                infeasible = level
                level = (feasible + infeasible) // 2
        return feasible

    def _guess(self) -> int:
        """Half of what the prompts of the largest design would allow."""
        bound = PromptCapacity(self.scenario, self.space)
        likely = likely_rate_rps(self.scenario, bound, self.candidates)
        return max(1, min(int(likely / self.scenario.rate_step_rps), MAX_LEVELS - 1))

    def _some(self) -> list[Design]:
        """A few candidates: those around the last that seemed to meet, then some of the rest."""
        around = self.favourite or self.candidates[len(self.candidates) // 2]
        ordered = sorted(
            self.candidates,
            key=lambda one: (
                abs(one.prompt_machines - around.prompt_machines),
                one.prompt_machines,
            ),
        )
        return ordered[:NEAREST] + ordered[NEAREST :: len(ordered) // NEAREST or 1]

    def _seems_feasible(self, level: int, report: Report | None) -> bool:
        """Whether one of some candidates meets the SLOs at a rate, at a quick look."""
        evaluator = self.rates.evaluator(level)
        some = self._some()
        kind = quick_looks(f"look at {level}")
        looks = kept_in_order(self.journal, kind, evaluator.seems_to_meet, some, self.jobs)
        for design, meets in zip(some, looks, strict=True):
            self.simulations += 1
            self._tell(report)
            if meets:
                self.favourite = design
                looks.close()
                return True
        return False

    def _judge_all(self, level: int, report: Report | None) -> list[Evaluation | None]:
        """Judge every candidate at a rate; None where a bound excludes one."""
        evaluator = self.rates.evaluator(level)
        bound = PromptCapacity(self.scenario, self.space, evaluator)

        def judge(design: Design) -> Evaluation | None:
            return evaluator.judge(design) if bound.can_carry(design) else None

        done = []
        kind = or_none(evaluations(f"rate {level}", self.scenario.slos))
        for evaluation in kept_in_order(self.journal, kind, judge, self.candidates, self.jobs):
            done.append(evaluation)
            self.judged += 1
            self.simulations += evaluation.simulations if evaluation else 0
            self._tell(report)
        return done

    def _tell(self, report: Report | None) -> None:
        if report is not None:
            space = len(self.candidates)
            report(Progress(self.space.family.id, self.judged, 0, space, self.favourite))

    def _result(
        self, level: int, here: Sequence[Evaluation | None], beyond: Sequence[Evaluation | None]
    ) -> FamilyResult:
        """The designs that meet at `level`, ties among them, and that none does a step beyond."""
        tried = [one for one in beyond if one is not None]
        excluded = len(beyond) - len(tried)
        certificate = Certificate(
            space=len(self.candidates),
            better_simulated=len(tried),
            better_excluded={CAPACITY: excluded} if excluded else {},
            better_undecided=sum(one.verdict == "undecided" for one in tried),
            exact=True,
            seeds=self.rates.evaluator(1).looks[0],
        )
        details = [self._detail(level, one) for one in here if one is not None and _meets(one)]
        if not details:
            evaluator = self.rates.evaluator(level + 1)
            near = closest(evaluator, tried, lambda one: one.cost_usd_per_hour, self.jobs)
            told = self._detail(level + 1, near) if near else None
            return FamilyResult(self.space, None, (), certificate, told)
        details.sort(key=lambda one: design_rank(self.scenario, one))
        ties = tuple(one.evaluation.design for one in details[1:])
        rate, high = self.rates.rate_rps(level), self._surely_missing(level + 1, tried)
        return FamilyResult(self.space, details[0], ties, certificate, None, rate, high)

    def _surely_missing(self, level: int, tried: Sequence[Evaluation]) -> float | None:
        """The rate at which the designs undecided at `level` all miss; None if that is far away."""
        open_ = [one.design for one in tried if one.verdict == "undecided"]
        for higher in range(level, level + MOST_UNDECIDED):
            if not open_:
                return self.rates.rate_rps(higher)
            evaluator = self.rates.evaluator(higher + 1)
            kind = evaluations(f"rate {higher + 1}", self.scenario.slos)
            judged = list(kept_in_order(self.journal, kind, evaluator.judge, open_, self.jobs))
            self.simulations += sum(one.simulations for one in judged)
            open_ = [one.design for one in judged if one.verdict in ("undecided", "meets")]
        return None

    def _detail(self, level: int, evaluation: Evaluation) -> Details:
        replications = len(evaluation.replications)
        details = self.rates.evaluator(level).detail(evaluation.design, replications, self.jobs)
        return as_judged(details, evaluation)


def _meets(evaluation: Evaluation | None) -> bool:
    return evaluation is not None and evaluation.verdict == "meets"
