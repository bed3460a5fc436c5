"""`splitwise-plan trace import`: other tools' traces and results, as a trace of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from splitwise_plan.cli import exits, output
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.data.trace import flags as trace_flags
from splitwise_plan.errors import raise_if_any
from splitwise_plan.paths import real

if TYPE_CHECKING:
    from splitwise_plan.facts.requests import Requests
    from splitwise_plan.facts.traces.read import Trace

FILE = Flag("file", "FILE", "A trace, or the result of a benchmark.", kind=str, positional=True)
TO = Flag("to", "FILE", "Where to write: .csv, .csv.gz or .parquet.", panel=f.OUTPUT)


def import_(flags: Flags) -> int:
    """Read a trace of another tool, say what of it is kept and what is not, and write it as ours.

    Recognised, from CSV (also gzip), Parquet and JSON: Azure 2023, 2024 and multimodal 2025,
    BurstGPT, Mooncake, Bailian, SplitwiseSim and Vidur, and what vLLM bench serve, GuideLLM,
    AIPerf and inference-perf save of single requests. --columns reads any other table.
    """
    to = output.Output.of(flags)
    target = trace_target(flags)
    read_as = trace_flags.read_as(flags)
    path = Path(flags["file"])
    if target is not None and real(target) == real(path):
        flags.refuse("to", f"{target} is read by this run", "choose another file")
    raise_if_any(flags.problems)
    from splitwise_plan.data.trace.files import write_trace
    from splitwise_plan.data.trace.import_report import imported
    from splitwise_plan.facts.traces.read import open_trace

    with open_trace(path, read_as) as trace:
        if target is not None:
            write_trace(target, _requests(trace))
        else:
            for _ in _requests(trace):
                pass
    to.write(imported(path, trace, target))
    return exits.OK


def trace_target(flags: Flags) -> Path | None:
    """The file to write a trace to; what makes that impossible is a problem."""
    from splitwise_plan.data.trace.files import trace_problem

    if flags["to"] is None:
        return None
    target = Path(flags["to"])
    problem = trace_problem("--to", target)
    if problem is not None:
        flags.problems.append(problem)
    return target


def _requests(trace: Trace) -> Iterator[Requests]:
    from splitwise_plan.facts.requests import Requests

    for chunk in trace.chunks():
        yield Requests(chunk.arrival_s, chunk.prompt_tokens, chunk.output_tokens)


COMMAND = Command(
    "import",
    import_,
    (FILE, TO, *trace_flags.FLAGS, f.FORMAT, f.DEBUG),
    "splitwise-plan trace import examples/own-facts/requests.csv",
)
