"""From the bytes of a file to its text: gzip by content, UTF-8, problems and no surprises."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from splitwise_plan.errors import InputError, Problem

GZIP_MAGIC = b"\x1f\x8b"


def read_bytes(path: Path) -> bytes:
    """Read a file whole. Raises `InputError` where it cannot be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


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
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(
                [Problem(where, f"broken gzip file: {error}", "copy it again")]
            ) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"is not UTF-8 text (byte {data[error.start]:#04x})"
        raise InputError([Problem(where, what, "save it as UTF-8", line)]) from None
