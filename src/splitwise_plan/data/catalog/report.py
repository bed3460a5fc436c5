"""Facts as their files have them: value, unit and source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement, Tone, words
from splitwise_plan.report.report import Report

CATALOG = "splitwise-plan/catalog/1"
COLUMNS = ("fact", "value", "unit", "source")


class Entry(NamedTuple):
    """One fact of a file. `source`: where it comes from, or the comment above it."""

    fact: str
    value: str
    unit: str
    source: str


class FactFile(NamedTuple):
    """One file, or a part of one, that an id stands for."""

    kind: str
    path: str
    entries: tuple[Entry, ...]
    hides: str = ""
    """The file of the same id that this one comes before."""

    @property
    def title(self) -> str:
        """Where these facts are from."""
        return self.path + (f" (before {self.hides})" if self.hides else "")


def entries_of(table: Mapping[str, Any], text: str) -> Iterator[Entry]:
    """The facts of a TOML table; `text` is the file, whose comments explain plain values."""
    comments = _comments(text)
    for path, value in _flat(table, ""):
        if isinstance(value, Mapping):
            source = str(value.get("source", ""))
            told = f"assumed: {source}" if value.get("assumed") else source
            yield Entry(path, _value(value), str(value.get("unit", "")), told)
        else:
            yield Entry(path, _shown(value), "", comments.get(path.split(".")[-1], ""))


def entries_of_csv(text: str) -> Iterator[Entry]:
    """What the comments above a table say of it, its columns, and how many rows it has."""
    lines = text.splitlines()
    comments = [line.lstrip("# ") for line in lines if line.startswith("#")]
    header, *rows = [line for line in lines if line and not line.startswith("#")]
    told = dict(comment.split(": ", 1) for comment in comments if ": " in comment)
    source, units = told.get("source", ""), told.get("units", "")
    yield Entry("table", comments[0] if comments else "", "", source)
    yield Entry("columns", header.replace(",", ", "), units, "")
    yield Entry("rows", f"{len(rows):,}", "rows", told.get("derived by", source))


def show(name: str, files: list[FactFile]) -> Report:
    """The report on the files of an id."""
    sheets = tuple(
        Sheet(_columns(), tuple(_row(entry) for entry in file.entries), file.title)
        for file in files
    )
    kinds = ", ".join(file.kind for file in files)
    page = Page(name, (Statement("Id", (f"{name} ({kinds})",)),), sheets)
    listed = [
        {
            "kind": one.kind,
            "path": one.path,
            "hides": one.hides,
            "facts": [entry._asdict() for entry in one.entries],
        }
        for one in files
    ]
    rows = [(one.kind, one.path, *entry) for one in files for entry in one.entries]
    document = {"schema": CATALOG, "id": name, "files": listed}
    return Report(page, document, [("kind", "path", *COLUMNS), *rows])


def index(ids: Mapping[str, list[str]]) -> Report:
    """The report on the ids of each kind."""
    facts = tuple(Statement(kind, (", ".join(names) or "-",)) for kind, names in ids.items())
    rows = [(kind, name) for kind, names in ids.items() for name in names]
    page = Page("Catalog", facts, ())
    return Report(page, {"schema": CATALOG, "kinds": dict(ids)}, [("kind", "id"), *rows])


def _columns() -> tuple[Column, ...]:
    text = words("fact")
    return (text, words("value"), words("unit"), words("source"))


def _row(entry: Entry) -> tuple[Cell, ...]:
    tone: Tone = "bad" if entry.source.startswith("assumed") else ""
    return (Cell(entry.fact), Cell(entry.value), Cell(entry.unit), Cell(entry.source, tone))


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """Keys with dots between tables; a table with a unit is one value."""
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and "unit" not in value:
            yield from _flat(value, path + ".")
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            yield from _flat({str(number): one for number, one in enumerate(value, 1)}, path + ".")
        else:
            yield path, value


def _value(quantity: Mapping[str, Any]) -> str:
    if "low" in quantity:
        return f"{quantity['low']} to {quantity.get('high')}"
    return _shown(quantity.get("value"))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _comments(text: str) -> dict[str, str]:
    """The comment right above each key."""
    found: dict[str, str] = {}
    above: list[str] = []
    for line in text.splitlines():
        if line.startswith("#"):
            above.append(line.lstrip("# "))
            continue
        key, equals, _ = line.partition("=")
        if equals and above:
            found[key.strip()] = " ".join(above)
        above = []
    return found
