"""From a scenario file and flags to the loads that one plan must serve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from splitwise_plan.errors import InputError, Problem, raise_if_any
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.files import FactFiles, TomlFile
from splitwise_plan.facts.problems import sorted_problems, validate
from splitwise_plan.facts.source import FactSource
from splitwise_plan.scenario.layers import merge
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.loads.as_toml import resolved_toml
from splitwise_plan.scenario.loads.growth import Growth, parse_day, parse_growth
from splitwise_plan.scenario.loads.layers import (
    dropped_keys,
    merged,
    own_keys,
    placed,
    table_problems,
    without,
)
from splitwise_plan.scenario.loads.schema import Load, LoadKeys, LoadSet
from splitwise_plan.scenario.loads.words import table_of
from splitwise_plan.scenario.scenario import Scenario

DEFAULT_LOADS = ("x1", "x1.2", "spike")
STEPS = 50
"""Capacities are found in steps of the rate over this, where no step is given."""

_KEYS = tuple(LoadKeys.model_fields)


def load_loads(  # noqa: PLR0913
    catalog: Catalog,
    path: Path | None,
    overrides: Mapping[str, Any],
    *,
    words: Sequence[str] | None = None,
    choose: str | None = None,
    growth: tuple[str | None, str | None] = (None, None),
    amplitude: float | None = None,
    default: Sequence[str] = DEFAULT_LOADS,
) -> LoadSet:
    """Load a scenario and its loads; flags replace what the file says.

    `words`: loads in a word each (`load_words`); `default`: where the file has none either.
    `growth`: as text, and the day it starts from. `amplitude`: of a day. Raises `InputError` with
    everything that is wrong.
    """
    whole = FactFiles(()).read_toml(path) if path is not None else None
    file, own = _split(whole)
    place = whole.problem if whole else partial(_of_flags, None)
    given = {**own, **({"choose": choose} if choose else {})}
    problems: list[Problem] = []
    base: Scenario | None = None
    keys = LoadKeys()
    try:
        keys = validate(LoadKeys, given, partial(_of_flags, place) if choose else place)
    except InputError as error:
        problems += error.problems
    try:
        base = load_scenario(catalog, file, overrides)
    except InputError as error:
        problems += error.problems
    if base is None or problems:
        raise InputError(sorted_problems(problems))
    grown = _growth(keys, growth, base, place)
    raise_if_any(_useless(base, place, grown))
    if words is not None or keys.loads is None:
        known = _with_folders(catalog, file, overrides)
        tables = _of_words(default if words is None else words, base, known)
        loads = [_word_load(catalog, file, overrides, base, one) for one in tables]
    else:
        tables = [dict(one) for one in own["loads"]]
        loads = _file_loads(catalog, whole, file, overrides, base, tables)
    step = keys.growth.rate_step.si if keys.growth and keys.growth.rate_step else None
    rate = base.arrivals.rate_rps
    step = step or (rate / STEPS if rate else base.rate_step_rps)
    if amplitude is None and keys.day is not None:
        amplitude = keys.day.amplitude
    told = partial(
        resolved_toml,
        tables=tables,
        choose=keys.choose,
        growth=grown,
        step=step,
        amplitude=amplitude,
    )
    base = replace(
        base,
        sources=_sources([base, *(one.scenario for one in loads)]),
        resolved_toml=told(base.resolved_toml, folder=path.parent if path else Path()),
        portable_toml=told(base.portable_toml, folder=None),
    )
    return LoadSet(base, tuple(loads), keys.choose, grown, step, amplitude)


def _split(file: TomlFile | None) -> tuple[TomlFile | None, dict[str, Any]]:
    """The scenario without the keys that are about several loads, and those."""
    if file is None:
        return None, {}
    own = {key: value for key, value in file.data.items() if key in _KEYS}
    rest = {key: value for key, value in file.data.items() if key not in _KEYS}
    return replace(file, data=rest), own


def _of_flags(place: Any, path: Any, what: str, fix: str = "") -> Problem:
    """A problem of `--choose`, or else at its place."""
    if place is None or path[:1] == ("choose",):
        return Problem(f"--{path[0]}", what, fix)
    problem: Problem = place(path, what, fix)
    return problem


def _growth(
    keys: LoadKeys, flags: tuple[str | None, str | None], base: Scenario, place: Any
) -> Growth | None:
    """The growth, of flags or of `[growth]`."""
    text, start = flags
    if text is None and start is None and keys.growth is None:
        return None
    text = text or (keys.growth.rate if keys.growth else None)
    start = start or (keys.growth.start if keys.growth else None)
    if text is None or start is None:
        missing, other = ("--growth", "--from") if text is None else ("--from", "--growth")
        example = "'30 %/year'" if text is None else "2026-11-30"
        raise InputError([Problem(missing, f"is missing beside {other}", f"e.g. {example}")])
    try:
        return parse_growth(text, parse_day(start))
    except InputError as error:
        of_flags = {"growth": flags[0] is not None, "from": flags[1] is not None}
        raise InputError(
            Problem(f"--{one.where}", one.what, one.fix)
            if of_flags[one.where]
            else place(("growth", "rate" if one.where == "growth" else "from"), one.what, one.fix)
            for one in error.problems
        ) from None


def _useless(base: Scenario, place: Any, growth: Growth | None) -> Iterator[Problem]:
    if base.maximize is not None:
        yield place(("maximize",), "loads are given, not looked for", "give rate and minimize")
    if base.method == "optuna":
        what = "several loads are gone through, not sampled"
        yield place(("method",), what, "drop it, and narrow the ranges")
    if growth is not None and base.arrivals.rate_rps is None and base.maximize is None:
        yield place(("growth",), "growth needs a rate to start from", "give rate")


def _with_folders(catalog: Catalog, file: TomlFile | None, overrides: Mapping[str, Any]) -> Catalog:
    """The catalog with the scenario's own folders of facts."""
    layers = merge(file, overrides)
    named = layers.data.get("hardware", [])
    folders = [named] if isinstance(named, str) else named
    return catalog.below(tuple(layers.folder_of("hardware") / one for one in folders))


def _of_words(words: Sequence[str], base: Scenario, catalog: Catalog) -> list[dict[str, Any]]:
    """The tables of words; unknown ones, and names that are there twice, are problems."""
    tables: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for word in words:
        try:
            tables.append(table_of(word, base, catalog))
        except InputError as error:
            problems += error.problems
    names = [one["name"] for one in tables]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        problems.append(Problem("--loads", f"{name} is listed twice", "list it once"))
    raise_if_any(problems)
    return tables


def _word_load(
    catalog: Catalog,
    file: TomlFile | None,
    overrides: Mapping[str, Any],
    base: Scenario,
    table_: Mapping[str, Any],
) -> Load:
    """A load that flags ask for: what is wrong with it is wrong with `--loads`."""
    own = own_keys(table_, base)
    dropped = dropped_keys(own)
    below = without(file, dropped) if file else None
    rest = {key: one for key, one in overrides.items() if key not in dropped}
    try:
        return Load(table_["name"], load_scenario(catalog, below, {**rest, **own}))
    except InputError as error:
        raise InputError(
            replace(one, where="--loads", what=f"{table_['name']}: {one.what}")
            for one in error.problems
        ) from None


def _file_loads(  # noqa: PLR0913, PLR0917
    catalog: Catalog,
    whole: TomlFile | None,
    file: TomlFile | None,
    overrides: Mapping[str, Any],
    base: Scenario,
    tables: Sequence[Mapping[str, Any]],
) -> list[Load]:
    """The loads of `[[loads]]`: what is wrong with one is told by its lines."""
    if whole is None or file is None:
        raise ValueError("tables come from a file")
    loads, problems = [], list(table_problems(whole, base, tables))
    for at, one in enumerate(tables):
        try:
            own = own_keys(one, base)
            below = merged(whole, file, at, own)
            rest = {key: v for key, v in overrides.items() if key not in (*own, *dropped_keys(own))}
            asked = load_scenario(catalog, below, rest)
            loads.append(Load(one["name"], asked, one.get("hours")))
        except InputError as error:
            problems += [placed(whole, at, problem) for problem in error.problems]
    raise_if_any(sorted_problems(problems))
    return loads


def _sources(scenarios: Sequence[Scenario]) -> tuple[FactSource, ...]:
    """Every file that any of the loads comes from."""
    found = {(one.path, one.sha256): one for asked in scenarios for one in asked.sources}
    return tuple(found[key] for key in sorted(found))
