"""The web page of a search: the answer, why it holds, and its figures."""

from __future__ import annotations

from collections.abc import Sequence

from splitwise_plan.planner.figure_data import FigureData
from splitwise_plan.planner.outcome import SearchResult
from splitwise_plan.planner.sweep import at_rate
from splitwise_plan.questions.search.families_figure import families_figure, family_details
from splitwise_plan.questions.search.margins_figure import margins_figure
from splitwise_plan.report import wording
from splitwise_plan.report.family_sheet import family_sheet
from splitwise_plan.report.figures.batches import batches_figure
from splitwise_plan.report.figures.design_map import map_figure
from splitwise_plan.report.figures.latencies import latencies_figure
from splitwise_plan.report.figures.load import load_figure
from splitwise_plan.report.figures.pareto import FrontPoint, pareto_figure
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.figures.utilisation import utilisation_figure
from splitwise_plan.report.formats import html
from splitwise_plan.report.formats.page_html import header, page, tiles
from splitwise_plan.report.page import Statement
from splitwise_plan.report.proof import answer, proof
from splitwise_plan.report.slo_sheet import slo_sheet
from splitwise_plan.scenario.scenario import Scenario


def search_figures(
    scenario: Scenario,
    result: SearchResult,
    closer: FigureData | None = None,
    front: Sequence[FrontPoint] = (),
) -> list[Figure]:
    """The figures of a search, in the order of the page."""
    closer = closer or FigureData()
    rate = result.best.rate_rps if result.best else None
    asked = scenario if rate is None else at_rate(scenario, rate)
    simulated = [family for family in result.families if family.best or family.closest]
    figures = []
    if simulated:
        figures = [families_figure(scenario, result), margins_figure(scenario, result)]
    if closer.map is not None:
        figures.append(map_figure(asked, closer.map))
    if closer.load is not None:
        figures.append(load_figure(asked, closer.load, asked=True))
    if front:
        figures.append(pareto_figure(front))
    if simulated:
        figures.append(utilisation_figure(family_details(scenario, result)))
    if closer.occupied:
        figures += [latencies_figure(asked, closer.occupied), batches_figure(closer.occupied)]
    return figures


def search_page(
    scenario: Scenario,
    result: SearchResult,
    figures: Sequence[Figure] = (),
    more: Sequence[Statement] = (),
) -> str:
    """The page as one HTML document without any reference to another; `more`: after the proof."""
    told = answer(scenario, result)
    best = result.best.best if result.best else None
    sections = [
        html.section("The families side by side", html.sheet(family_sheet(scenario, result)),
                     *_drawn(figures, "families"), name="families"),
    ]  # fmt: skip
    if best is not None and scenario.slos.all_targets:
        sections.append(
            html.section("The SLOs of the best design", html.sheet(slo_sheet(best.evaluation)),
                         *_drawn(figures, "margins"), name="slos")
        )  # fmt: skip
    shown = {"families", "margins"} if best is not None else {"families"}
    rest = [one for one in figures if one.name not in shown]
    if rest:
        sections.append(html.section("A closer look", *map(html.figure, rest), name="figures"))
    question = Statement("Question", (wording.question(scenario, objective=True),))
    top = header(
        told, "meets the SLOs" if told.tone == "good" else "no design meets the SLOs",
        [question, Statement("Proof", proof(scenario, result)), *more], tiles(best) if best else "",
    )  # fmt: skip
    return page("Capacity plan", scenario, [top, *sections], figures)


def _drawn(figures: Sequence[Figure], name: str) -> list[str]:
    return [html.figure(one) for one in figures if one.name == name]
