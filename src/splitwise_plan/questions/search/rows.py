"""A search as CSV rows."""

from __future__ import annotations

from collections.abc import Iterator

from splitwise_plan.planner.outcome import SearchResult
from splitwise_plan.report.economics import economics_columns
from splitwise_plan.report.formats import jsonfmt
from splitwise_plan.report.formats.csvfmt import Value, target_column
from splitwise_plan.scenario.scenario import Scenario

Row = tuple[Value, ...]


def search_rows(scenario: Scenario, result: SearchResult) -> Iterator[Row]:
    """A header and a row a design: each family's best and its ties, or else the closest."""
    targets = scenario.slos.all_targets
    header: Row | None = None
    for family in result.families:
        details = family.best or family.closest
        if details is None:
            continue
        design = jsonfmt.design(scenario, details.evaluation.design)
        certificate = jsonfmt.certificate(family.certificate)
        del certificate["better_excluded_by"]
        economics = economics_columns(scenario, details)
        del economics["rent_usd_per_hour"]  # as in `design`
        if header is None:
            names = ("throughput_rps", *map(target_column, targets))
            header = ("role", "verdict", "assumptions", "rate_rps", *design, *names, *certificate)
            header = (*header, *economics)
            yield header
        found = {estimate.target: estimate.mean for estimate in details.evaluation.estimates}
        yield (
            "best" if family.best else "closest",
            details.evaluation.verdict,
            scenario.assumptions.id,
            family.rate_rps or scenario.arrivals.rate_rps,
            *design.values(),
            details.throughput_rps,
            *(found.get(target) for target in targets),
            *certificate.values(),
            *economics.values(),
        )
        for tie in family.ties:
            rate = family.rate_rps or scenario.arrivals.rate_rps
            columns = (rate, *jsonfmt.design(scenario, tie).values())
            blank = (None,) * (1 + len(targets))
            ends = (*certificate.values(), *(None for _ in economics))
            yield ("tie", "meets", scenario.assumptions.id, *columns, *blank, *ends)
