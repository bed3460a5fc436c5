"""`splitwise-plan trace`: the user's requests, or ours."""

from __future__ import annotations

from pathlib import Path

import typer

from splitwise_plan.cli import exits, output
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.data.trace import flags as trace_flags
from splitwise_plan.data.trace import generate_command as trace_generate
from splitwise_plan.data.trace import import_command as trace_import
from splitwise_plan.errors import InputError, raise_if_any

app = typer.Typer(help="Request traces.", no_args_is_help=True)

WHAT = Flag(
    "what",
    "FILE|WORKLOAD",
    "A trace, or a workload by its id.",
    kind=str,
    positional=True,
    values=("workloads",),
)

ENDINGS = (".csv", ".gz", ".parquet", ".json", ".jsonl")


def describe(flags: Flags) -> int:
    """Describe a trace or a workload: lengths, rate over time, burstiness, peaks, daily shape.

    Traces of every format that `trace import` knows. --out DIR draws them.
    """
    to = output.Output.of(flags)
    what: str = flags["what"]
    read_as = trace_flags.read_as(flags)
    is_file = _is_file(what)
    if not is_file:
        for name in [*trace_flags.given(flags), *(["out"] if to.out else [])]:
            flags.refuse(name, "has no effect: a workload has no times", "drop it, or name a file")
    raise_if_any(flags.problems)
    from splitwise_plan.data.trace import lengths
    from splitwise_plan.facts.catalog import Catalog
    from splitwise_plan.suggest import did_you_mean

    catalog = Catalog()
    if is_file:
        from splitwise_plan.data.trace.report import of_trace

        to.write(of_trace(what, catalog.trace(Path(what), read_as), drawn=to.out is not None))
    elif what in catalog.list("workloads"):
        to.write(lengths.describe(what, lengths.shape_of_lengths(catalog.workload(what).lengths)))
    else:
        fix = did_you_mean(what, catalog.list("workloads"))
        flags.refuse("what", f"{what!r} is neither a file nor a workload", fix)
        raise InputError(flags.problems)
    return exits.OK


def _is_file(what: str) -> bool:
    """Whether a trace is meant: something that exists, or looks like a path."""
    if what.endswith(ENDINGS) or "/" in what:
        return True
    try:
        return Path(what).exists()
    except (OSError, ValueError):
        return False


DESCRIBE = Command(
    "describe",
    describe,
    (WHAT, *trace_flags.FLAGS, f.FORMAT, f.OUT, f.DEBUG),
    "splitwise-plan trace describe coding",
)
COMMANDS = (DESCRIBE, trace_import.COMMAND, trace_generate.COMMAND)
for command in COMMANDS:
    command.add_to(app)
