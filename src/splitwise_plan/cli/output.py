"""Where results go: stdout in the format asked for, and files."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from splitwise_plan.cli.exits import silence_stdout
from splitwise_plan.cli.flags import FORMATS
from splitwise_plan.cli.options import Flags
from splitwise_plan.errors import OutputError, Problem

if TYPE_CHECKING:
    from splitwise_plan.report.report import Report


@dataclass(frozen=True, slots=True)
class Output:
    """The flags that say where results go."""

    format: str
    quiet: bool
    jobs: int
    out: Path | None
    requests_out: Path | None
    save_plan: Path | None
    junit: Path | None

    @classmethod
    def of(cls, flags: Flags) -> Output:
        """Read the flags. Places that cannot be written are problems, told before any work."""
        from splitwise_plan.planner.driver import MOST_JOBS, all_cores
        from splitwise_plan.report.files import file_problem, folder_problem

        files = ("requests_out", "save_plan", "junit")
        checks = {"out": folder_problem, **dict.fromkeys(files, file_problem)}
        paths: dict[str, Path | None] = {
            name: _path(flags, name, check) for name, check in checks.items()
        }
        jobs = min(flags.whole("jobs", low=1) or all_cores(), MOST_JOBS)
        return cls(flags.choice("format", FORMATS), bool(flags["quiet"]), jobs, **paths)

    @property
    def wants_requests(self) -> bool:
        """Whether the records of single requests are to be written."""
        return self.out is not None or self.requests_out is not None

    def write(self, report: Report) -> None:
        """Write the folder of results, then tell the result on stdout. Raises `OutputError`."""
        from splitwise_plan.report.files import write_folder

        if self.out is not None:
            write_folder(self.out, report.files)
        emit(report.text(self.format))


def report_step(flags: Flags, kept: str) -> str:
    """Where the report is, or how to keep it; `kept`: what a folder of results has."""
    if flags["out"] is None:
        return f"add --out DIR to keep {kept}"
    return f"the report is {shlex.quote(flags['out'].rstrip('/') + '/report.html')}"


def emit(text: str) -> None:
    """Write to stdout and flush; a reader that went away is no error. Raises `OutputError`."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        silence_stdout()
        raise OutputError(f"stdout was not written: {error.strerror or error}") from None


def _path(flags: Flags, name: str, check: Callable[[str, Path], Problem | None]) -> Path | None:
    text: str | None = flags[name]
    if text is None:
        return None
    if not text:
        flags.refuse(name, "is empty", "name a place")
        return None
    path = Path(text)
    problem = check("--" + name.replace("_", "-"), path)
    if problem is not None:
        flags.problems.append(problem)
    return path
