"""A load of `[[loads]]` laid over the scenario: which keys it replaces, and their lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from splitwise_plan.errors import Problem
from splitwise_plan.facts import mixes
from splitwise_plan.facts.files import TomlFile
from splitwise_plan.scenario.loads.schema import ARRIVALS, LENGTHS, SEEDS
from splitwise_plan.scenario.scenario import Scenario

NOT_OF_SCENARIO = ("name", "rate_factor", "hours", "mix")


def own_keys(table_: Mapping[str, Any], base: Scenario) -> dict[str, Any]:
    """A load's keys as those of a scenario: factors and shares worked out."""
    own = {key: one for key, one in table_.items() if key not in NOT_OF_SCENARIO}
    factor = table_.get("rate_factor", 1.0)
    if "mix" in table_:
        shares = [(Fraction(str(part)) * 100, name) for name, part in table_["mix"].items()]
        own["workload"] = mixes.named(shares)
    if "rate" in own or "trace" in own:
        return own
    if base.arrivals.rate_rps is not None:
        own["rate"] = {"value": base.arrivals.rate_rps * factor, "unit": "rps"}
    elif factor != 1.0 and "workload" not in own:
        own["trace_speed"] = base.arrivals.speed * factor
    return own


def dropped_keys(own: Mapping[str, Any]) -> tuple[str, ...]:
    """Keys of the scenario that a load's own keys replace."""
    dropped: tuple[str, ...] = ()
    if "workload" in own or "trace" in own:
        dropped += LENGTHS
    if "trace" in own and "rate" not in own:
        dropped += ("rate", "duration", *ARRIVALS, *SEEDS)
    if any(key in own for key in ARRIVALS):
        dropped += ARRIVALS
    return dropped


def without(file: TomlFile, dropped: Sequence[str]) -> TomlFile:
    """A file without some of its keys."""
    return replace(file, data={key: v for key, v in file.data.items() if key not in dropped})


def merged(whole: TomlFile, file: TomlFile, at: int, own: Mapping[str, Any]) -> TomlFile:
    """The scenario with a load's keys in place of its own, which know their lines."""
    dropped = dropped_keys(own)
    here: tuple[str | int, ...] = ("loads", at)
    lines = {path: line for path, line in file.lines.items() if path[0] not in (*own, *dropped)}
    for path, line in whole.lines.items():
        if path[:2] == here:
            lines[path[2:]] = line
    factor, mix = ((*here, key) for key in ("rate_factor", "mix"))
    for key, path in (("rate", factor), ("trace_speed", factor), ("workload", mix)):
        if path in whole.lines and key in own:
            lines[key,] = whole.lines[path]
    data = {**without(file, dropped).data, **own}
    return TomlFile(file.where, data, {path: line for path, line in lines.items() if path})


def placed(whole: TomlFile, at: int, problem: Problem) -> Problem:
    """A problem of a load; of those without a line, at the load."""
    if problem.line is not None or problem.where not in ("workload", whole.where):
        return problem
    return whole.problem(("loads", at, "mix"), problem.what, problem.fix)


def table_problems(
    whole: TomlFile, base: Scenario, tables: Sequence[Mapping[str, Any]]
) -> Iterator[Problem]:
    """Names that are there twice, and keys of a load that contradict each other."""
    names = [one["name"] for one in tables]
    for at, one in enumerate(tables):
        if one["name"] in names[:at]:
            what = f"{one['name']!r} is the name of another load"
            yield whole.problem(("loads", at, "name"), what, "choose another")
        if "rate" in one and "rate_factor" in one:
            what = "rate and rate_factor are both given"
            yield whole.problem(("loads", at, "rate_factor"), what, "keep one of them")
        if "mix" in one and ("workload" in one or "trace" in one):
            yield whole.problem(
                ("loads", at, "mix"), "lengths are given twice", "keep mix, or drop it"
            )
        if "rate_factor" in one and ("trace" in one or "trace_speed" in one):
            what = "rate_factor is of the scenario's load, and a trace has its own"
            yield whole.problem(("loads", at, "rate_factor"), what, "use trace_speed, or rate")
