"""For notebooks and scripts: the commands as functions, whose results are data frames and figures.

    import splitwise_plan as sp
    plan = sp.search(workload="conversation", rate=40, prices="coreweave-2023")
    plan.design, plan.to_pandas(), plan.figures()

Keywords are the keys of a scenario file. What is wrong with them is an `errors.InputError`, all at
once, as on the command line.
"""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path
from typing import Any

from splitwise_plan.data.trace import report as trace_sheet
from splitwise_plan.data.trace.view import TraceView
from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.choose import find
from splitwise_plan.planner.driver import all_cores
from splitwise_plan.planner.evaluate import records
from splitwise_plan.planner.length_check import check_length
from splitwise_plan.planner.space import designs
from splitwise_plan.planner.sweep import simulated
from splitwise_plan.questions.search import report as searching
from splitwise_plan.questions.search.diagnosis import diagnose
from splitwise_plan.questions.search.view import SearchView
from splitwise_plan.questions.simulate import report as simulation
from splitwise_plan.questions.simulate.view import SimulationView
from splitwise_plan.scenario.load import load_scenario as load
from splitwise_plan.scenario.scenario import Scenario

Question = Scenario | str | Path | None


def load_scenario(path: str | Path | None = None, **keys: Any) -> Scenario:
    """A scenario: a file, keywords over it, or neither: the paper's question."""
    return load(Catalog(), None if path is None else Path(path), _plain(keys))


def search(scenario: Question = None, *, jobs: int | None = None, **keys: Any) -> SearchView:
    """Find the best design. `jobs`: cores to use, all by default; it changes no answer."""
    asked, cores = _asked(scenario, keys), jobs or all_cores()
    if asked.maximize == "throughput_per_cost":
        what = "batch work has no function of its own"
        fix = "use the command: splitwise-plan search --maximize throughput_per_cost"
        raise InputError([Problem("maximize", what, fix)])
    result = find(asked, cores)
    length = None
    if result.best is not None and result.best.best is not None:
        best = result.best.best.evaluation.design
        length = check_length(asked, best, result.best.rate_rps)
    diagnosis = diagnose(asked, result, cores)
    report = searching.report(asked, result, {}, diagnosis=diagnosis, length=length)
    return SearchView(report, asked, result)


def simulate(scenario: Question = None, *, jobs: int | None = None, **keys: Any) -> SimulationView:
    """Simulate one design: `family="splitwise-hh", prompt_machines=23, token_machines=8`.

    Of a window one repetition, unless `seeds` or a scenario says otherwise.
    """
    asked = _asked(scenario, keys)
    if scenario is None and asked.horizon == "window" and asked.arrivals.process != "trace":
        asked = _asked(None, {"seeds": 1, **keys})
    design = _only_design(asked)
    details = simulated(asked, design, jobs or all_cores(), exactly="seeds" in keys)
    kept = records(asked, design)
    return SimulationView(simulation.report(asked, details, {}, kept), asked, details, kept)


def load_trace(path: str | Path) -> TraceView:
    """A trace of requests, in any known format. Raises `InputError` with the lines in error."""
    read = Catalog().trace(Path(path))
    return TraceView(trace_sheet.of_trace(str(path), read, drawn=False), read.requests)


def _asked(scenario: Question, keys: dict[str, Any]) -> Scenario:
    if not isinstance(scenario, Scenario):
        return load_scenario(scenario, **keys)
    if keys:
        what = f"{', '.join(keys)}: no effect on a scenario that is loaded"
        raise InputError([Problem("scenario", what, "give them to load_scenario")])
    return scenario


def _only_design(scenario: Scenario) -> Design:
    """The one design that a scenario is about."""
    all_of_it = chain.from_iterable(designs(space) for space in scenario.spaces)
    first, *more = islice(all_of_it, 2)
    if more:
        ids = ", ".join(space.family.id for space in scenario.spaces)
        fix = "give a family, and the machines of each of its pools"
        raise InputError([Problem("scenario", f"has more than one design ({ids})", fix)])
    if scenario.arrivals.process != "trace" and scenario.arrivals.rate_rps is None:
        raise InputError([Problem("rate", "is missing: the scenario leaves it to a search")])
    return first


def _plain(value: Any) -> Any:
    """Paths as text, as in a scenario file."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
