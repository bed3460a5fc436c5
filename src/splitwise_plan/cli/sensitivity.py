"""`splitwise-plan sensitivity`: how wrong may the numbers be?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from splitwise_plan.cli import flags as f
from splitwise_plan.cli import output, question
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.search import exit_code
from splitwise_plan.cli.stopwatch import Stopwatch

if TYPE_CHECKING:
    from splitwise_plan.search.sensitivity import Of

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
    scenario = question.load(flags, given, question.gone_through)
    watch.lap("load_s")

    watch.compile(scenario, quiet=to.quiet)
    from splitwise_plan.search.sensitivity import sensitivity as find

    with shown_progress(quiet=to.quiet) as progress:
        what: Of = "family" if of == "family" else "design"
        result = find(scenario, what, to.jobs, progress, savings or 0.0)
    watch.lap("search_s")

    from splitwise_plan.report.sensitivity import report

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
        *f.ENDING,
    ),
    "splitwise-plan sensitivity --rate 5 --duration 60 --families splitwise-hh,splitwise-ha"
    " --prompt-machines 1:6 --token-machines 1:6",
)
