"""Result files: written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from splitwise_plan.errors import OutputError, Problem
from splitwise_plan.locks import locked
from splitwise_plan.paths import real

Writer = Callable[[TextIO], object]


def file_problem(flag: str, path: Path) -> Problem | None:
    """Why a file cannot be written at `path`, as far as can be told before; None if nothing is."""
    try:
        with suppress(FileNotFoundError):
            path.stat()  # raises for a link that leads to itself
        if path.is_dir():
            return Problem(flag, f"{path} is a folder", "name a file")
        if not path.parent.is_dir():
            return Problem(flag, f"{path.parent} is not a folder", "make it first")
        if not real(path).parent.is_dir():
            return Problem(flag, f"{path} is a link to nowhere", "choose another name")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            return Problem(flag, f"{path} cannot be written", "choose another place")
    except (OSError, ValueError) as error:
        return Problem(flag, f"not a usable path: {_reason(error)}", "choose another name")
    return None


def folder_problem(flag: str, path: Path) -> Problem | None:
    """Why `path` cannot be a folder of results; None if it can. It need not exist."""
    try:
        nearest = next(one for one in (path, *path.absolute().parents) if os.path.lexists(one))
        if not nearest.exists():
            return Problem(flag, f"{nearest} is a link to nowhere", "choose another name")
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
    _write_files({path: write})


def _write_files(files: Mapping[Path, Writer]) -> None:
    """All are filled before the first is put in its place: what fails to fill changes none."""
    filled: dict[Path, tuple[Path, Path]] = {}
    try:
        for path, write in files.items():
            with _told(path):
                target = real(path)
                if target.exists() and not target.is_file():
                    with target.open("w", encoding="utf-8", newline="") as stream:
                        write(stream)
                    continue
                temporary = target.with_name(f"{_temporary(target)}{secrets.token_hex(4)}")
                filled[path] = temporary, target
                with temporary.open("x", encoding="utf-8", newline="") as stream:
                    write(stream)
                    stream.flush()
                    os.fsync(stream.fileno())
        for path, (temporary, target) in filled.items():
            with _told(path):
                temporary.replace(target)
    finally:
        for temporary, _ in filled.values():
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Whatever keeps a file from being written is an `OutputError` that names it."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise OutputError(f"{path} was not written: {_reason(error)}") from None


def _temporary(target: Path) -> str:
    """How the names of the temporary files of a file begin; eight hexadecimal digits follow."""
    return f".{target.name[:80]}."


def _sweep(path: Path) -> None:
    """Remove temporary files of a file, left behind by a run that was killed."""
    target = real(path)
    begins = _temporary(target)
    with suppress(OSError):
        for one in target.parent.iterdir():
            rest = one.name.removeprefix(begins)
            if rest != one.name and len(rest) == 8 and set(rest) <= set("0123456789abcdef"):
                one.unlink(missing_ok=True)


def append_file(path: Path, write: Writer) -> None:
    """Let `write` add to the end of a file that others write to as well. Raises `OutputError`."""
    with _told(path), path.open("a", encoding="utf-8", newline="") as stream:
        write(stream)


def write_folder(folder: Path, files: Mapping[str, Writer]) -> None:
    """Write several files into a folder, made if need be, as are those in it (`figures/a.svg`).

    All are whole before the first is put in its place; until then those of an earlier run stay as
    they are. Raises `OutputError`.
    """
    for place in (folder, *sorted({(folder / name).parent for name in files} - {folder})):
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{place} was not made: {_reason(error)}") from None
    with _alone_in(folder):
        for name in files:
            _sweep(folder / name)
        _write_files({folder / name: write for name, write in files.items()})


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Let another run that is writing into a folder finish first: files of one run go together."""
    try:
        held = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows opens no folders
        yield
        return
    try:
        locked(held, wait=True)
        yield
    finally:
        os.close(held)


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
