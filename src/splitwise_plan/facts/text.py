"""From the bytes of a file to its text: gzip by content, UTF-8, problems and no surprises."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import IO

from splitwise_plan.errors import InputError, Problem

GZIP_MAGIC = b"\x1f\x8b"
MIB = 2**20
MOST_BYTES = 256 * MIB
"""Of a file that is read whole, also when it is unpacked."""


def read_bytes(path: Path) -> bytes:
    """Read a file whole. Raises `InputError` where it cannot be read, or does not end."""
    try:
        with path.open("rb") as raw:
            data = _at_most(raw, MOST_BYTES)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if data is None:
        raise too_large(str(path), "file", MOST_BYTES)
    return data


def _at_most(stream: IO[bytes] | gzip.GzipFile, most: int) -> bytes | None:
    """All that is in a stream; None if it is more than `most` bytes."""
    blocks, size = [], 0
    while block := stream.read(MIB):
        size += len(block)
        if size > most:
            return None
        blocks.append(block)
    return b"".join(blocks)


def too_large(where: str, what: str, most: int) -> InputError:
    """A file, or a line of it, of more bytes than are read."""
    told = f"the {what} has more than {most // MIB} MiB"
    return InputError([Problem(where, told, "is it the right file? else make it smaller")])


def unreadable(path: Path, error: OSError | ValueError) -> InputError:
    """Why a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        return InputError([Problem(str(path), "no such file", "check the path")])
    if isinstance(error, IsADirectoryError):
        return InputError([Problem(str(path), "is a folder, not a file", "name a file inside it")])
    reason = getattr(error, "strerror", None) or str(error)
    return InputError([Problem(str(path), f"cannot be read: {reason}", "check its permissions")])


def decode(data: bytes, where: str) -> str:
    """Return the text of `data`, unpacked if it is gzip. Raises `InputError` if it is not text."""
    if data.startswith(GZIP_MAGIC):
        try:
            unpacked = _at_most(gzip.GzipFile(fileobj=io.BytesIO(data)), MOST_BYTES)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(
                [Problem(where, f"broken gzip file: {error}", "copy it again")]
            ) from None
        if unpacked is None:
            raise too_large(where, "unpacked file", MOST_BYTES)
        data = unpacked
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"is not UTF-8 text (byte {data[error.start]:#04x})"
        raise InputError([Problem(where, what, "save it as UTF-8", line)]) from None
