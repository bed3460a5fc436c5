"""Which way a question is searched."""

from __future__ import annotations

from splitwise_plan.planner.capacity import maximize_rate
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.journal import Journal
from splitwise_plan.planner.outcome import SearchResult
from splitwise_plan.planner.progress import ProgressCallback
from splitwise_plan.planner.sampled import is_large, search_sampled
from splitwise_plan.scenario.scenario import Scenario


def is_sampled(scenario: Scenario) -> bool:
    """Whether Optuna samples the space, rather than all of it being gone through."""
    if scenario.maximize is not None or scenario.method == "exhaustive":
        return False
    return scenario.method == "optuna" or is_large(scenario)


def find(
    scenario: Scenario,
    jobs: Jobs,
    report: ProgressCallback | None = None,
    storage: str | None = None,
    journal: Journal | None = None,
) -> SearchResult:
    """Search as the question and the size of its space ask for.

    What can be gone on from is kept in `storage` where the space is sampled, else in `journal`.
    """
    if scenario.maximize is not None:
        return maximize_rate(scenario, jobs, report, journal)
    if not is_sampled(scenario):
        return search(scenario, jobs, report, journal)
    return search_sampled(scenario, jobs, scenario.trials, storage, report=report)
