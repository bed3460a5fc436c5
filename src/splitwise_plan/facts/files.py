"""Where fact files are, and a record of those that were read."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.source import FactSource
from splitwise_plan.facts.text import MIB, decode, read_bytes, too_large
from splitwise_plan.facts.toml_lines import KeyPath, has_long_keys, key_lines, line_of
from splitwise_plan.suggest import did_you_mean

KINDS: dict[str, tuple[str, ...]] = {
    "machines": ("hardware/machines", "machines"),
    "links": ("hardware/links", "links"),
    "profiles": ("hardware/profiles", "profiles"),
    "assumptions": ("hardware/assumptions", "assumptions"),
    "prices": ("hardware/prices", "prices"),
    "llms": ("workloads/llms", "llms"),
    "lengths": ("workloads/lengths", "lengths"),
    "slos": ("workloads/slos", "slos"),
    "workloads": ("workloads",),
}
"""Folders of each kind of fact, below a folder of facts."""

SUFFIXES = {"profiles": ".csv", "lengths": ".csv"}
"""Of kinds of fact that are tables; the others are `.toml`."""

MOST_TEXT = 64 * MIB
"""Characters of TOML: a plan holds the files that it rests on."""

OUR_FOLDERS = ("hardware", "workloads")
ROOFLINE_FILES = ("hardware/roofline.toml", "roofline.toml")
FAMILY_FILES = ("hardware/families.toml", "families.toml")


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A parsed TOML file that still knows its name and lines."""

    where: str
    data: dict[str, Any]
    lines: dict[KeyPath, int]

    def problem(self, path: KeyPath, what: str, fix: str = "") -> Problem:
        return Problem(self.where, what, fix, line_of(self.lines, path))


def our_folder() -> Path:
    """The folder that holds our `hardware/` and `workloads/`: in the wheel, or the repository."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "shipped"
    return installed if (installed / "hardware").is_dir() else package.parents[1]


def name_alone(path: Path) -> str:
    """The name of a file or folder, whatever its place and however that is written."""
    return os.path.basename(os.path.abspath(path))


def folder_problems(folder: Path) -> Iterator[Problem]:
    """What makes a user's folder of facts useless: unknown names in it, or nothing at all."""
    known = {Path(sub).name for subs in KINDS.values() for sub in subs} | {"hardware", "workloads"}
    names = [path.name for path in sorted(folder.iterdir()) if path.is_dir()]
    for name in names:
        if name not in known and not name.startswith("."):
            fix = did_you_mean(name, sorted(known))
            what = f"no kind of fact is kept in a folder {name!r}"
            yield Problem(str(folder / name), what, fix)
    places = ("", *OUR_FOLDERS, *(sub for subs in KINDS.values() for sub in subs))
    files = (path for place in places for path in folder.joinpath(place).glob("*.*"))
    if not any(path.suffix in (".toml", ".csv") for path in files):
        yield Problem(str(folder), "no facts in it", "e.g. machines/<id>.toml")


@dataclass(slots=True)
class FactFiles:
    """Files below `folders`, the user's before ours; what is read is recorded in `sources`."""

    folders: tuple[Path, ...]
    ours: Path = field(default_factory=our_folder)
    _read: dict[Path, FactSource] = field(default_factory=dict)

    @property
    def sources(self) -> tuple[FactSource, ...]:
        """Every file read so far with its sha256, sorted by path."""
        return tuple(sorted(self._read.values(), key=lambda one: (one.path, one.sha256)))

    def names(self, kind: str, suffix: str = "") -> list[str]:
        """Ids of a kind of fact, sorted."""
        suffix = suffix or SUFFIXES.get(kind, ".toml")
        found = {
            path.name.removesuffix(suffix)
            for folder in self._folders(kind)
            for path in folder.glob(f"*{suffix}")
        }
        return sorted(found)

    def find(self, kind: str, name: str, suffix: str = ".toml") -> Path | None:
        """The first file of that name, or None."""
        if not name or "\0" in name or Path(name).name != name:
            return None
        candidates = (folder / f"{name}{suffix}" for folder in self._folders(kind))
        return next((path for path in candidates if path.is_file()), None)

    def family_ids(self) -> list[str]:
        """Ids of families, in the order of their files, as far as these are TOML."""
        return [
            *dict.fromkeys(id for path in self.family_files() for id in self.read_toml(path).data)
        ]

    def family_files(self) -> list[Path]:
        return self._existing(FAMILY_FILES)

    def roofline_file(self) -> Path:
        return self._existing(ROOFLINE_FILES)[0]

    def _existing(self, names: tuple[str, ...]) -> list[Path]:
        paths = [folder / name for folder in (*self.folders, self.ours) for name in names]
        return [path for path in paths if path.is_file()]

    def shown(self, path: Path) -> str:
        """A path as users see it: ours relative to our folder, theirs as they wrote it."""
        return (
            path.relative_to(self.ours).as_posix() if path.is_relative_to(self.ours) else str(path)
        )

    def read(self, path: Path) -> bytes:
        """Read a file and record its sha256. Raises `InputError`."""
        data = read_bytes(path)
        self.record(path, hashlib.sha256(data).hexdigest())
        return data

    def record(self, path: Path, sha256: str) -> None:
        """Record a file that was read by other means."""
        self._read[path.absolute()] = self._source(path, sha256)

    def _recorded(self, path: Path) -> str:
        """What a file is called whatever its place: `facts/machines/dgx-h200.toml`, `trace.csv`."""
        for folder in self.folders:
            if path.is_relative_to(folder):
                return (Path(name_alone(folder)) / path.relative_to(folder)).as_posix()
        return self.shown(path) if path.is_relative_to(self.ours) else path.name

    def read_text(self, path: Path) -> str:
        return decode(self.read(path), self.shown(path))

    def read_toml(self, path: Path) -> TomlFile:
        """Read and parse a TOML file. Raises `InputError` with the line of a syntax error."""
        return parse_toml(self.read_text(path), self.shown(path))

    def hidden_by(self, path: Path) -> Path | None:
        """The file of the same kind and id that `path` comes before, if there is one."""
        kind, name = self._named(path)
        if not name:
            return None
        same = [one for folder in self._folders(kind) if (one := folder / path.name).is_file()]
        return next(iter(same[same.index(path) + 1 :]), None) if path in same else None

    def _source(self, path: Path, digest: str) -> FactSource:
        kind, name = self._named(path)
        hidden = self.hidden_by(path)
        return FactSource(
            self._recorded(path),
            digest,
            path.absolute(),
            kind=kind,
            id=name,
            own=not any(path.is_relative_to(self.ours / folder) for folder in OUR_FOLDERS),
            hides=self._recorded(hidden) if hidden else "",
        )

    def _named(self, path: Path) -> tuple[str, str]:
        """Kind and id of a file in a folder of facts; nothing for others."""
        if path in self.family_files():
            return "families", ""
        kinds = (kind for kind in KINDS if path.parent in self._folders(kind))
        kind = next(kinds, "")
        return kind, path.stem if kind else ""

    def _folders(self, kind: str) -> list[Path]:
        return [folder / sub for folder in (*self.folders, self.ours) for sub in KINDS[kind]]


def parse_toml(text: str, where: str) -> TomlFile:
    """Parse TOML text; `where` names it in problems. Raises `InputError`."""
    if len(text) > MOST_TEXT:
        raise too_large(where, "text", MOST_TEXT)
    too_deep = InputError([Problem(where, "is nested too deeply", "flatten it")])
    if has_long_keys(text):
        raise too_deep
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise too_deep from None
    except ValueError as error:  # tomllib's own error is one; so is that of a 5,000-digit integer
        message, _, place = str(error).partition(" (at ")
        digits = place.removeprefix("line ").split(",")[0]
        last = text.rstrip().count("\n") + 1 if place.startswith("end") else None
        line = int(digits) if digits.isdigit() else last
        raise InputError([Problem(where, f"not TOML: {message}", "fix the syntax", line)]) from None
    return TomlFile(where, data, key_lines(text.replace("\r\n", "\n")))
