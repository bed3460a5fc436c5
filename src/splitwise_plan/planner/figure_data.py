"""A closer look at what was found, for a report: map, load sweep, requests and batches.

It changes nothing about the answer; everything is simulated on the same requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from splitwise_plan.facts.design import CountRange, Design, FamilySpace
from splitwise_plan.planner.driver import Jobs, in_order
from splitwise_plan.planner.evaluate import Evaluator, records
from splitwise_plan.planner.journal import Journal
from splitwise_plan.planner.outcome import Evaluation, SearchResult
from splitwise_plan.planner.progress import ProgressCallback
from splitwise_plan.planner.sweep import LoadResult, MapResult, at_rate, sweep_load, sweep_map
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.distributions import Distribution, distributions
from splitwise_plan.sim.metrics import latencies
from splitwise_plan.sim.occupancy import Occupancy, merged, occupancy
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

MORE = 8
LOADS = (0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5)
"""Rates of the load sweep, as multiples of the one asked about."""
AROUND = (0.6, 1.4)
"""The map shows these multiples of the best design's pools, and some machines more."""


@dataclass(frozen=True, slots=True)
class Occupied:
    """Requests and batches of a design, over the replications that it was judged on."""

    design: Design
    token_phases: tuple[Occupancy, ...]
    """Batch occupancy, one entry a pool."""
    active_tokens: tuple[Occupancy, ...]
    """The same with the tokens of prompts, as the paper counts."""
    latencies: tuple[Distribution, ...] = ()
    """One entry a metric."""


@dataclass(frozen=True, slots=True)
class FigureData:
    """What a report shows beside the answer; None or nothing where there is nothing to show."""

    map: MapResult | None = None
    load: LoadResult | None = None
    occupied: tuple[Occupied, ...] = ()
    requests: tuple[Simulator, Run] | None = field(default=None, repr=False, compare=False)
    """The records of the best design's first replication."""


def figure_data(
    scenario: Scenario,
    result: SearchResult,
    jobs: Jobs,
    report: ProgressCallback | None = None,
    journal: Journal | None = None,
) -> FigureData:
    """Map the winner's family around it, and sweep the load of the families' best designs.

    `journal`: to go on from.
    """
    asked = scenario
    if result.best is not None and result.best.rate_rps is not None:
        asked = at_rate(scenario, result.best.rate_rps)
    best = [family.best.evaluation for family in result.families if family.best]
    if not best or result.best is None or result.best.best is None:
        return FigureData()
    around = window(result.best.space, result.best.best.evaluation.design)
    rate = asked.arrivals.rate_rps
    load = None
    if rate is not None:
        rates = [round(rate * one, 6) for one in LOADS]
        load = sweep_load(asked, [one.design for one in best], rates, jobs, report, journal)
    map_ = sweep_map(asked, around, jobs, report, journal)
    kept = records(asked, result.best.best.evaluation.design)
    return FigureData(map_, load, occupied(asked, best, jobs), kept)


def occupied(
    scenario: Scenario, judged: Sequence[Evaluation], jobs: Jobs, *, stop_when_missed: bool = False
) -> tuple[Occupied, ...]:
    """Requests and batches of designs that were judged at the scenario's rate."""
    evaluator = Evaluator(scenario)

    def of(evaluation: Evaluation) -> Occupied:
        design = evaluation.design
        phases, tokens, served = [], [], []
        for simulator in evaluator.simulators(len(evaluation.replications)):
            run = simulator.run(design, stop_when_missed=stop_when_missed)
            served.append(latencies(simulator, run))
            phases.append(occupancy(simulator, design, run))
            tokens.append(occupancy(simulator, design, run, prompt_tokens=True))
        return Occupied(
            design,
            tuple(merged(same) for same in zip(*phases, strict=True)),
            tuple(merged(same) for same in zip(*tokens, strict=True)),
            distributions(served),
        )

    return tuple(in_order(of, judged, jobs))


def window(space: FamilySpace, design: Design) -> FamilySpace:
    """The part of a space around a design."""
    token = space.token_machines
    return replace(
        space,
        prompt_machines=_around(space.prompt_machines, design.prompt_machines),
        token_machines=_around(token, design.token_machines) if token else None,
    )


def _around(counts: CountRange, chosen: int) -> CountRange:
    low, high = (round(chosen * share) for share in AROUND)
    return CountRange(max(counts.low, low), min(counts.high, max(high, chosen + MORE)))
