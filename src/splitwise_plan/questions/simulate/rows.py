"""A simulated design as CSV rows."""

from __future__ import annotations

from collections.abc import Iterator

from splitwise_plan.facts.slo import METRICS
from splitwise_plan.planner.outcome import Details
from splitwise_plan.report.economics import economics_columns, economics_unit
from splitwise_plan.report.failures import failure_rows
from splitwise_plan.report.formats.csvfmt import Value
from splitwise_plan.scenario.scenario import Scenario

STATISTICS = ("mean", "p50", "p90", "p99")
Row = tuple[Value, ...]


def simulation_rows(scenario: Scenario, details: Details) -> Iterator[Row]:
    """One row a number: what it is of, its name, value and unit; limits for SLOs."""
    design, requests, energy = details.evaluation.design, details.requests, details.energy
    yield ("group", "name", "value", "unit", "limit", "met")
    yield ("design", "family", design.family.id, "", None, None)
    yield ("design", "prompt_machines", design.prompt_machines, "machines", None, None)
    yield ("design", "token_machines", design.token_machines, "machines", None, None)
    yield ("design", "cost", design.cost_usd_per_hour, "USD/h", None, None)
    yield ("design", "provisioned_power", design.provisioned_power_w, "W", None, None)
    if scenario.assumptions.power_accounting == "paper":
        paper = design.total("paper_power")
        yield ("design", "provisioned_power_paper", paper, "paper units", None, None)
    yield ("scenario", "assumptions", scenario.assumptions.id, "", None, None)
    for name in ("arrived", "finished", "unfinished", "rejected"):
        yield ("requests", name, getattr(requests, name), "requests", None, None)
    yield ("requests", "throughput", details.throughput_rps, "rps", None, None)
    for group, unit, summaries in (
        ("latency", "s", details.latency_s),
        ("slowdown", "slowdown", details.slowdown),
    ):
        for metric in METRICS:
            for statistic in STATISTICS:
                value = getattr(summaries[metric], statistic)
                yield (group, f"{metric}_{statistic}", value, unit, None, None)
    for statistic in STATISTICS:
        yield ("kv_transfer", statistic, getattr(details.kv_transfer_s, statistic), "s", None, None)
    yield ("slo", "verdict", details.evaluation.verdict, "", None, None)
    for one in details.evaluation.estimates:
        target = one.target
        name = f"{target.metric}_p{target.percentile:g}"
        yield ("slo", name, one.mean, target.unit, target.limit, one.high <= target.limit)
    for pool in details.pools:
        for name, unit in _POOL_UNITS.items():
            yield (f"pool {pool.pool}", name, getattr(pool, name), unit, None, None)
    yield ("mixed", "moves", details.pool_moves, "moves", None, None)
    yield ("mixed", "requests", details.mixed_requests, "requests", None, None)
    yield ("energy", "average_power", energy.average_power_w, "W", None, None)
    yield ("energy", "per_request", energy.wh_per_request, "Wh", None, None)
    yield from failure_rows(details)
    for name, value in economics_columns(scenario, details).items():
        yield ("economics", name, value, economics_unit(name), None, None)


_POOL_UNITS = {
    "machines": "machines",
    "utilisation": "1",
    "prompt_share": "1",
    "peak_memory_bytes": "B",
    "average_power_w": "W",
    "availability": "1",
}
