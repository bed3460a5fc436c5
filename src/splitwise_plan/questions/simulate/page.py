"""The web page of one simulated design."""

from __future__ import annotations

from collections.abc import Sequence

from splitwise_plan.planner.figure_data import Occupied
from splitwise_plan.planner.outcome import Details
from splitwise_plan.report.figures.batches import batches_figure
from splitwise_plan.report.figures.latencies import latencies_figure
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.figures.utilisation import utilisation_figure
from splitwise_plan.report.formats import html, page_html
from splitwise_plan.report.page import Page, Statement
from splitwise_plan.scenario.scenario import Scenario


def simulation_figures(scenario: Scenario, details: Details, served: Occupied) -> list[Figure]:
    """Latencies, pools and batches, in the order of the page."""
    figures = [latencies_figure(scenario, [served])] if served.latencies else []
    return [*figures, utilisation_figure([details]), batches_figure([served])]


def simulation_page(
    scenario: Scenario, details: Details, page: Page, figures: Sequence[Figure]
) -> str:
    """The page as one HTML document; `page`: the same report in words and tables."""
    question, design, verdict, *rest = page.top
    told = Statement("Answer", (*design.lines, *verdict.lines), verdict.tone)
    badge = details.evaluation.verdict
    facts = [question, *rest, *page.bottom]
    parts = [
        page_html.header(told, badge, facts, page_html.tiles(details)),
        page_html.sheet_section("The numbers", "numbers", *page.sheets),
        html.section("A closer look", *map(html.figure, figures), name="figures"),
    ]
    return page_html.page(page.title, scenario, parts, figures)
