"""Values as TOML text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

WIDTH = 80
"""Longer lists have a line for each item."""


def string(value: object) -> str:
    """A TOML basic string."""
    escaped = "".join(_character(character) for character in str(value))
    return f'"{escaped}"'


def quantity(value: float, unit: str) -> str:
    """A number with its unit, as an inline table."""
    return f"{{ value = {value!r}, unit = {string(unit)} }}"


def value(of: Any) -> str:
    """A string, number, boolean, list, or a mapping as an inline table."""
    if isinstance(of, bool):
        return "true" if of else "false"
    if isinstance(of, int | float):
        return repr(of)
    if isinstance(of, list | tuple):
        items = [value(one) for one in of]
        if sum(map(len, items)) > WIDTH:
            return "".join(["[\n", *(f"    {item},\n" for item in items), "]"])
        return f"[{', '.join(items)}]"
    if isinstance(of, Mapping):
        inside = ", ".join(f"{_key(name)} = {value(one)}" for name, one in of.items())
        return f"{{ {inside} }}"
    return string(of)


def table(path: tuple[str, ...], content: Mapping[str, Any]) -> Iterator[str]:
    """Lines of the table at `path`. Mappings in it are tables below it, quantities are inline.

    Keys whose value is None are left out.
    """
    below = {name: one for name, one in content.items() if _is_table(one)}
    own = [name for name in content if name not in below and content[name] is not None]
    if own or not below:
        yield f"[{'.'.join(map(_key, path))}]"
    yield from (f"{_key(name)} = {value(content[name])}" for name in own)
    for number, (name, one) in enumerate(below.items()):
        if own or number:
            yield ""
        yield from table((*path, name), one)


def _is_table(one: Any) -> bool:
    return isinstance(one, Mapping) and "value" not in one


def _key(name: str) -> str:
    bare = name.replace("_", "").replace("-", "")
    return name if bare.isascii() and bare.isalnum() else string(name)


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    control = character < " " or character == "\x7f"
    return f"\\u{ord(character):04x}" if control else character
