"""`splitwise-plan day`: what does following the load of a day save?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from splitwise_plan.cli import flags as f
from splitwise_plan.cli import output, question
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.result_codes import exit_code
from splitwise_plan.cli.sampling import gone_through, resumable, workers
from splitwise_plan.cli.stopwatch import Stopwatch

if TYPE_CHECKING:
    from splitwise_plan.questions.day.periods import Day

AMPLITUDE = Flag(
    "amplitude",
    "SHARE",
    "How far the rate goes up and down in 24 h, as a share of it (default: 0.5).",
    panel=f.LOAD,
)


def day(flags: Flags) -> int:
    """Size a cluster for a whole day, and find what it saves to power machines down or switch them.

    The day: hours of a sine around the rate, pieces, or `loads` of the scenario with their hours.
    """
    watch = Stopwatch()
    given = question.of_space(flags, "minimize", "method")
    to = output.Output.of(flags)
    loaded = _load(flags, given)
    watch.lap("load_s")

    watch.compile(loaded.base, quiet=to.quiet)
    from splitwise_plan.questions.day.analysis import follow

    with resumable(flags, loaded, to.out, "day") as journal:
        with shown_progress(quiet=to.quiet) as progress, workers(flags, to.jobs) as jobs:
            result = follow(loaded, jobs, progress, journal)
        watch.lap("search_s")

        from splitwise_plan.questions.day.report import report

        steps = [output.report_step(flags, "the report with the figure")]
        to.write(report(result, watch.timing, steps, files=to.out is not None))
    return exit_code(result.fixed)


def _load(flags: Flags, given: dict[str, object]) -> Day:
    """The day. Raises `InputError` with the problems of the flags too."""
    from splitwise_plan.facts.catalog import Catalog
    from splitwise_plan.questions.day.periods import load_day

    amplitude = flags.share("amplitude")
    return question.loaded(
        flags,
        lambda path: load_day(Catalog(), path, given, amplitude),
        lambda day: day.base,
        partial(gone_through, flags),
    )


COMMAND = Command(
    "day",
    day,
    (
        *f.QUESTION,
        AMPLITUDE,
        *f.SPACE,
        *(f.MINIMIZE, f.METHOD),
        *(f.RESUME, f.DASK, *f.ENDING),
    ),
    "splitwise-plan day --rate 5 --horizon window --families splitwise-hh --amplitude 0.6",
)
