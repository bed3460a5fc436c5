"""A scenario file and the flags that override it, merged, with the origin of each key kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from splitwise_plan.errors import Problem
from splitwise_plan.facts.files import TomlFile
from splitwise_plan.facts.toml_lines import KeyPath
from splitwise_plan.scenario.arrivals.keys import SHAPES

_LENGTHS = ("workload", "trace")
_OF_TRACE = ("trace_window", "trace_speed")
_PROCESS = ("arrivals", "burstiness", *SHAPES)
_ARRIVALS = ("rate", "duration", "horizon", *_PROCESS)
_SEEDS = ("seed", "seeds", "max_seeds")
_COUNTS = ("machines", "prompt_machines", "token_machines")
_MAXIMIZE = ("maximize", "power_budget", "cost_budget")


@dataclass(frozen=True, slots=True)
class Layers:
    """What a scenario says in all, and where each part of it was said."""

    file: TomlFile | None
    overrides: Mapping[str, Any]
    data: Mapping[str, Any]
    flags: Mapping[str, str] = field(default_factory=dict)
    """Flags whose name is not that of the key."""

    def place(self, path: KeyPath, what: str, fix: str = "") -> Problem:
        """A problem at a key: at its flag, or its line in the file."""
        if path and _holds(self.overrides, path):
            return Problem(_flag((self.flags.get(str(path[0]), path[0]), *path[1:])), what, fix)
        if self.file is None:
            return Problem("scenario", what, fix)
        return self.file.problem(path, what, fix)

    def folder_of(self, key: str) -> Path:
        """What relative paths under `key` are relative to: the file's folder, or here."""
        if key in self.overrides or self.file is None:
            return Path()
        return Path(self.file.where).parent


def merge(file: TomlFile | None, overrides: Mapping[str, Any]) -> Layers:
    """Lay `overrides` over the file. Flags whose value is None do not count.

    A trace or a workload on the command line replaces the file's, whichever that has; a trace also
    replaces the file's arrivals, so that it replays its own unless a rate is given with it; one
    that replays its own has no use for the file's seeds either. Another arrival process may have no
    steady state: the file's horizon was about its own. Machine counts for all families
    replace those of each, `minimize` a `maximize` with its budgets, and `prices` the region, which
    is one of the price file.
    """
    given = {key: value for key, value in overrides.items() if value is not None}
    one = "family" in given
    if one:
        given["families"] = given.pop("family")
    base = dict(file.data) if file else {}
    if any(key in given for key in _LENGTHS):
        dropped = _LENGTHS + _OF_TRACE + (_ARRIVALS if "trace" in given else ())
        dropped += _SEEDS if "trace" in given and "rate" not in given else ()
        base = {key: value for key, value in base.items() if key not in dropped}
    if any(key in given for key in _PROCESS):
        base.pop("horizon", None)
    if "minimize" in given:
        base = {key: value for key, value in base.items() if key not in _MAXIMIZE}
    if "prices" in given:
        base.pop("region", None)
    counts = [key for key in _COUNTS if key in given]
    if counts and isinstance(base.get("ranges"), Mapping):
        base["ranges"] = {name: _without(table, counts) for name, table in base["ranges"].items()}
    return Layers(file, given, _over(base, given), {"families": "family"} if one else {})


def _without(table: Any, keys: list[str]) -> Any:
    """A table without `keys`; anything else as it is."""
    if not isinstance(table, Mapping):
        return table
    return {key: value for key, value in table.items() if key not in keys}


def _over(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `top` over it; tables are merged, anything else is replaced."""
    merged = dict(base)
    for key, value in top.items():
        below = merged.get(key)
        if (
            key in ("scheduler", "ranges")
            and isinstance(value, Mapping)
            and isinstance(below, Mapping)
        ):
            merged[key] = _over(below, value) if key == "scheduler" else {**below, **value}
        else:
            merged[key] = value
    return merged


def _holds(data: Any, path: KeyPath) -> bool:
    """Whether the overrides speak about `path`, or about something around it."""
    for part in path:
        if not isinstance(data, Mapping):
            return True
        if part not in data:
            return "value" in data
        data = data[part]
    return True


def _flag(path: KeyPath) -> str:
    """The flag of a key: `--rate`; `--prompt-machines` for a range; `--max-passes`."""
    names = [str(part) for part in path if isinstance(part, str) and part not in ("value", "unit")]
    if names[0] == "ranges":
        names = names[2:] or names
    elif names[0] == "scheduler":
        names = names[1:] or names
    return "--" + names[0].replace("_", "-")
