"""`splitwise-plan init`: a scenario to start from, with a machine, prices and SLOs."""

from __future__ import annotations

import shlex
from pathlib import Path

from splitwise_plan.cli import exits, output
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.errors import raise_if_any

FOLDER = Flag("folder", "DIR", "Where to write it (default: here).", positional=True)


def init(flags: Flags) -> int:
    """Write a scenario to start from, and all that it names: machine, families, prices, SLOs.

    It works as it is, and every line says what it is for. No file is overwritten: if one of them
    exists, nothing is written.
    """
    from splitwise_plan.data.init.report import report
    from splitwise_plan.data.init.starter_files import starter_files
    from splitwise_plan.report.files import folder_problem, new_file_problems, write_new_files

    to = output.Output.of(flags)
    folder = Path(flags["folder"] if flags["folder"] is not None else ".")
    files = starter_files()
    problem = folder_problem("DIR", folder)
    raise_if_any([*flags.problems, *([problem] if problem else new_file_problems(folder, files))])
    write_new_files(folder, files)
    scenario = shlex.quote(str(folder / "scenario.toml"))
    to.write(report([str(folder / name) for name in files], scenario))
    return exits.OK


COMMAND = Command("init", init, (FOLDER, f.FORMAT, f.DEBUG), "splitwise-plan init my-plan")
