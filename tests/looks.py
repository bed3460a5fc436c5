"""Hand-made sweeps and occupancies, for figures and pages to be made of."""

from __future__ import annotations

from math import inf

import numpy as np
from outcomes import E2E, MEETS, MISSES, TTFT, UNFINISHED, design, details, evaluation

from splitwise_plan.facts.design import CountRange, Design, FamilySpace
from splitwise_plan.facts.slo import METRICS
from splitwise_plan.planner.figure_data import FigureData, Occupied
from splitwise_plan.planner.outcome import Evaluation
from splitwise_plan.planner.sweep import LoadPoint, LoadResult, MapCell, MapResult
from splitwise_plan.scenario.scenario import Minimize, Scenario
from splitwise_plan.sim.distributions import PERCENTILES, Distribution
from splitwise_plan.sim.occupancy import Occupancy

CLOSE = (*TTFT, 1.26, 1.4, 2.0, *E2E)


def cell(asked: Scenario, of: Design, judged: Evaluation) -> MapCell:
    objectives: dict[Minimize, float] = {
        "cost": of.cost_usd_per_hour,
        "power": of.provisioned_power_w,
        "machines": float(of.machines),
    }
    return MapCell(judged, objectives)


def map_result(asked: Scenario) -> MapResult:
    """2 x 3 designs of Splitwise-HH: one unfinished, one missed, one undecided, three that meet."""
    space = FamilySpace(
        design(asked, "splitwise-hh", 1, 1).family, CountRange(23, 24), CountRange(3, 5)
    )
    kinds = (
        ("unstable", (UNFINISHED,)),
        ("misses", (MISSES,)),
        ("meets", (MEETS,)),
        ("undecided", (MEETS, CLOSE)),
        ("meets", (MEETS, MEETS)),
        ("meets", (MEETS,)),
    )
    cells = []
    for at, (verdict, values) in enumerate(kinds):
        of = Design(space.family, 23 + at // 3, 3 + at % 3)
        cells.append(cell(asked, of, evaluation(asked, of, verdict, *values)))  # type: ignore[arg-type]
    best = (cells[2], cells[4])
    optima: dict[Minimize, tuple[MapCell, ...]] = {"cost": best, "power": best, "machines": best}
    return MapResult(space, tuple(cells), optima, 3, 21)


def baseline_map(asked: Scenario) -> MapResult:
    """Three sizes of a baseline, of which none meets the SLOs."""
    family = design(asked, "baseline-h100", 1).family
    space = FamilySpace(family, CountRange(19, 21), None)
    cells = []
    for size, values in ((19, UNFINISHED), (20, MISSES), (21, MISSES)):
        of = Design(family, size, 0)
        cells.append(cell(asked, of, evaluation(asked, of, "misses", values)))
    return MapResult(space, tuple(cells), {"cost": (), "power": (), "machines": ()}, 3, 9)


def load_result(asked: Scenario) -> LoadResult:
    """Two designs at two rates; at the higher nothing finishes in time."""
    designs = (design(asked, "splitwise-hh", 24, 4), design(asked, "baseline-h100", 58))
    points = []
    for one in designs:
        points.append(LoadPoint(60.0, details(asked, one, "meets", MEETS, MEETS)))
        never = tuple(inf for _ in MEETS)
        points.append(LoadPoint(90.0, details(asked, one, "unstable", never)))
    return LoadResult(designs, (60.0, 90.0), tuple(points), 3)


def occupied(of: Design) -> Occupied:
    pools = ("shared",) if of.family.has_one_pool else ("prompt", "token")
    phases = tuple(
        Occupancy(pool, "dgx-h100", np.array([0, 1, 7]), np.array([0.2, 0.5, 0.3]))
        for pool in pools
    )
    many = np.arange(1000)
    tokens = tuple(Occupancy(pool, "dgx-h100", many, np.full(1000, 0.001)) for pool in pools)
    curve = tuple(0.1 + q / 100.0 for q in PERCENTILES)
    served = tuple(Distribution(metric, 1000, 0.6, 0.6, curve, curve) for metric in METRICS)
    return Occupied(of, phases, tokens, served)


def closer(asked: Scenario) -> FigureData:
    load = load_result(asked)
    return FigureData(map_result(asked), load, tuple(map(occupied, load.designs)))
