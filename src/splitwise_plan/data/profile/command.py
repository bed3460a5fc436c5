"""`splitwise-plan profile`: how fast an LLM is on a machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.data.profile import calibrate_command as profile_calibrate
from splitwise_plan.data.profile import fit_command as profile_fit
from splitwise_plan.data.profile import import_command as profile_import
from splitwise_plan.errors import InputError, Problem

if TYPE_CHECKING:
    from splitwise_plan.facts.catalog import Catalog
    from splitwise_plan.models.validation import Accuracy

app = typer.Typer(help="Latency and power profiles.", no_args_is_help=True)

MACHINE = Flag(
    "machine",
    "MACHINE",
    "A machine, e.g. dgx-h100.",
    kind=str,
    positional=True,
    values=("machines",),
)
LLM = Flag("llm", "LLM", "An LLM, e.g. bloom-176b.", kind=str, positional=True, values=("llms",))
TP = Flag("tp", "N", "GPUs of one instance of the LLM (default: 8).")
VALIDATE = Flag(
    "validate", "", "How well profiles predict what was held out.", kind=bool, default=False
)
MEASUREMENTS = Flag("measurements", "FILE.csv", "Validate on these instead of the recorded result.")


def show(flags: Flags) -> int:
    """Show the measured curves of an LLM on a machine, and on demand how well they predict."""
    from splitwise_plan.data.profile import report as profile_sheet

    to = output.Output.of(flags)
    degree = flags.whole("tp", low=1)
    if flags["measurements"] is not None and not flags["validate"]:
        flags.refuse("measurements", "has no effect without --validate", "add it")
    catalog = question.catalog(flags)
    machine = flags.look_up(lambda: catalog.machine(flags["machine"]))
    llm = flags.look_up(lambda: catalog.llm(flags["llm"]))
    accuracy = flags.look_up(lambda: _accuracy(flags, catalog)) or []
    if machine is None or llm is None or flags.problems:
        raise InputError(flags.problems)
    profile = catalog.profile(machine.profile, llm.id, degree or 8)
    to.write(profile_sheet.show(profile, machine.id, accuracy))
    return exits.OK


def _accuracy(flags: Flags, catalog: Catalog) -> list[Accuracy]:
    """As recorded, or of the measurements given; none if it was not asked for."""
    from splitwise_plan.models import validation

    if not flags["validate"]:
        return []
    if flags["measurements"] is None:
        return validation.recorded_validation(catalog)
    from splitwise_plan.facts.traces.profile_csv import read_measurements

    measurements = read_measurements(Path(flags["measurements"]))
    missing = [
        f"{llm} on {hardware}"
        for llm, hardware in validation.GROUPS
        if not len(measurements.of(llm, hardware, 8))
    ]
    if missing:
        what = f"has no measurements of {', '.join(missing)} at 8 GPUs"
        raise InputError([Problem(flags["measurements"], what, "the error is a mean over all")])
    return validation.validation_table(measurements)


SHOW = Command(
    "show",
    show,
    (MACHINE, LLM, TP, VALIDATE, MEASUREMENTS, f.HARDWARE, f.FORMAT, f.DEBUG),
    "splitwise-plan profile show dgx-h100 bloom-176b --validate",
)
COMMANDS = (SHOW, profile_fit.COMMAND, profile_calibrate.COMMAND, profile_import.COMMAND)
for command in COMMANDS:
    command.add_to(app)
