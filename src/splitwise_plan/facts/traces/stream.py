"""A file as a stream: unpacked if it is gzip, its sha256 taken on the way, never held whole."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.text import GZIP_MAGIC, MIB, MOST_BYTES, too_large, unreadable

BLOCK = MIB
MOST_OF_A_LINE = 16 * MIB
"""Of CSV; all of a JSON document may stand in one line."""
PARQUET_MAGIC = b"PAR1"
_BOM = b"\xef\xbb\xbf"


class _Hashing(io.RawIOBase):
    """Passes bytes on, and takes their sha256."""

    def __init__(self, raw: BinaryIO) -> None:
        self.raw = raw
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self.raw.read(len(buffer))
        self.digest.update(data)
        buffer[: len(data)] = data
        return len(data)


class Stream:
    """The bytes of a trace. `where` names it in problems."""

    def __init__(self, raw: BinaryIO, where: str) -> None:
        self.raw, self.where = raw, where
        self._hashing = _Hashing(raw)
        self._packed = io.BufferedReader(self._hashing, BLOCK)
        self._data: Any = self._packed
        if self._packed.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
            self._data = io.BufferedReader(gzip.GzipFile(fileobj=self._packed), BLOCK)
        self.is_parquet = self._peek(len(PARQUET_MAGIC)) == PARQUET_MAGIC

    @property
    def is_json(self) -> bool:
        return self._peek(BLOCK).removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")

    def lines(self) -> Iterator[str]:
        """Lines with their ends. Raises `InputError` where they are broken, or no text."""
        number = 0
        most = MOST_BYTES if self.is_json else MOST_OF_A_LINE
        try:
            for number, line in enumerate(iter(partial(self._data.readline, most), b""), start=1):
                if len(line) == most:
                    raise too_large(f"{self.where}:{number}", "line", most)
                yield (line.removeprefix(_BOM) if number == 1 else line).decode()
        except UnicodeDecodeError as error:
            what = f"is not UTF-8 text (byte {error.object[error.start]:#04x})"
            raise InputError([Problem(self.where, what, "save it as UTF-8", number)]) from None
        except (EOFError, zlib.error, OSError) as error:
            raise self._broken(error) from None

    def sha256(self) -> str:
        """The sha256 of the file, what is left of it read to the end."""
        if self.is_parquet:  # read by other means, here and there
            self.raw.seek(0)
            self._hashing = _Hashing(self.raw)
            self._packed = io.BufferedReader(self._hashing, BLOCK)
        while self._packed.read(BLOCK):
            pass
        return self._hashing.digest.hexdigest()

    def _peek(self, size: int) -> bytes:
        try:
            found: bytes = self._data.peek(size)[:size]
        except (EOFError, zlib.error, OSError) as error:
            raise self._broken(error) from None
        return found

    def _broken(self, error: Exception) -> InputError:
        packed = self._data is not self._packed
        what = f"broken gzip file: {error}" if packed else f"cannot be read: {error}"
        return InputError([Problem(self.where, what, "copy it again")])


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file for reading. Raises `InputError` where it cannot be opened."""
    try:
        with path.open("rb") as raw:
            yield raw
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
