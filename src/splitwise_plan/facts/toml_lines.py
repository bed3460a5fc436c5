"""On which line of a TOML text each key stands, which `tomllib` does not tell.

Only for texts that `tomllib` accepts: this scanner follows keys, it does not check anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

KeyPath = tuple[str | int, ...]

_PART = r"""\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|'(?P<literal>[^']*)'|(?P<bare>[A-Za-z0-9_-]+))\s*"""
_KEY_PART = re.compile(_PART)
_HEADER = re.compile(r"^\s*(\[\[?)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the 1-based line of every table and key, by its path from the top.

    Entries of arrays of tables have their index in the path: `("machines", 0, "cost")`.
    Keys inside inline tables are not listed; `line_of` answers with the line of the table.
    """
    lines: dict[KeyPath, int] = {}
    arrays: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for number, line in _statements(text):
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
        while rest:
            if quotes:
                end = rest.find(quotes)
                if end < 0:
                    break
                rest, quotes = rest[end + 3 :], ""
            elif rest.startswith(('"""', "'''")):
                quotes, rest = rest[:3], rest[3:]
            elif string := _STRING.match(rest):
                rest = rest[string.end() :]
            elif rest[0] == "#":
                break
            else:
                depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(rest[0], 0)
                rest = rest[1:]
