"""The report of a load sweep: designs over rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import METRICS
from splitwise_plan.planner.sweep import LoadPoint, LoadResult
from splitwise_plan.questions.sweep.map_report import SCHEMA, Row, replications, target_document
from splitwise_plan.report import wording
from splitwise_plan.report.figures.load import load_figure
from splitwise_plan.report.folder import Drawn, in_folder
from splitwise_plan.report.formats import html, jsonfmt, page_html
from splitwise_plan.report.formats.csvfmt import target_column
from splitwise_plan.report.numbers import NONE, percent, significant
from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement, Tone, words
from splitwise_plan.report.provenance import own_facts
from splitwise_plan.report.report import Report
from splitwise_plan.scenario.scenario import Scenario

STATISTICS = ("mean", "p50", "p90", "p99")


def report(
    scenario: Scenario, result: LoadResult, timing: Mapping[str, float], *, files: bool = False
) -> Report:
    """The report of a load sweep; `files`: with those of a folder of results."""
    top = (
        Statement("Question", ("up to which load do these designs meet the SLOs?",)),
        Statement("Load", (_load(scenario, result),)),
        answer(result),
        *own_facts(scenario),
        *wording.trace_facts(scenario),
    )
    page = Page("Load sweep", top, tuple(_sheet(result, design) for design in result.designs))
    told = Report(page, _document(scenario, result, timing), list(_rows(scenario, result)))
    return in_folder(told, scenario, "load.csv", _drawn(scenario, result, page)) if files else told


def answer(result: LoadResult) -> Statement:
    """For each design the rate up to which it meets the SLOs."""
    lines, tone = [], "bad"
    for design in result.designs:
        rate = result.capacity_rps(design)
        name = f"{design.family.name} {design.label}"
        if rate is None:
            lines.append(f"{name} meets the SLOs at none of these rates")
            continue
        tone = "good"
        more = " (the highest looked at)" if rate == max(result.rates_rps) else ""
        lines.append(f"{name} meets the SLOs up to {rate:g} requests/s{more}")
    kind: Tone = "good" if tone == "good" else "bad"
    return Statement("Answer", tuple(lines), kind)


def _load(scenario: Scenario, result: LoadResult) -> str:
    rates = ", ".join(f"{rate:g}" for rate in result.rates_rps)
    lengths = scenario.workload.id if scenario.workload else "lengths of the trace"
    seeds = wording.runs(scenario, result.seeds)
    slos = wording.slo_count(scenario)
    parts = (f"{lengths} at {rates} requests/s", scenario.llm.name, slos, seeds)
    return " · ".join((*parts, f"assumptions: {scenario.assumptions.id}"))


def _sheet(result: LoadResult, design: Design) -> Sheet:
    titles = ("requests/s", "finished/s", "TTFT P99, s", "TBT P99, s", "E2E P99, s")
    columns = (*map(Column, titles), Column("busiest", optional=1), words("verdict"))
    rows = tuple(_cells(point) for point in result.of(design))
    return Sheet(columns, rows, f"{design.family.name} {design.label}")


def _cells(point: LoadPoint) -> tuple[Cell, ...]:
    details = point.details
    busiest = max((pool.utilisation for pool in details.pools), default=float("nan"))
    tone: Tone = "good" if point.verdict == "meets" else "bad"
    return (
        Cell(f"{point.rate_rps:g}"),
        Cell(significant(details.throughput_rps)),
        *(Cell(significant(details.latency_s[metric].p99)) for metric in METRICS),
        Cell(percent(busiest) if details.pools else NONE),
        Cell(wording.short_verdict(details.evaluation), tone),
    )


def _drawn(scenario: Scenario, result: LoadResult, page: Page) -> Drawn:
    figures = [load_figure(scenario, result)]
    badge = "load sweep"
    parts = [
        page_html.header(page.top[2], badge, page.top[:2]),
        html.section("Latency against load", *map(html.figure, figures), name="load"),
        page_html.sheet_section("The numbers", "numbers", *page.sheets),
    ]
    return Drawn(parts, figures)


def _rows(scenario: Scenario, result: LoadResult) -> Iterator[Row]:
    """A header and a row a design and rate."""
    targets = scenario.slos.all_targets
    design_columns = jsonfmt.design(scenario, result.designs[0]) if result.designs else {}
    latencies = [f"{metric}_{name}_s" for metric in METRICS for name in STATISTICS]
    pools = [f"utilisation_{pool}" for pool in ("prompt", "token", "shared")]
    yield (
        *("rate_rps", "verdict", "assumptions", *design_columns, "replications", "met"),
        *("throughput_rps", *latencies, *pools, *(target_column(target) for target in targets)),
    )
    for point in result.points:
        details = point.details
        found = {e.target: e.mean for e in details.evaluation.estimates}
        busy = {pool.pool: pool.utilisation for pool in details.pools}
        yield (
            *(point.rate_rps, point.verdict, scenario.assumptions.id),
            *jsonfmt.design(scenario, point.design).values(),
            *replications(details.evaluation),
            details.throughput_rps,
            *(getattr(details.latency_s[m], name) for m in METRICS for name in STATISTICS),
            *(busy.get(pool) for pool in ("prompt", "token", "shared")),
            *(found.get(target) for target in targets),
        )


def _document(scenario: Scenario, result: LoadResult, timing: Mapping[str, float]) -> jsonfmt.Json:
    return {
        "schema": SCHEMA,
        "kind": "load",
        **jsonfmt.origin(scenario),
        "rates_rps": list(result.rates_rps),
        "designs": [
            {
                "design": jsonfmt.design(scenario, design),
                "meets_up_to_rps": result.capacity_rps(design),
                "points": [_point(point) for point in result.of(design)],
            }
            for design in result.designs
        ],
        "timing": dict(timing),
    }


def _point(point: LoadPoint) -> jsonfmt.Json:
    details = point.details
    return {
        "rate_rps": point.rate_rps,
        "verdict": point.verdict,
        "replications": len(details.evaluation.replications),
        "requests": asdict(details.requests),
        "throughput_rps": details.throughput_rps,
        "latency_s": {metric: asdict(details.latency_s[metric]) for metric in METRICS},
        "slowdown": {metric: asdict(details.slowdown[metric]) for metric in METRICS},
        "targets": [target_document(one) for one in details.evaluation.estimates],
        "pools": [asdict(pool) for pool in details.pools],
        "energy": asdict(details.energy),
    }
