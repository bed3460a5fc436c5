"""Results that display themselves in a notebook: as tables, and figures as Vega-Lite and PNG."""

from __future__ import annotations

import base64
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.scenario import Scenario
from splitwise_plan.report import frames, html
from splitwise_plan.report.figures.files import png, svg
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.jsonfmt import Json
from splitwise_plan.report.page_html import search_figures
from splitwise_plan.report.report import Report
from splitwise_plan.report.simulation_page import simulation_figures
from splitwise_plan.search.closer import closer_look, occupied
from splitwise_plan.search.driver import all_cores
from splitwise_plan.search.outcome import Details, SearchResult
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

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


@dataclass(frozen=True, slots=True, eq=False)
class SearchView(View):
    """What a search found. `to_pandas()`: one row a family, its ties below it."""

    scenario: Scenario
    result: SearchResult

    @property
    def best(self) -> Details | None:
        """The best design and all that is known of it; None where no design meets the SLOs."""
        return self.result.best.best if self.result.best else None

    @property
    def design(self) -> Design | None:
        """The best design."""
        return self.best.evaluation.design if self.best else None

    def figures(self, *, closer: bool = False) -> list[Picture]:
        """The figures of the report; `closer`: those too that need more simulations."""
        look = closer_look(self.scenario, self.result, all_cores()) if closer else None
        return [Picture(one) for one in search_figures(self.scenario, self.result, look)]


@dataclass(frozen=True, slots=True, eq=False)
class SimulationView(View):
    """One design under one load. `to_pandas()`: one row a request, of the first repetition."""

    scenario: Scenario
    details: Details
    kept: tuple[Simulator, Run]

    def to_pandas(self) -> DataFrame:
        return frames.requests_frame(*self.kept)

    def statistics(self) -> DataFrame:
        """Every number of the report: group, name, value, unit; limits for SLOs."""
        return frames.frame(self.report.rows)

    def figures(self) -> list[Picture]:
        """How long requests took, how busy the pools were and how full the batches."""
        [served] = occupied(self.scenario, [self.details.evaluation], all_cores())
        return [Picture(one) for one in simulation_figures(self.scenario, self.details, served)]


@dataclass(frozen=True, slots=True, eq=False)
class TraceView(View):
    """A trace. `to_pandas()`: one row a request."""

    requests: Requests

    def __len__(self) -> int:
        return len(self.requests)

    def to_pandas(self) -> DataFrame:
        return frames.trace_frame(self.requests)
