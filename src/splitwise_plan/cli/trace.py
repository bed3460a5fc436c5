"""`splitwise-plan trace`: the user's requests, or ours."""

from __future__ import annotations

from pathlib import Path

import typer

from splitwise_plan.cli import exits, output
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.errors import InputError, raise_if_any

app = typer.Typer(help="Request traces.", no_args_is_help=True)

WHAT = Flag(
    "what",
    "FILE.csv|WORKLOAD",
    "A trace, or a workload by its id.",
    kind=str,
    positional=True,
    values=("workloads",),
)


def describe(flags: Flags) -> int:
    """Describe a trace or a workload: how many, how fast, how long prompts and outputs are."""
    to = output.Output.of(flags)
    raise_if_any(flags.problems)
    from splitwise_plan.facts.catalog import Catalog
    from splitwise_plan.facts.suggest import did_you_mean
    from splitwise_plan.report import lengths

    what: str = flags["what"]
    catalog = Catalog()
    if _is_file(what):
        shape = lengths.shape_of_trace(catalog.requests(Path(what)))
    elif what in catalog.list("workloads"):
        shape = lengths.shape_of_lengths(catalog.workload(what).lengths)
    else:
        fix = did_you_mean(what, catalog.list("workloads"))
        flags.refuse("what", f"{what!r} is neither a file nor a workload", fix)
        raise InputError(flags.problems)
    to.write(lengths.describe(what, shape))
    return exits.OK


def _is_file(what: str) -> bool:
    """Whether a trace is meant: something that exists, or looks like a path."""
    if what.endswith((".csv", ".gz")) or "/" in what:
        return True
    try:
        return Path(what).exists()
    except (OSError, ValueError):
        return False


DESCRIBE = Command(
    "describe",
    describe,
    (WHAT, f.FORMAT, f.DEBUG),
    "splitwise-plan trace describe coding",
)
COMMANDS = (DESCRIBE,)
for command in COMMANDS:
    command.add_to(app)
