"""`splitwise-plan simulate`: one design under one load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flags
from splitwise_plan.cli.stopwatch import Stopwatch
from splitwise_plan.errors import Problem

if TYPE_CHECKING:
    from splitwise_plan.facts.design import Design, FamilySpace
    from splitwise_plan.scenario.scenario import Scenario

SPLIT, SHARED = ("prompt_machines", "token_machines"), ("machines",)


def simulate(flags: Flags) -> int:
    """Simulate one design under one load: latencies, SLOs, pools, energy and cost."""
    watch = Stopwatch()
    given = question.overrides(flags)
    given |= _design_overrides(flags)
    to = output.Output.of(flags)
    scenario = _load(flags, given)
    asked = given["seeds"] is not None or flags["scenario"] is not None
    if scenario.horizon == "window" and scenario.arrivals.process != "trace" and not asked:
        scenario = _load(flags, {**given, "seeds": 1})
    design = _design(scenario)
    watch.lap("load_s")

    watch.compile(scenario, quiet=to.quiet)
    from splitwise_plan.planner.evaluate import records
    from splitwise_plan.planner.figure_data import occupied
    from splitwise_plan.planner.sweep import simulated

    stop = bool(flags["stop_when_missed"])
    details = simulated(
        scenario, design, to.jobs, exactly=given["seeds"] is not None, stop_when_missed=stop
    )
    kept = records(scenario, design, stop_when_missed=stop) if to.wants_requests else None
    served = None
    if to.out is not None:
        [served] = occupied(scenario, [details.evaluation], to.jobs, stop_when_missed=stop)
    watch.lap("simulate_s")

    from splitwise_plan.questions.simulate.report import report
    from splitwise_plan.report.files import write_file
    from splitwise_plan.report.formats.csvfmt import request_writer

    if to.requests_out is not None and kept is not None:
        write_file(to.requests_out, request_writer(*kept))
    to.write(report(scenario, details, watch.timing, kept, served))
    return exits.OK


def _design_overrides(flags: Flags) -> dict[str, Any]:
    """The one family and its machine counts; counts it has no use for are problems."""
    families = flags.listed("family")
    if families and len(families) > 1:
        flags.refuse("family", f"{len(families)} families are given", "one design has one family")
    counts = {name: flags.whole(name, low=1) for name in (*SPLIT, *SHARED)}
    space = _space(flags, families)
    if space is not None:
        needed = SHARED if space.family.has_one_pool else SPLIT
        use = " and ".join("--" + name.replace("_", "-") for name in needed)
        for name in counts:
            if name not in needed and flags[name] is not None:
                pools = "one pool" if space.family.has_one_pool else "two pools"
                flags.refuse(name, f"{space.family.id} has {pools}", f"use {use}")
                counts[name] = None
            if name in needed and flags[name] is None and flags["scenario"] is None:
                flags.refuse(name, f"is missing: {space.family.id} needs {use}", "give a number")
    return {"family": families, **counts}


def _space(flags: Flags, families: list[str] | None) -> FamilySpace | None:
    """The family named by a flag; None if there is none, which loading the scenario will tell."""
    scratch = Flags(flags.values, COMMAND.flags)
    catalog = question.catalog(scratch)
    return scratch.look_up(lambda: catalog.space(families[0])) if families else None


def _load(flags: Flags, given: dict[str, Any]) -> Scenario:
    if given["family"] is None and flags["scenario"] is None:
        flags.refuse("family", "is missing: a design has a family", "e.g. --family splitwise-hh")
    return question.load(flags, given, lambda scenario: _problems(flags, scenario))


def _problems(flags: Flags, scenario: Scenario) -> list[Problem]:
    """A scenario that is not about one design."""
    problems = []
    if scenario.arrivals.process != "trace" and scenario.arrivals.rate_rps is None:
        what = "is missing: the scenario leaves the rate to a search"
        problems.append(Problem("--rate", what, "give requests per second"))
    if len(scenario.spaces) != 1:
        return problems + question.one_family_problems(flags, scenario)
    space = scenario.spaces[0]
    parts = {"prompt_machines": space.prompt_machines, "token_machines": space.token_machines}
    if space.family.has_one_pool:
        parts = {"machines": space.prompt_machines}
    for name, counts in parts.items():
        if flags["scenario"] and counts is not None and counts.low < counts.high:
            what = f"is missing: the scenario has a range, {counts.low} to {counts.high}"
            problems.append(Problem("--" + name.replace("_", "-"), what, "give a number"))
    return problems


def _design(scenario: Scenario) -> Design:
    from splitwise_plan.facts.design import Design

    [space] = scenario.spaces
    token = space.token_machines.low if space.token_machines else 0
    return Design(space.family, space.prompt_machines.low, token)


COMMAND = Command(
    "simulate",
    simulate,
    (
        *f.QUESTION,
        *(f.FAMILY, f.PROMPT_MACHINES, f.TOKEN_MACHINES, f.MACHINES),
        *(f.FORMAT, f.OUT, f.REQUESTS_OUT, f.JOBS, f.STOP, f.QUIET, f.DEBUG),
    ),
    "splitwise-plan simulate --family splitwise-hh --prompt-machines 24 --token-machines 4",
)
