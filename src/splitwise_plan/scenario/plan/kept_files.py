"""The files a scenario was made of, kept inside a plan, and a catalog that reads them there."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import tomllib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from splitwise_plan.errors import InputError, Problem, raise_if_any
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.files import FAMILY_FILES, KINDS, FactFiles, our_folder
from splitwise_plan.facts.source import FactSource
from splitwise_plan.facts.traces.read import TraceRead, parse_trace
from splitwise_plan.facts.traces.recognise import ReadAs
from splitwise_plan.paths import real
from splitwise_plan.scenario.scenario import Scenario

OUR_FOLDERS = ("hardware", "workloads")

MOST_BYTES = 2**28
"""Of one file, unpacked."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as it was read. `ours`: it came with splitwise-plan, and `path` is below its folder.

    Otherwise `path` is relative to the plan, or absolute.
    """

    path: str
    ours: bool
    sha256: str
    data: bytes

    @property
    def is_sound(self) -> bool:
        """Whether the content is what the sha256 says."""
        return hashlib.sha256(self.data).hexdigest() == self.sha256

    @property
    def kind(self) -> str | None:
        """The kind of fact, as in `files.KINDS`, or `families`; None for a trace or an SLO file."""
        path = PurePosixPath(self.path.replace(os.sep, "/"))
        if path.name == Path(FAMILY_FILES[0]).name:
            return "families"
        return _FOLDERS.get(path.parent.name)

    def called(self, folder: Path) -> Path:
        """What a scenario in `folder` calls the file."""
        return Path(self.path) if self.ours else (folder / self.path).absolute()


_FOLDERS = {Path(sub).name: kind for kind, subs in KINDS.items() for sub in subs}


def packed(data: bytes) -> str:
    """Bytes as lines of text."""
    return base64.encodebytes(zlib.compress(data, 9)).decode("ascii")


def unpacked(text: str) -> bytes:
    """The bytes that `packed` made text of. Raises `ValueError`."""
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode("".join(text.split()), validate=True), MOST_BYTES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ValueError(f"cannot be unpacked: {error}") from None
    if not stream.eof:
        raise ValueError(f"cannot be unpacked: it is cut off, or larger than {MOST_BYTES:,} bytes")
    return data


def files_of(scenario: Scenario, folder: Path) -> list[KeptFile]:
    """Every file of facts that a scenario was made of, for a plan in `folder`.

    They are in the order in which a catalog looks: where two know a family, the first counts.
    Raises `InputError` where one has changed since it was read.
    """
    found, problems = [], []
    for source in scenario.sources:
        one = _kept(source, folder)
        if one is None:
            what = "has changed since it was read: a plan keeps what its answer rests on"
            problems.append(Problem(source.path, what, "run it again"))
        else:
            found.append(one)
    raise_if_any(problems)
    asked = tomllib.loads(scenario.resolved_toml).get("hardware", [])
    folders = [relative(Path(one), folder) + "/" for one in asked]

    def place(one: KeptFile) -> tuple[bool, int, int, str]:
        inside = (at for at, name in enumerate(folders) if one.path.startswith(name))
        return one.ours, next(inside, len(folders)), -one.path.count("/"), one.path

    return sorted(found, key=place)


def _kept(source: FactSource, folder: Path) -> KeptFile | None:
    """The file that a source was read from, ours or the user's; None if its content is another."""
    path = source.location
    data = FactFiles(()).read(path) if path is not None and path.is_file() else b""
    if path is None or hashlib.sha256(data).hexdigest() != source.sha256:
        return None
    ours = any(path.is_relative_to(our_folder() / name) for name in OUR_FOLDERS)
    return KeptFile(source.path if ours else relative(path, folder), ours, source.sha256, data)


def relative(path: Path, folder: Path) -> str:
    """A path as seen from `folder`, where there is a way (on Windows: not to another drive)."""
    try:
        return Path(os.path.relpath(real(path), real(folder))).as_posix()
    except ValueError:
        return str(real(path))


@dataclass(slots=True)
class _KeptFiles(FactFiles):
    """Files in memory behind those on disk; `alone`: nothing on disk counts."""

    kept: Mapping[Path, KeptFile] = field(default_factory=dict)
    alone: bool = False

    def names(self, kind: str, suffix: str = ".toml") -> list[str]:
        names = {path.name for path, one in self.kept.items() if one.kind == kind}
        own = {name.removesuffix(suffix) for name in names if name.endswith(suffix)}
        return sorted(own.union([] if self.alone else FactFiles.names(self, kind, suffix)))

    def find(self, kind: str, name: str, suffix: str = ".toml") -> Path | None:
        found = None if self.alone else FactFiles.find(self, kind, name, suffix)
        same = (
            path
            for path, one in self.kept.items()
            if one.kind == kind and path.name == f"{name}{suffix}"
        )
        return found or next(same, None)

    def family_files(self) -> list[Path]:
        kept = [path for path, one in self.kept.items() if one.kind == "families"]
        return [*([] if self.alone else FactFiles.family_files(self)), *kept]

    def read(self, path: Path) -> bytes:
        one = self.kept.get(path)
        if one is not None:
            self._read[path] = FactSource(one.path, one.sha256)
            return one.data
        if self.alone:
            raise InputError([Problem(str(path), "no such file in the plan", "make a new plan")])
        return FactFiles.read(self, path)


class KeptCatalog(Catalog):
    """A catalog over kept files: `alone`, or for what is no longer on disk."""

    def __init__(
        self, kept: Mapping[Path, KeptFile], *, alone: bool, folders: tuple[Path, ...] = ()
    ) -> None:
        super().__init__(folders)
        self._kept, self._alone = kept, alone
        self._files = _KeptFiles(folders, kept=kept, alone=alone)

    def trace(self, path: Path, read_as: ReadAs | None = None) -> TraceRead:
        if path not in self._kept and not self._alone:
            return super().trace(path, read_as)
        return parse_trace(self._files.read(path), str(path), read_as)

    def below(self, folders: tuple[Path, ...]) -> Catalog:
        return KeptCatalog(self._kept, alone=self._alone, folders=(*folders, *self.folders))
