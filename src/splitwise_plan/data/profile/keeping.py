"""Files of facts that a command makes, in a folder of the user's own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from splitwise_plan.cli.options import Flag, Flags
from splitwise_plan.errors import InputError, Problem

TO = Flag("to", "DIR", "Folder of facts to keep it in; then --hardware DIR knows it.")


def folder(flags: Flags) -> Path | None:
    """The folder to write to, None if nothing is to be kept; a useless one is a problem."""
    from splitwise_plan.report.files import folder_problem

    if flags["to"] is None:
        return None
    problem = folder_problem("--to", Path(flags["to"]))
    if problem is not None:
        flags.problems.append(problem)
    return Path(flags["to"])


def source_of(path: Path, data: bytes) -> str:
    """What a file was made from, with the sha256 of what was read of it."""
    return f"{path.name}, sha256 {hashlib.sha256(data).hexdigest()}"


def refuse_existing(to: Path | None, names: list[str]) -> None:
    """Raise `InputError` if a file is there already: facts of the user's are not replaced."""
    found = [name for name in names if to is not None and (to / name).exists()]
    if found:
        fix = "move it away, or choose another folder"
        raise InputError([Problem(str(to), f"has {name} already", fix) for name in found])


def keep(to: Path | None, files: Mapping[str, str]) -> list[str]:
    """Write all files, by their path below `to`, or none; return the paths."""
    from splitwise_plan.report.files import write_new_files

    if to is None:
        return []
    write_new_files(to, files)
    return [str(to / name) for name in files]
