"""What a folder of results holds: the same files, whatever was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from splitwise_plan.report.figures.files import writers
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.files import Writer, text_writer
from splitwise_plan.report.formats import csvfmt, jsonfmt, markdown, page_html
from splitwise_plan.report.page import Sheet
from splitwise_plan.report.provenance import stamp
from splitwise_plan.report.report import Report
from splitwise_plan.scenario.scenario import Scenario


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A result as a web page: its parts, and the figures in them.

    `sheets`: what `report.md` tells after those that the terminal shows.
    """

    parts: Sequence[str]
    figures: Sequence[Figure]
    sheets: tuple[Sheet, ...] = ()


def in_folder(report: Report, scenario: Scenario, table: str, drawn: Drawn) -> Report:
    """The report with its files, web page and figures among them. `table`: of the CSV file."""
    files = {
        **text_files(report, scenario, table, drawn.sheets),
        "report.html": text_writer(
            page_html.page(report.page.title, scenario, drawn.parts, drawn.figures)
        ),
        **writers(drawn.figures),
    }
    return replace(report, files=files)


def text_files(
    report: Report, scenario: Scenario, table: str | None, sheets: tuple[Sheet, ...] = ()
) -> dict[str, Writer]:
    """The files by name that every folder has; `table`: that of the rows, if they are kept."""
    page = replace(report.page, sheets=(*report.page.sheets, *sheets))
    rows = {table: text_writer(csvfmt.text(report.rows))} if table else {}
    return {
        "result.json": text_writer(jsonfmt.dumps(report.document)),
        **rows,
        "scenario.toml": text_writer(scenario.resolved_toml),
        "report.md": text_writer(markdown.render(page) + "\n" + stamp(scenario)),
    }
