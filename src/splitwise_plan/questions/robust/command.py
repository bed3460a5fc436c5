"""`splitwise-plan robust`: one plan for several loads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.result_codes import exit_code as search_exit_code
from splitwise_plan.cli.sampling import gone_through, resumable, workers
from splitwise_plan.cli.stopwatch import Stopwatch

if TYPE_CHECKING:
    from splitwise_plan.questions.robust.analysis import RobustResult
    from splitwise_plan.scenario.loads.schema import LoadSet

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
    given = question.of_space(flags, "minimize", "method")
    to = output.Output.of(flags)
    loads = _load(flags, given)
    watch.lap("load_s")

    watch.compile(loads.base, quiet=to.quiet)
    from splitwise_plan.questions.robust.analysis import robust as find

    with resumable(flags, loads, to.out, "robust") as journal:
        with shown_progress(quiet=to.quiet) as progress, workers(flags, to.jobs) as jobs:
            result = find(loads, jobs, progress, journal)
        watch.lap("search_s")

        from splitwise_plan.questions.robust.report import report

        steps = [output.report_step(flags, "the report and the scenario with its loads")]
        to.write(report(result, watch.timing, steps, files=to.out is not None))
    return exit_code(result)


def _load(flags: Flags, given: dict[str, object]) -> LoadSet:
    """The loads. Raises `InputError` with the problems of the flags too."""
    from splitwise_plan.facts.catalog import Catalog
    from splitwise_plan.scenario.loads.load import load_loads

    return question.loaded(
        flags,
        lambda path: load_loads(
            Catalog(),
            path,
            given,
            words=flags.listed("loads"),
            choose=flags["choose"],
            growth=(flags["growth"], flags["from_"]),
        ),
        lambda loads: loads.base,
        partial(gone_through, flags),
    )


def exit_code(result: RobustResult) -> int:
    """What the result means for a script."""
    if result.loads.choose == "regret" and result.least_regret is not None:
        return exits.OK
    return search_exit_code(result.joint)


COMMAND = Command(
    "robust",
    robust,
    (
        *f.QUESTION,
        *(LOADS, GROWTH, FROM),
        *f.SPACE,
        *(f.MINIMIZE, CHOOSE, f.METHOD),
        *(f.RESUME, f.DASK, *f.ENDING),
    ),
    "splitwise-plan robust --rate 5 --horizon window --families splitwise-hh"
    " --loads x1,x1.2,spike --growth 30%/year --from 2026-11-30",
)
