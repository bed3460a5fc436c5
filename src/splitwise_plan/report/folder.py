"""The folder of results of a sweep or a front: the same files, whatever was asked."""

from __future__ import annotations

from collections.abc import Sequence

from splitwise_plan.facts.scenario import Scenario
from splitwise_plan.report import csvfmt, jsonfmt, markdown, page_html
from splitwise_plan.report.figures.files import writers
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.files import Writer, text_writer
from splitwise_plan.report.page import Page
from splitwise_plan.report.provenance import stamp


def folder(  # noqa: PLR0913, PLR0917
    scenario: Scenario,
    page: Page,
    document: jsonfmt.Json,
    table: tuple[str, Sequence[Sequence[csvfmt.Value]]],
    parts: Sequence[str],
    figures: Sequence[Figure],
) -> dict[str, Writer]:
    """Files by name. `table`: the name of the CSV file and its rows; `parts`: of the HTML page."""
    name, rows = table
    return {
        "result.json": text_writer(jsonfmt.dumps(document)),
        name: text_writer(csvfmt.text(rows)),
        "scenario.toml": text_writer(scenario.resolved_toml),
        "report.md": text_writer(markdown.render(page) + "\n" + stamp(scenario)),
        "report.html": text_writer(page_html.page(page.title, scenario, parts, figures)),
        **writers(figures),
    }
