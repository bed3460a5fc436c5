"""Results that display themselves in a notebook: as tables, and figures as Vega-Lite and PNG."""

from __future__ import annotations

import base64
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from splitwise_plan.report.figures.files import png, svg
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.formats import frames, html
from splitwise_plan.report.formats.jsonfmt import Json
from splitwise_plan.report.report import Report

if TYPE_CHECKING:
    from pandas import DataFrame

VEGA_LITE_MIME = "application/vnd.vegalite.v5+json"
VEGA_LITE_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
STYLE = (
    "<style>.splitwise-plan dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px}"
    ".splitwise-plan dt{font-weight:600;grid-column:1}.splitwise-plan dd{margin:0;grid-column:2}"
    ".splitwise-plan caption{text-align:left;font-weight:600}</style>"
)


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A figure that a notebook draws; where it knows no Vega-Lite, as an image."""

    figure: Figure

    def svg(self) -> str:
        """The figure as an SVG document."""
        return svg(self.figure)

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, Any]:
        image = base64.b64encode(png(self.svg())).decode()
        bundle = {
            VEGA_LITE_MIME: {"$schema": VEGA_LITE_SCHEMA, **self.figure.spec},
            "image/png": image,
            "text/plain": f"{self.figure.title}: {self.figure.alt}",
        }
        return {
            mime: content
            for mime, content in bundle.items()
            if (include is None or mime in include) and (exclude is None or mime not in exclude)
        }


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A report in a notebook."""

    report: Report

    def to_pandas(self) -> DataFrame:
        """The rows of the report's CSV."""
        return frames.frame(self.report.rows)

    def to_dict(self) -> Json:
        """The document that `--format json` prints."""
        return self.report.document

    def __str__(self) -> str:
        return self.report.text("table")

    def _repr_html_(self) -> str:
        page = self.report.page
        parts = [html.facts(page.top), *map(html.sheet, page.sheets)]
        if page.bottom:
            parts.append(html.facts(page.bottom))
        return STYLE + html.tag("div", "".join(parts), "splitwise-plan")
