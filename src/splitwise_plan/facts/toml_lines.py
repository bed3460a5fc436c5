"""On which line of a TOML text each key stands, which `tomllib` does not tell.

Only for texts that `tomllib` accepts: this scanner follows keys, it does not check anything.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

KeyPath = tuple[str | int, ...]

_PART = r"""\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|'(?P<literal>[^']*)'|(?P<bare>[A-Za-z0-9_-]+))\s*"""
_KEY_PART = re.compile(_PART)
_HEADER = re.compile(r"^\s*(\[\[?)")
_NOT_KEY = re.compile(r"[=,{}\[\]]|#.*")
_TOKEN = re.compile(
    r"""(?P<long>"{3}|\'{3})|"(?:[^"\\]|\\.)*"|\'[^\']*\'|(?P<comment>\#)|(?P<bracket>[\[\]{}])"""
)

MOST_PARTS = 100
"""Of a dotted key. `tomllib`, and what works on its tables, takes the square of that or more."""
MOST_LINES = 100_000
"""Keys whose lines are noted: problems with others are told with the last of these."""


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the 1-based line of every table and key, by its path from the top.

    Entries of arrays of tables have their index in the path: `("machines", 0, "cost")`.
    Keys inside inline tables are not listed; `line_of` answers with the line of the table.
    """
    lines: dict[KeyPath, int] = {}
    arrays: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for number, line in itertools.islice(_statements(text), MOST_LINES):
        header = _HEADER.match(line)
        if header is None:
            names, _ = _keys(line)
            for depth in range(1, len(names) + 1):
                lines.setdefault((*table, *names[:depth]), number)
            continue
        names, _ = _keys(line[header.end() :])
        table = ()
        for depth, name in enumerate(names, start=1):
            table = (*table, name)
            if header[1] == "[[" and depth == len(names):
                arrays[table] = arrays.get(table, -1) + 1
            if table in arrays:
                lines.setdefault(table, number)
                table = (*table, arrays[table])
            lines.setdefault(table, number)
    return lines


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of `path`, or of the nearest thing around it, or None at the top."""
    for depth in range(len(path), 0, -1):
        if path[:depth] in lines:
            return lines[path[:depth]]
    return None


def has_long_keys(text: str) -> bool:
    """Whether a line has a dotted key of more than `MOST_PARTS` parts. For texts of any kind."""
    return any(
        part.count(".") > MOST_PARTS
        for line in text.split("\n")
        if line.count(".") > MOST_PARTS
        for part in _NOT_KEY.split(line.replace('"', "").replace("'", ""))
    )


def _keys(text: str) -> tuple[list[str], str]:
    """Split the dotted key that `text` begins with from the rest."""
    names: list[str] = []
    while match := _KEY_PART.match(text):
        names.append(next(part for part in match.groups() if part is not None))
        text = text[match.end() :]
        if not text.startswith("."):
            break
        text = text[1:]
    return names, text


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line number, line) where a header or a key begins, skipping values over many lines."""
    depth, quotes = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        starts_here = depth == 0 and not quotes
        rest = line
        if starts_here:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            yield number, line
            if _HEADER.match(line):
                continue
            _, rest = _keys(line)
        at = 0
        while True:
            if quotes:
                end = rest.find(quotes, at)
                if end < 0:
                    break
                at, quotes = end + 3, ""
            token = _TOKEN.search(rest, at)
            if token is None or token["comment"]:
                break
            at = token.end()
            quotes = token["long"] or ""
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token["bracket"] or "", 0)
