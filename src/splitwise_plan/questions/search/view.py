"""A search that displays itself in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.driver import all_cores
from splitwise_plan.planner.figure_data import figure_data
from splitwise_plan.planner.outcome import Details, SearchResult
from splitwise_plan.questions.search.page import search_figures
from splitwise_plan.questions.search.rows import search_rows
from splitwise_plan.report.formats.frames import frame
from splitwise_plan.report.formats.notebook import Picture, View
from splitwise_plan.scenario.scenario import Scenario

if TYPE_CHECKING:
    from pandas import DataFrame


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
        look = figure_data(self.scenario, self.result, all_cores()) if closer else None
        return [Picture(one) for one in search_figures(self.scenario, self.result, look)]


def designs_frame(scenario: Scenario, result: SearchResult) -> DataFrame:
    """One row a family, as in designs.csv."""
    return frame(search_rows(scenario, result))
