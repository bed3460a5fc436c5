"""Result files: written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TextIO

from splitwise_plan.errors import OutputError, Problem

Writer = Callable[[TextIO], object]


def file_problem(flag: str, path: Path) -> Problem | None:
    """Why a file cannot be written at `path`, as far as can be told before; None if nothing is."""
    try:
        if path.is_dir():
            return Problem(flag, f"{path} is a folder", "name a file")
        if not path.parent.is_dir():
            return Problem(flag, f"{path.parent} is not a folder", "make it first")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            return Problem(flag, f"{path} cannot be written", "choose another place")
    except (OSError, ValueError) as error:
        return Problem(flag, f"not a usable path: {_reason(error)}", "choose another name")
    return None


def folder_problem(flag: str, path: Path) -> Problem | None:
    """Why `path` cannot be a folder of results; None if it can. It need not exist."""
    try:
        nearest = next(one for one in (path, *path.absolute().parents) if one.exists())
        if not nearest.is_dir():
            return Problem(flag, f"{nearest} is a file", "name a folder")
        if not os.access(nearest, os.W_OK):
            return Problem(flag, f"{nearest} cannot be written", "choose another place")
    except (OSError, ValueError) as error:
        return Problem(flag, f"not a usable path: {_reason(error)}", "choose another name")
    return None


def write_file(path: Path, write: Writer) -> None:
    """Let `write` fill a temporary file beside `path`, then put it in its place.

    What is not a file (a pipe, a terminal) is written directly. Raises `OutputError`.
    """
    target = path.resolve()
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", newline="") as stream:
                write(stream)
            return
        temporary = target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}")
        try:
            with temporary.open("x", encoding="utf-8", newline="") as stream:
                write(stream)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError(f"{path} was not written: {_reason(error)}") from None


def append_file(path: Path, write: Writer) -> None:
    """Let `write` add to the end of a file that others write to as well. Raises `OutputError`."""
    try:
        with path.open("a", encoding="utf-8", newline="") as stream:
            write(stream)
    except (OSError, ValueError) as error:
        raise OutputError(f"{path} was not written: {_reason(error)}") from None


def write_folder(folder: Path, files: Mapping[str, Writer]) -> None:
    """Write several files into a folder, made if need be, as are those in it (`figures/a.svg`).

    Raises `OutputError`.
    """
    for place in {folder, *((folder / name).parent for name in files)}:
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{place} was not made: {_reason(error)}") from None
    for name, write in files.items():
        write_file(folder / name, write)


def new_file_problems(folder: Path, names: Iterable[str]) -> list[Problem]:
    """Files that exist where new ones are to be written."""
    there = [folder / name for name in names if os.path.lexists(folder / name)]
    return [Problem(str(path), "exists, and is not overwritten", "move it away") for path in there]


def write_new_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files that do not exist yet, all of them or none. Raises `OutputError`."""
    made: list[Path] = []
    try:
        for name, text in texts.items():
            path = folder / name
            for missing in [one for one in path.parents if not one.exists()][::-1]:
                missing.mkdir()
                made.append(missing)
            write_file(path, text_writer(text))
            made.append(path)
    except BaseException as error:
        for path in reversed(made):
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OutputError(f"{folder} was not written: {_reason(error)}") from None
        raise


def text_writer(text: str) -> Writer:
    """A writer of `text`."""
    return lambda stream: stream.write(text)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
