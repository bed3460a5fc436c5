"""`splitwise-plan trace generate`: requests that are drawn."""

from __future__ import annotations

from typing import Any

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.data.trace.import_command import TO, trace_target
from splitwise_plan.errors import InputError, Problem, raise_if_any

SHAPE = "Shape of the rate"
PROCESS = Flag(
    "process",
    "PROCESS",
    "How requests arrive: poisson, gamma, mmpp (bursts: Markov-modulated Poisson), diurnal, spike "
    "or piecewise.",
    kind=str,
    default="poisson",
    panel=f.LOAD,
    words=("poisson", "gamma", "mmpp", "diurnal", "spike", "piecewise"),
)
WORKLOAD = Flag(
    "workload", "ID", "Lengths: coding, conversation.", kind=str, default="coding", panel=f.LOAD
)
RATE = Flag("rate", "RPS", "Mean requests per second (spike: outside of it).", panel=f.LOAD)
SHAPES = {
    "burstiness": (("burstiness",), "X", "gamma: variance of the gaps over their mean squared."),
    "burst_ratio": (("mmpp", "ratio"), "X", "mmpp: rate in bursts over that outside (default 5)."),
    "burst_share": (("mmpp", "share"), "X", "mmpp: time in bursts, 0 to 1 (default 0.1)."),
    "burst_length": (("mmpp", "length"), "SECONDS", "mmpp: mean length of a burst (default 60)."),
    "amplitude": (("diurnal", "amplitude"), "X", "diurnal: swing, 0 to 1 (default 0.5)."),
    "period": (("diurnal", "period"), "SECONDS", "diurnal: length of a day (default 1 d)."),
    "spike_start": (("spike", "start"), "SECONDS", "spike: when it begins."),
    "spike_length": (("spike", "length"), "SECONDS", "spike: how long it lasts."),
    "spike_ratio": (("spike", "ratio"), "X", "spike: its rate over the rest's (default 5)."),
}
"""Flags by name: the key that each stands for, its metavar, and its help."""
FLAGS = tuple(Flag(name, metavar, told, panel=SHAPE) for name, (_, metavar, told) in SHAPES.items())
PIECES = Flag(
    "pieces", "SECONDS:RPS,…", "piecewise: rates one after another, over and over.", panel=SHAPE
)


def generate(flags: Flags) -> int:
    """Draw a trace: arrivals of a process, lengths of a workload; the same for the same seed."""
    to = output.Output.of(flags)
    target = trace_target(flags)
    seed = flags.whole("seed", low=0) or 0
    keys = _keys(flags)
    catalog = question.catalog(flags)
    workload = flags.look_up(lambda: catalog.workload(flags["workload"]))
    from splitwise_plan.data.trace.generation import generated, generation

    arrivals = flags.look_up(lambda: generation(keys, _place))
    if arrivals is None or workload is None or flags.problems:
        raise InputError(flags.problems)
    requests = generated(arrivals, workload, seed)
    if not len(requests):
        flags.refuse("rate", "no request was drawn", "make --duration longer")
    raise_if_any(flags.problems)
    from splitwise_plan.data.trace.files import write_trace
    from splitwise_plan.data.trace.report import of_requests

    if target is not None:
        write_trace(target, [requests])
    name = f"{workload.id} lengths, {flags['process']} arrivals, seed {seed}"
    written = f"written to {target}" if target else "not written: add --to FILE.csv"
    to.write(of_requests(name, requests, f"generated, {written}", None, (), drawn=False))
    return exits.OK


def _keys(flags: Flags) -> dict[str, Any]:
    """The keys of arrivals, as in a scenario."""
    keys: dict[str, Any] = {"arrivals": flags["process"]}
    keys |= {name: flags.number(name) for name in ("rate", "duration")}
    for name, (path, _, _) in SHAPES.items():
        value = flags.number(name)
        if value is not None:
            table = keys if len(path) == 1 else keys.setdefault(path[0], {})
            table[path[-1]] = value
    if flags["pieces"] is not None:
        keys["piecewise"] = _pieces(flags)
    return {key: value for key, value in keys.items() if value is not None}


def _pieces(flags: Flags) -> list[dict[str, float]] | None:
    try:
        pairs = [part.split(":") for part in flags["pieces"].split(",")]
        return [{"lasts": float(lasts), "rate": float(rate)} for lasts, rate in pairs]
    except ValueError:
        flags.refuse("pieces", f"{flags['pieces'][:60]!r} is not SECONDS:RPS,…", "e.g. 60:20,30:80")
        return None


def _place(path: tuple[str | int, ...], what: str, fix: str) -> Problem:
    """A problem of a key, at its flag."""
    known = {of: name for name, (of, _, _) in SHAPES.items()}
    known |= {("arrivals",): "process", ("piecewise",): "pieces", ("diurnal",): "period"}
    known |= {("spike",): "spike_start", ("mmpp",): "burst_ratio"}
    names = tuple(str(part) for part in path if part not in ("value", "unit"))
    name = known.get(names) or known.get(names[:1]) or names[0]
    return Problem("--" + name.replace("_", "-"), what, fix)


COMMAND = Command(
    "generate",
    generate,
    (
        *(PROCESS, RATE, f.DURATION, f.SEED, WORKLOAD, f.HARDWARE, *FLAGS, PIECES),
        *(TO, f.FORMAT, f.DEBUG),
    ),
    "splitwise-plan trace generate --process gamma --burstiness 4 --rate 20 --duration '10 min'",
)
