"""`splitwise-plan profile fit`: a profile from measurements of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.data.profile import keeping
from splitwise_plan.errors import InputError, Problem

if TYPE_CHECKING:
    from splitwise_plan.facts.measurements import Measurements
    from splitwise_plan.models.fit import Fit

FILE = Flag(
    "file", "FILE.csv", "Measurements, laid out as SplitwiseSim's.", kind=str, positional=True
)
MACHINE = Flag("machine", "ID", "The machine that was measured.")
LLM = Flag("llm", "ID", "The LLM that was measured.")
TENSOR_PARALLEL = Flag("tensor_parallel", "N", "Only the runs on so many GPUs (default: all).")
HARDWARE_NAME = Flag("hardware_name", "NAME", "Only rows with this in column `hardware`.")
MODEL_NAME = Flag("model_name", "NAME", "Only rows with this in column `model`.")


def fit(flags: Flags) -> int:
    """Turn measurements into a profile, with what it predicts, what is odd and what is missing.

    Columns of FILE: model, hardware, tensor_parallel, prompt_size, batch_size, token_size (tokens),
    prompt_time, token_time (ms), and if measured peak_power, average_power (fractions of TDP).
    """
    to = output.Output.of(flags)
    folder = keeping.folder(flags)
    degree = flags.whole("tensor_parallel", low=1)
    catalog = question.catalog(flags)
    for name in ("machine", "llm"):
        if flags[name] is None:
            flags.refuse(name, "is missing")
    machine = flags["machine"] and flags.look_up(lambda: catalog.machine(flags["machine"]))
    llm = flags["llm"] and flags.look_up(lambda: catalog.llm(flags["llm"]))
    if flags.problems or machine is None or llm is None:
        raise InputError(flags.problems)

    from splitwise_plan.data.profile import fit_report as fit_sheet
    from splitwise_plan.data.profile.profile_file import profile_path
    from splitwise_plan.facts.text import read_bytes
    from splitwise_plan.models.importing import power_fallback, power_words

    path = Path(flags["file"])
    data = read_bytes(path)
    rows = _chosen(flags, _measurements(data, str(path)))
    name = profile_path(machine.profile, llm.id)
    keeping.refuse_existing(folder, [name])
    fits = _fits(flags, rows, degree)
    power = {
        one.tensor_parallel: power_fallback(catalog, one.tensor_parallel)
        for one in fits
        if one.power is None
    }
    source = keeping.source_of(path, data)
    text = fit_sheet.fit_text(machine.profile, llm.id, source, fits, power, power_words())
    _usable(text, name, machine.profile, llm.id)
    kept = keeping.keep(folder, {name: text})
    to.write(fit_sheet.report(machine.profile, llm.id, fits, power_words(), kept))
    return exits.OK


def _measurements(data: bytes, where: str) -> Measurements:
    """The measurements. Raises `InputError`, where it is the result of a benchmark with a hint."""
    from splitwise_plan.facts.traces.profile_csv import parse_measurements

    if data.lstrip()[:1] in (b"{", b"["):
        what = "is JSON, not a table of measurements"
        fix = "latencies of requests under load are for `profile calibrate`"
        raise InputError([Problem(where, what, fix)])
    return parse_measurements(data, where)


def _chosen(flags: Flags, rows: Measurements) -> Measurements:
    """The rows of one LLM on one machine. Raises `InputError` where that is not clear."""
    problems = []
    for name, values in (("model_name", rows.llm), ("hardware_name", rows.hardware)):
        flag = "--" + name.replace("_", "-")
        known = sorted(set(values.tolist()))
        if flags[name] is None and len(known) > 1:
            what = f"is missing: the rows are of {', '.join(known)}"
            problems.append(Problem(flag, what, "choose one"))
        elif flags[name] is not None and flags[name] not in known:
            what = f"no row is of {flags[name]!r}"
            problems.append(Problem(flag, what, f"there are {', '.join(known)}"))
    if problems:
        raise InputError(problems)
    llm, hardware = flags["model_name"], flags["hardware_name"]
    mask = (rows.llm == (llm or rows.llm[0])) & (rows.hardware == (hardware or rows.hardware[0]))
    return rows.select(mask)


def _fits(flags: Flags, rows: Measurements, degree: int | None) -> list[Fit]:
    """One fit a tensor parallelism. Raises `InputError` where there are too few measurements."""
    from splitwise_plan.models.fit import fit as fit_one

    known = sorted(set(rows.tensor_parallel.tolist()))
    if degree is not None and degree not in known:
        what = f"no run is on {degree} GPUs"
        raise InputError([Problem("--tensor-parallel", what, f"there are {known}")])
    fits = []
    for one in known if degree is None else [degree]:
        fitted = fit_one(rows.select(rows.tensor_parallel == one), one)
        if fitted is None:
            what = f"too few measurements at {one} GPUs: needs two batch sizes or more"
            raise InputError([Problem(flags["file"], what, "see `profile fit --help`")])
        fits.append(fitted)
    return fits


def _usable(text: str, name: str, machine: str, llm: str) -> None:
    """Raise `InputError` if the profile could not be planned with."""
    from splitwise_plan.facts.tables import parse_profile

    parse_profile(text, name, machine, llm)


COMMAND = Command(
    "fit",
    fit,
    (
        *(FILE, MACHINE, LLM, TENSOR_PARALLEL, HARDWARE_NAME, MODEL_NAME, keeping.TO),
        *(f.HARDWARE, f.FORMAT, f.QUIET, f.DEBUG),
    ),
    "splitwise-plan profile fit examples/own-measurements/measurements.csv "
    "--machine dgx-h100 --llm llama-3.1-70b",
)
