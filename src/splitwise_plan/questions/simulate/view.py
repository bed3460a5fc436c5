"""A simulated design that displays itself in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from splitwise_plan.planner.driver import all_cores
from splitwise_plan.planner.figure_data import occupied
from splitwise_plan.planner.outcome import Details
from splitwise_plan.questions.simulate.page import simulation_figures
from splitwise_plan.report.formats import frames
from splitwise_plan.report.formats.notebook import Picture, View
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

if TYPE_CHECKING:
    from pandas import DataFrame


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
