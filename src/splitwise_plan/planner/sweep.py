"""Sweeps: every design of a family at one rate, and some designs over several rates.

Designs are judged as a search judges them, on the same requests, so verdicts and optimum of a sweep
are those of the search; but every run goes to its end, so that each SLO has a number everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import get_args

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.evaluate import Evaluator, as_judged
from splitwise_plan.planner.journal import Journal, details, evaluations, kept_in_order
from splitwise_plan.planner.outcome import Details, Evaluation
from splitwise_plan.planner.progress import Progress, ProgressCallback
from splitwise_plan.planner.replications import as_replications_say, replicate
from splitwise_plan.planner.space import designs, objective
from splitwise_plan.scenario.scenario import Minimize, Scenario
from splitwise_plan.sim.verdict import Verdict

OBJECTIVES: tuple[Minimize, ...] = get_args(Minimize)


@dataclass(frozen=True, slots=True)
class MapCell:
    """One design of a map; `objectives`: what each `minimize` would count."""

    evaluation: Evaluation
    objectives: Mapping[Minimize, float]

    @property
    def design(self) -> Design:
        return self.evaluation.design

    @property
    def verdict(self) -> Verdict:
        return self.evaluation.verdict

    @property
    def tightest(self) -> Estimate | None:
        """The SLO whose mean is the largest share of its limit."""
        estimates = self.evaluation.estimates
        return max(estimates, key=lambda e: e.mean / e.target.limit, default=None)


@dataclass(frozen=True, slots=True)
class MapResult:
    """All designs of a space at one rate, prompt machines ascending, then token machines."""

    space: FamilySpace
    cells: tuple[MapCell, ...]
    optima: Mapping[Minimize, tuple[MapCell, ...]]
    """For each objective the designs that meet the SLOs at the least of it, the most SLO margin
    first; none where no design meets them."""
    seeds: int
    """Replications a verdict started from."""
    simulations: int


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """One design at one rate."""

    rate_rps: float
    details: Details

    @property
    def design(self) -> Design:
        return self.details.evaluation.design

    @property
    def verdict(self) -> Verdict:
        return self.details.evaluation.verdict


@dataclass(frozen=True, slots=True)
class LoadResult:
    """Designs over rates: a point for each pair, by design, then by rate, as they were given."""

    designs: tuple[Design, ...]
    rates_rps: tuple[float, ...]
    points: tuple[LoadPoint, ...]
    seeds: int

    def of(self, design: Design) -> tuple[LoadPoint, ...]:
        """The points of one design."""
        return tuple(point for point in self.points if point.design == design)

    def capacity_rps(self, design: Design) -> float | None:
        """The largest rate up to which a design meets the SLOs at every rate of the sweep."""
        best = None
        for point in sorted(self.of(design), key=lambda one: one.rate_rps):
            if point.verdict != "meets":
                break
            best = point.rate_rps
        return best


def sweep_map(
    scenario: Scenario,
    space: FamilySpace,
    jobs: Jobs,
    report: ProgressCallback | None = None,
    journal: Journal | None = None,
) -> MapResult:
    """Judge every design of a space at the scenario's rate (paper, Fig. 12).

    `journal`: to go on from.
    """
    evaluator = Evaluator(scenario)
    every = list(designs(space))
    by_objective = {name: replace(scenario, minimize=name) for name in OBJECTIVES}
    cells: list[MapCell] = []
    simulations, meeting = 0, None
    kind = evaluations("map", scenario.slos)
    judge = partial(judge_in_full, evaluator)
    for evaluation in kept_in_order(journal, kind, judge, every, jobs):
        design = evaluation.design
        values = {name: objective(asked, design) for name, asked in by_objective.items()}
        cells.append(MapCell(evaluation, values))
        simulations += evaluation.simulations
        if evaluation.verdict == "meets" and meeting is None:
            meeting = design
        if report is not None:
            report(Progress(space.family.id, len(cells), 0, len(every), meeting))
    optima = {name: _optima(cells, name) for name in OBJECTIVES}
    return MapResult(space, tuple(cells), optima, evaluator.looks[0], simulations)


def sweep_load(  # noqa: PLR0913, PLR0917
    scenario: Scenario,
    designs: Sequence[Design],
    rates_rps: Sequence[float],
    jobs: Jobs,
    report: ProgressCallback | None = None,
    journal: Journal | None = None,
) -> LoadResult:
    """Simulate designs at several rates (paper, Fig. 16): at each all on the same requests.

    Details are of as many replications as the verdict took. Requests are kept for one rate at a
    time. `journal`: to go on from.
    """
    rows: list[list[LoadPoint]] = [[] for _ in designs]
    seeds = scenario.seeds
    for done, rate in enumerate(rates_rps):
        evaluator = Evaluator(at_rate(scenario, rate))
        seeds = evaluator.looks[0]
        kind = details(f"load {rate!r}", scenario.slos)
        found = kept_in_order(journal, kind, partial(detail_in_full, evaluator), designs, jobs)
        for row, one in zip(rows, found, strict=True):
            row.append(LoadPoint(rate, one))
            if report is not None:
                design = one.evaluation.design
                count = done * len(designs) + sum(len(points) > done for points in rows)
                total = len(rates_rps) * len(designs)
                report(Progress(design.family.id, count, 0, total, None))
    points = tuple(point for row in rows for point in row)
    return LoadResult(tuple(designs), tuple(rates_rps), points, seeds)


def at_rate(scenario: Scenario, rate_rps: float) -> Scenario:
    """The scenario at another rate; a trace's own times are replaced by a Poisson process."""
    arrivals = scenario.arrivals
    process = "poisson" if arrivals.process == "trace" else arrivals.process
    return replace(scenario, arrivals=replace(arrivals, process=process, rate_rps=rate_rps))


def judge_in_full(evaluator: Evaluator, design: Design) -> Evaluation:
    """The evaluator's verdict; replications that it ended early are run again to their end.

    In the steady state one short run stands for them all.
    """
    evaluation = evaluator.judge(design)
    again = 0
    replications = list(evaluation.replications)
    if evaluator.scenario.horizon == "steady" and not evaluation.estimated:
        replications = replications[:1]
    for at, replication in enumerate(replications):
        if not replication.results:
            simulator = evaluator.simulator(replication.replication)
            replications[at] = replicate(simulator, replication.replication, simulator.run(design))
            again += 1
    return replace(
        evaluation,
        verdict=as_replications_say(evaluation.verdict, [one.verdict for one in replications]),
        replications=tuple(replications),
        simulations=evaluation.simulations + again,
    )


def detail_in_full(evaluator: Evaluator, design: Design, jobs: Jobs = 1) -> Details:
    """Everything about a design, with more replications as long as the verdict is undecided."""
    if evaluator.scenario.horizon == "steady":
        judged = evaluator.judge_whole(design, jobs=jobs)
        replications = len(judged.replications) if judged.estimated else 1
        return as_judged(evaluator.detail(design, replications, jobs), judged)
    for look in evaluator.looks:
        details = evaluator.detail(design, look, jobs)
        evaluation = details.evaluation
        if evaluation.verdict != "undecided":
            break
        measured = any(one.verdict != "undecided" for one in evaluation.replications)
        if measured and not evaluation.met:  # a search takes this for a miss, at its first look
            return replace(details, evaluation=replace(evaluation, verdict="misses"))
    return details


def simulated(
    scenario: Scenario,
    design: Design,
    jobs: int,
    *,
    exactly: bool = False,
    stop_when_missed: bool = False,
) -> Details:
    """Everything about one design: of a window over the scenario's `seeds`.

    In the steady state over as many runs as the verdict takes, unless `exactly` those are wanted.
    """
    evaluator = Evaluator(scenario)
    if scenario.horizon == "steady" and not exactly and not stop_when_missed:
        return detail_in_full(evaluator, design, jobs)
    return evaluator.detail(design, jobs=jobs, stop_when_missed=stop_when_missed)


def _optima(cells: Sequence[MapCell], name: Minimize) -> tuple[MapCell, ...]:
    meeting = [cell for cell in cells if cell.verdict == "meets"]
    least = min((cell.objectives[name] for cell in meeting), default=None)
    best = [cell for cell in meeting if cell.objectives[name] == least]
    return tuple(sorted(best, key=lambda cell: (cell.design.machines, -cell.evaluation.margin)))
