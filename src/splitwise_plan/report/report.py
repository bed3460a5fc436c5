"""A result that can be told in every format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from splitwise_plan.report import tables
from splitwise_plan.report.files import Writer
from splitwise_plan.report.formats import csvfmt, jsonfmt, markdown
from splitwise_plan.report.page import Page, Statement


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """`rows`: as CSV, the header first. `files`: what a folder of results holds, by name."""

    page: Page
    document: jsonfmt.Json
    rows: Sequence[Sequence[csvfmt.Value]]
    files: Mapping[str, Writer] = field(default_factory=dict)

    def then(self, next_steps: Sequence[str]) -> Report:
        """The same with command lines, or other steps, that go on from here. Files keep none."""
        bottom = (Statement("Next", tuple(next_steps), commands=True),) if next_steps else ()
        return replace(self, page=replace(self.page, bottom=(*self.page.bottom, *bottom)))

    def text(self, format_: str) -> str:
        """The report as `table`, `json`, `csv` or `markdown`."""
        formats: dict[str, Callable[[], str]] = {
            "table": lambda: tables.render(self.page),
            "json": lambda: jsonfmt.dumps(self.document),
            "csv": lambda: csvfmt.text(self.rows),
            "markdown": lambda: markdown.render(self.page),
        }
        return formats[format_]()
