"""`splitwise-plan reproduce`: the paper's tables and figures, ours beside theirs."""

from __future__ import annotations

from splitwise_plan.cli import exits, output
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.stopwatch import Stopwatch
from splitwise_plan.errors import raise_if_any

ALL, BOTH = "all", "both"
ASSUMPTIONS = (BOTH, "splitwisesim", "measured")

ITEMS = Flag(
    "items",
    "ITEM",
    "table1, fig18, conclusions, …, or all (default), which takes some minutes.",
    kind=list[str] | None,
    positional=True,
)
SETS = Flag(
    "assumptions",
    "WHICH",
    "The rules of the paper's simulator (splitwisesim), measured token times (measured), or both.",
    kind=str,
    default=BOTH,
    panel=f.MODEL,
    words=ASSUMPTIONS,
)
QUICK = Flag(
    "quick", "", "One seed and shorter runs: a first look.", kind=bool, default=False, panel=f.LOAD
)


def reproduce(flags: Flags) -> int:
    """Make the paper's tables and figures from our simulator, ours beside theirs.

    With --out DIR as a Markdown page, a CSV table and figures, ready for documentation.
    """
    from splitwise_paper.registry import ITEMS as KNOWN
    from splitwise_plan.suggest import did_you_mean

    watch = Stopwatch()
    to = output.Output.of(flags)
    seeds = flags.whole("seeds", low=1)
    chosen = flags.choice("assumptions", ASSUMPTIONS)
    asked = flags["items"] or [ALL]
    ids = [] if ALL in asked else list(asked)
    known = [item.id for item in KNOWN]
    for unknown in (one for one in ids if one not in known):
        flags.refuse("items", f"unknown item {unknown!r}", did_you_mean(unknown, [*known, ALL]))
    raise_if_any(flags.problems)

    from splitwise_paper import run
    from splitwise_plan.facts.catalog import Catalog

    study = run.new_study(
        Catalog(),
        () if chosen == BOTH else (chosen,),
        quick=bool(flags["quick"]),
        seeds=seeds,
        jobs=to.jobs,
    )
    watch.lap("load_s")
    watch.compile(quiet=to.quiet)
    with shown_progress(quiet=to.quiet) as progress:
        results = run.reproduce(study, ids, progress)
    watch.lap("reproduce_s")

    from splitwise_paper.report import report

    to.write(report(study, results, watch.timing, files=to.out is not None))
    return exits.OK


COMMAND = Command(
    "reproduce",
    reproduce,
    (ITEMS, SETS, QUICK, f.SEEDS, *f.ENDING),
    "splitwise-plan reproduce fig5 fig14",
)
