"""`splitwise-plan profile calibrate`: a profile that matches a benchmark of a running server."""

from __future__ import annotations

from pathlib import Path

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.stopwatch import Stopwatch
from splitwise_plan.data.profile import keeping
from splitwise_plan.errors import InputError

FILE = Flag(
    "file",
    "FILE.json",
    "Requests with latencies: vLLM bench serve, GuideLLM, AIPerf, inference-perf.",
    kind=str,
    positional=True,
)
MACHINE = Flag("machine", "ID", "The machine of the server, e.g. dgx-h100.")
LLM = Flag("llm", "ID", "The LLM it serves.")
TENSOR_PARALLEL = Flag("tensor_parallel", "N", "GPUs of one instance of the LLM (default: 8).")
INSTANCES = Flag("instances", "N", "Instances behind the address that was benchmarked.")
BASE = Flag("base", "ID", "Machine whose profile is scaled (default: that of the machine).")
OVERHEAD = Flag(
    "overhead", "", "Fit a constant time of each prompt iteration too.", kind=bool, default=False
)


def calibrate(flags: Flags) -> int:
    """Scale a profile until a simulated load looks like the one that was measured.

    Replays the requests of the benchmark on one server and fits two factors, of prompt times and of
    token times, to the percentiles of TTFT, TBT and E2E.
    """
    watch = Stopwatch()
    to = output.Output.of(flags)
    folder = keeping.folder(flags)
    degree = flags.whole("tensor_parallel", low=1) or 8
    instances = flags.whole("instances", low=1) or 1
    catalog = question.catalog(flags)
    for name in ("machine", "llm"):
        if flags[name] is None:
            flags.refuse(name, "is missing")
    machine = flags["machine"] and flags.look_up(lambda: catalog.machine(flags["machine"]))
    llm = flags["llm"] and flags.look_up(lambda: catalog.llm(flags["llm"]))
    base = flags.look_up(lambda: catalog.machine(flags["base"])) if flags["base"] else machine
    if flags.problems or not machine or not llm or not base:
        raise InputError(flags.problems)
    profile = catalog.profile(base.profile, llm.id, degree)

    from splitwise_plan.data.profile.profile_file import profile_path
    from splitwise_plan.facts.text import read_bytes
    from splitwise_plan.facts.traces.benchmark import parse_load_results

    path = Path(flags["file"])
    data = read_bytes(path)
    results = parse_load_results(data, str(path))
    name = profile_path(machine.profile, llm.id)
    keeping.refuse_existing(folder, [name])

    watch.compile(quiet=to.quiet)
    from dataclasses import replace

    from splitwise_plan.data.profile import calibrate_report as calibration_sheet
    from splitwise_plan.data.profile.calibration import Server
    from splitwise_plan.data.profile.calibration import calibrate as find
    from splitwise_plan.models.scaling import scaled

    assumptions = catalog.assumptions("measured")
    server = Server(machine, llm, degree, instances, assumptions, profile)
    server = replace(server, profile=replace(profile, machine=machine.profile))
    found = find(results, server, overhead=bool(flags["overhead"]))
    fitted = scaled(server.profile, found.factors)
    source = f"{results.source}, {keeping.source_of(path, data)}"
    base_name = f"{base.profile}__{llm.id}"
    text = calibration_sheet.calibrated_text(fitted, base_name, source, found)
    kept = keeping.keep(folder, {name: text})
    to.write(calibration_sheet.report(fitted, base_name, results, found, kept))
    return exits.OK


COMMAND = Command(
    "calibrate",
    calibrate,
    (
        *(FILE, MACHINE, LLM, TENSOR_PARALLEL, INSTANCES, BASE, OVERHEAD, keeping.TO),
        *(f.HARDWARE, f.FORMAT, f.QUIET, f.DEBUG),
    ),
    "splitwise-plan profile calibrate examples/own-benchmark/profile_export.jsonl "
    "--machine dgx-h100 --llm llama-3.1-70b",
)
