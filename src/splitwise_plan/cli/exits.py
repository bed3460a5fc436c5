"""Exit codes, and the only place that turns exceptions into them."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import typer

from splitwise_plan.cli.help import HelpfulGroup
from splitwise_plan.errors import InputError, OutputError

OK = 0
CRASH = 1
BAD_INPUT = 2
NONE_MEETS = 3
UNDECIDED = 4
INTERRUPTED = 130

DEBUG = "--debug"


class ExitingGroup(HelpfulGroup):
    """The command line as a whole: a command returns its exit code, or raises."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run the command that `args` name, and exit."""
        arguments = list(sys.argv[1:] if args is None else args)
        _replace_closed_streams()
        run = super().main

        def call() -> int | None:
            code: int | None = run(
                arguments,
                prog_name or "splitwise-plan",
                complete_var,
                False,
                windows_expand_args,
                **extra,
            )
            return code

        sys.exit(exit_code(call, debug=DEBUG in arguments))


def exit_code(action: Callable[[], int | None], *, debug: bool) -> int:
    """Run `action` and return its exit code, having told on stderr what went wrong."""
    try:
        code = action() or OK
        sys.stdout.flush()  # what the interpreter cannot write at its end is told by nobody
    except InputError as error:
        code = _bad_input([str(problem) for problem in error.problems])
    except OutputError as error:
        code = _told(f"error: {error}", BAD_INPUT)
    except typer.TyperException as error:
        told = error.format_message()  # nothing where the help was shown instead of a command
        code = _bad_input([f"command line: {told} (see --help)"]) if told else BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        code = OK
    except OSError as error:  # a disk that is full, a folder that is gone, a right that is missing
        if debug:
            traceback.print_exc()
        silence_stdout()
        about = f"{error.filename}: " if error.filename else ""
        code = _told(f"error: {about}{error.strerror or error}", BAD_INPUT)
    except MemoryError:
        code = _told("error: not enough memory: ask for less at once", BAD_INPUT)
    except Exception as error:  # the last resort: everything else is a fault of ours
        if debug:
            traceback.print_exc()
        hint = "" if debug else f"; {DEBUG} shows where"
        code = _told(f"error: a fault of ours: {type(error).__name__}: {error}{hint}", CRASH)
    if code == INTERRUPTED:
        _told("interrupted", code)
    return code


def silence_stdout() -> None:
    """After a broken pipe: let the interpreter flush what is left into nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is not a file
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _replace_closed_streams() -> None:
    """Where stdout or stderr was closed (`>&-`), write into nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _bad_input(problems: Iterable[str]) -> int:
    lines = [_one_line(problem) for problem in problems]
    count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
    return _told("\n".join([f"error: {count} in the input", *lines]), BAD_INPUT)


def _one_line(text: str) -> str:
    """`text` with control characters spelled out, so that it stays one line."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _told(message: str, code: int) -> int:
    with contextlib.suppress(OSError):  # nobody listens
        print(message, file=sys.stderr, flush=True)
    return code
