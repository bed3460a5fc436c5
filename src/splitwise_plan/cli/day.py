"""`splitwise-plan day`: what does following the load of a day save?"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from splitwise_plan.cli import flags as f
from splitwise_plan.cli import output, question
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.search import exit_code
from splitwise_plan.cli.sensitivity import gone_through
from splitwise_plan.cli.stopwatch import Stopwatch
from splitwise_plan.errors import InputError, raise_if_any

if TYPE_CHECKING:
    from splitwise_plan.facts.day import Day

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
    given = question.overrides(flags)
    given |= {key: flags[key] for key in (*question.COUNTS, "minimize", "method")}
    given["families"] = flags.listed("families", "family")
    given["power_caps"] = flags.numbers("power_caps")
    to = output.Output.of(flags)
    loaded = _load(flags, given)
    watch.lap("load_s")

    watch.compile(loaded.base, quiet=to.quiet)
    from splitwise_plan.search.day import follow

    with shown_progress(quiet=to.quiet) as progress:
        result = follow(loaded, to.jobs, progress)
    watch.lap("search_s")

    from splitwise_plan.report.day import report

    to.write(report(result, watch.timing, _next_steps(flags), files=to.out is not None))
    return exit_code(result.fixed)


def _load(flags: Flags, given: dict[str, object]) -> Day:
    """The day. Raises `InputError` with the problems of the flags too."""
    from splitwise_plan.facts.catalog import Catalog
    from splitwise_plan.facts.day import load_day

    path = Path(flags["scenario"]) if flags["scenario"] is not None else None
    amplitude = flags.share("amplitude")
    try:
        loaded = load_day(Catalog(), path, given, amplitude)
    except InputError as error:
        raise InputError([*flags.problems, *error.problems]) from None
    problems = [*flags.problems, *question.overwritten(flags, loaded.base, path)]
    raise_if_any([*problems, *gone_through(loaded.base)])
    return loaded


def _next_steps(flags: Flags) -> list[str]:
    if flags["out"] is None:
        return ["add --out DIR to keep the report with the figure"]
    return [f"the report is {shlex.quote(flags['out'].rstrip('/') + '/report.html')}"]


COMMAND = Command(
    "day",
    day,
    (
        *f.QUESTION,
        AMPLITUDE,
        *(f.FAMILIES, f.FAMILY, f.POWER_CAPS, f.PROMPT_RANGE, f.TOKEN_RANGE, f.MACHINE_RANGE),
        *(f.MINIMIZE, f.METHOD),
        *(f.FORMAT, f.OUT, f.JOBS, f.QUIET, f.DEBUG),
    ),
    "splitwise-plan day --rate 5 --duration 30 --families splitwise-hh --amplitude 0.6",
)
