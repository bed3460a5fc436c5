"""`splitwise-plan sensitivity`: how wrong may the numbers be?"""

from __future__ import annotations

from functools import partial

from splitwise_plan.cli import flags as f
from splitwise_plan.cli import output, question
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.result_codes import exit_code
from splitwise_plan.cli.sampling import gone_through, resumable, workers
from splitwise_plan.cli.stopwatch import Stopwatch

WINNER = Flag(
    "winner",
    "design|family",
    "What must stay the best: the design, or its family with other counts (takes minutes).",
    kind=str,
    default="design",
    panel=f.GOAL,
)
SAVINGS = Flag(
    "savings",
    "SHARE",
    "What another design must save to count, as a share (default: 0, anything).",
    panel=f.GOAL,
)


def sensitivity(flags: Flags) -> int:
    """Find how wrong each number may be before another plan is best, or this one fails.

    Prompt, token and transfer times, the load, and the price and power of each machine type; each
    alone, on the same requests.
    """
    watch = Stopwatch()
    given = question.of_space(flags, "minimize", "method")
    of = flags.choice("winner", WINNER.choices)
    savings = flags.share("savings")
    to = output.Output.of(flags)
    scenario = question.load(flags, given, partial(gone_through, flags))
    watch.lap("load_s")

    watch.compile(scenario, quiet=to.quiet)
    from splitwise_plan.questions.sensitivity.analysis import Counting
    from splitwise_plan.questions.sensitivity.analysis import sensitivity as find

    counting = Counting("family" if of == "family" else "design", savings or 0.0)
    with resumable(flags, scenario, to.out, "sensitivity") as journal:
        with shown_progress(quiet=to.quiet) as progress, workers(flags, to.jobs) as jobs:
            result = find(scenario, counting, jobs, progress, journal)
        watch.lap("search_s")

        from splitwise_plan.questions.sensitivity.report import report

        steps = [output.report_step(flags, "the report with the figure")]
        to.write(report(result, watch.timing, steps, files=to.out is not None))
    return exit_code(result.found)


COMMAND = Command(
    "sensitivity",
    sensitivity,
    (
        *f.QUESTION,
        *f.SPACE,
        *(f.MINIMIZE, WINNER, SAVINGS, f.METHOD),
        *(f.RESUME, f.DASK, *f.ENDING),
    ),
    "splitwise-plan sensitivity --rate 5 --horizon window --families splitwise-hh"
    " --prompt-machines 1:4 --token-machines 1:3",
)
