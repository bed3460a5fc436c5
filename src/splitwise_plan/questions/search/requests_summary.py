"""How the requests of each family's best design fared, as CSV rows."""

from __future__ import annotations

from collections.abc import Iterator

from splitwise_plan.planner.figure_data import Occupied
from splitwise_plan.planner.outcome import SearchResult
from splitwise_plan.report.formats import jsonfmt
from splitwise_plan.report.formats.csvfmt import Value
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.distributions import PERCENTILES, Distribution

SHOWN = (0.0, 1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0)
COUNTS = ("arrived", "finished", "unfinished", "rejected")

Row = tuple[Value, ...]


def summary_rows(
    scenario: Scenario, result: SearchResult, served: tuple[Occupied, ...]
) -> Iterator[Row]:
    """A header, and a row for each design, metric and unit: mean and quantiles.

    All over the repetitions that the design was judged on; `requests` are those that are counted
    (after the warm-up) and have the metric.
    """
    by_design = {one.design: one.latencies for one in served}
    header: Row | None = None
    for family in result.families:
        if family.best is None:
            continue
        design = jsonfmt.design(scenario, family.best.evaluation.design)
        if header is None:
            quantiles = (f"p{q:g}" for q in SHOWN)
            header = (*design, *COUNTS, "metric", "unit", "requests", "mean", *quantiles)
            yield header
        counts = [getattr(family.best.requests, name) for name in COUNTS]
        for one in by_design.get(family.best.evaluation.design, ()):
            for unit, *numbers in _units(one):
                yield (*design.values(), *counts, one.metric, unit, one.requests, *numbers)


def _units(one: Distribution) -> Iterator[tuple[Value, ...]]:
    for unit, mean, curve in (
        ("s", one.mean_s, one.seconds),
        ("slowdown", one.mean_slowdown, one.slowdown),
    ):
        yield (unit, mean, *(curve[PERCENTILES.index(q)] for q in SHOWN))
