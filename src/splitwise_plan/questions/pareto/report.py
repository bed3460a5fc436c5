"""The report of a Pareto front: what can be traded for what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from splitwise_plan.questions.pareto.analysis import ParetoPoint, ParetoResult
from splitwise_plan.report import wording
from splitwise_plan.report.figures.pareto import FrontPoint, pareto_figure
from splitwise_plan.report.folder import Drawn, in_folder
from splitwise_plan.report.formats import csvfmt, html, jsonfmt, page_html
from splitwise_plan.report.numbers import count, kilowatts
from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement, words
from splitwise_plan.report.provenance import own_facts
from splitwise_plan.report.report import Report
from splitwise_plan.scenario.scenario import Scenario

SCHEMA = "splitwise-plan/pareto/1"


def report(
    scenario: Scenario, result: ParetoResult, timing: Mapping[str, float], *, files: bool = False
) -> Report:
    """The report of a front; `files`: with those of a folder of results."""
    lengths = scenario.workload.id if scenario.workload else "lengths of the trace"
    asked = "which designs does no other match in requests/s, $/h, kW and machines at once?"
    load = f"{lengths} · {scenario.llm.name} · {wording.slo_count(scenario)}"
    top = (
        Statement("Question", (asked,)),
        Statement("Load", (" · ".join([load, *wording.basis(scenario)]),)),
        Statement(
            "Answer", (count(len(result.points), "design"),), "good" if result.points else "bad"
        ),
        Statement("Proof", (_proof(result),)),
        *own_facts(scenario),
        *wording.trace_facts(scenario),
    )
    page = Page("Pareto front", top, (_sheet(result),))
    told = Report(page, _document(scenario, result, timing), list(_rows(result)))
    return in_folder(told, scenario, "pareto.csv", _drawn(result, page)) if files else told


def _proof(result: ParetoResult) -> str:
    seen = result.simulated + result.excluded
    told = f"{result.simulated:,} simulated, {result.excluded:,} excluded (prompt capacity)"
    if result.exact:
        return f"all {count(result.space, 'design')} looked at: {told}"
    return f"best found, not proven: {seen:,} of {count(result.space, 'design')} seen, {told}"


def _sheet(result: ParetoResult) -> Sheet:
    columns = (
        Column("requests/s"),
        *(words("family"), words("design")),
        *(Column("machines"), Column("$/h"), Column("kW")),
    )
    return Sheet(columns, tuple(_line(point) for point in result.points))


def _line(point: ParetoPoint) -> tuple[Cell, ...]:
    design = point.design
    texts = (
        f"{point.rate_rps:,g}",
        *(design.family.name, design.label),
        *(f"{point.machines:,}", f"{point.cost_usd_per_hour:,.0f}"),
        kilowatts(design.provisioned_power_w),
    )
    return tuple(Cell(text) for text in texts)


def _document(
    scenario: Scenario, result: ParetoResult, timing: Mapping[str, float]
) -> jsonfmt.Json:
    return {
        "schema": SCHEMA,
        **jsonfmt.origin(scenario),
        "space": result.space,
        "simulated": result.simulated,
        "excluded": result.excluded,
        "exact": result.exact,
        "seeds": result.seeds,
        "pareto": [
            {"rate_rps": point.rate_rps, **jsonfmt.design(scenario, point.design)}
            for point in result.points
        ],
        "timing": {**timing, "simulations": result.simulations},
    }


def _rows(result: ParetoResult) -> Iterator[Sequence[csvfmt.Value]]:
    yield (
        *("rate_rps", "family", "prompt_machines", "token_machines", "machines"),
        *("cost_usd_per_hour", "provisioned_power_w"),
    )
    for point in result.points:
        design = point.design
        yield (
            *(point.rate_rps, design.family.id, design.prompt_machines, design.token_machines),
            *(design.machines, design.cost_usd_per_hour, design.provisioned_power_w),
        )


def _drawn(result: ParetoResult, page: Page) -> Drawn:
    points = [FrontPoint(point.design, point.rate_rps) for point in result.points]
    figures = [pareto_figure(points)] if points else []
    parts = [
        page_html.header(page.top[2], "Pareto front", (*page.top[:2], page.top[3])),
        html.section("The front", *map(html.figure, figures), name="front"),
        page_html.sheet_section("The numbers", "numbers", *page.sheets),
    ]
    return Drawn(parts, figures)
