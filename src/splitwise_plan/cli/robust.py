"""`splitwise-plan robust`: one plan for several loads."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.search import exit_code as search_exit_code
from splitwise_plan.cli.sensitivity import gone_through
from splitwise_plan.cli.stopwatch import Stopwatch
from splitwise_plan.errors import InputError, raise_if_any

if TYPE_CHECKING:
    from splitwise_plan.facts.loads import LoadSet
    from splitwise_plan.search.robust import RobustResult

LOADS = Flag(
    "loads",
    "LOAD,LOAD",
    "Loads to serve: x1.2, spike, diurnal, mmpp, gamma; a workload, an LLM, or a mix such as "
    "70%coding+30%conversation (default: x1,x1.2,spike, or the `loads` of the scenario).",
    panel=f.LOAD,
)
CHOOSE = Flag(
    "choose",
    "least|regret",
    "One design for all loads at the least cost (default), or machine types whose counts follow "
    "the load, never far from the best.",
    panel=f.GOAL,
)
GROWTH = Flag("growth", "GROWTH", "How the load grows: '30 %/year', '5 rps/month'.", panel=f.LOAD)
FROM = Flag("from_", "DATE", "The day of today's rate, e.g. 2026-11-30.", panel=f.LOAD)


def robust(flags: Flags) -> int:
    """Find the design that meets the SLOs under several loads, and where cheaper ones break.

    With --growth it says on which day each design will have run out.
    """
    watch = Stopwatch()
    given = question.overrides(flags)
    given |= {key: flags[key] for key in (*question.COUNTS, "minimize", "method")}
    given["families"] = flags.listed("families", "family")
    given["power_caps"] = flags.numbers("power_caps")
    to = output.Output.of(flags)
    loads = _load(flags, given)
    watch.lap("load_s")

    watch.compile(loads.base, quiet=to.quiet)
    from splitwise_plan.search.robust import robust as find

    with shown_progress(quiet=to.quiet) as progress:
        result = find(loads, to.jobs, progress)
    watch.lap("search_s")

    from splitwise_plan.report.robust import report

    steps = _next_steps(flags)
    to.write(report(result, watch.timing, steps, files=to.out is not None))
    return exit_code(result)


def _load(flags: Flags, given: dict[str, object]) -> LoadSet:
    """The loads. Raises `InputError` with the problems of the flags too."""
    from splitwise_plan.facts.catalog import Catalog
    from splitwise_plan.facts.load_set import load_loads

    path = Path(flags["scenario"]) if flags["scenario"] is not None else None
    try:
        loads = load_loads(
            Catalog(),
            path,
            given,
            words=flags.listed("loads"),
            choose=flags["choose"],
            growth=(flags["growth"], flags["from_"]),
        )
    except InputError as error:
        raise InputError([*flags.problems, *error.problems]) from None
    problems = [*flags.problems, *question.overwritten(flags, loads.base, path)]
    raise_if_any([*problems, *gone_through(loads.base)])
    return loads


def exit_code(result: RobustResult) -> int:
    """What the result means for a script."""
    if result.loads.choose == "regret" and result.least_regret is not None:
        return exits.OK
    return search_exit_code(result.joint)


def _next_steps(flags: Flags) -> list[str]:
    if flags["out"] is None:
        return ["add --out DIR to keep the report and the scenario with its loads"]
    return [f"the report is {shlex.quote(flags['out'].rstrip('/') + '/report.html')}"]


COMMAND = Command(
    "robust",
    robust,
    (
        *f.QUESTION,
        *(LOADS, GROWTH, FROM),
        *(f.FAMILIES, f.FAMILY, f.POWER_CAPS, f.PROMPT_RANGE, f.TOKEN_RANGE, f.MACHINE_RANGE),
        *(f.MINIMIZE, CHOOSE, f.METHOD),
        *(f.FORMAT, f.OUT, f.JOBS, f.QUIET, f.DEBUG),
    ),
    "splitwise-plan robust --rate 5 --duration 30 --families splitwise-hh,splitwise-ha"
    " --loads x1,x1.2,spike --growth 30%/year --from 2026-11-30",
)
