"""From the bytes of a file to its text: gzip by content, UTF-8, problems and no surprises."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from splitwise_plan.errors import InputError, Problem

_GZIP_MAGIC = b"\x1f\x8b"


def read_bytes(path: Path) -> bytes:
    """Read a file whole. Raises `InputError` where it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        problem = Problem(str(path), "no such file", "check the path")
    except IsADirectoryError:
        problem = Problem(str(path), "is a folder, not a file", "name a file inside it")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = Problem(str(path), f"cannot be read: {reason}", "check its permissions")
    raise InputError([problem])


def decode(data: bytes, where: str) -> str:
    """Return the text of `data`, unpacked if it is gzip. Raises `InputError` if it is not text."""
    if data.startswith(_GZIP_MAGIC):
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
