"""From flags to a scenario, with everything that is wrong told at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from splitwise_plan.cli.flags import QUESTION
from splitwise_plan.cli.options import Flags
from splitwise_plan.errors import InputError, Problem, raise_if_any
from splitwise_plan.paths import real

if TYPE_CHECKING:
    from splitwise_plan.facts.catalog import Catalog
    from splitwise_plan.scenario.scenario import Scenario

COUNTS = ("prompt_machines", "token_machines", "machines")
Loaded = TypeVar("Loaded")
Check = Callable[["Scenario"], list[Problem]]


def overrides(flags: Flags) -> dict[str, Any]:
    """The flags of `flags.QUESTION` by the keys of a scenario file; None where not given."""
    return {
        **{
            key: flags[key]
            for key in ("workload", "trace", "llm", "assumptions", "kv_transfer", "slo")
        },
        "trace_window": flags["trace_window"],
        "trace_speed": flags.number("trace_speed", "e.g. 2"),
        "rate": flags.number("rate", "e.g. 70, or '4200 requests/min'"),
        "duration": flags.number("duration", "e.g. 120, or '2 min'"),
        "horizon": flags["horizon"],
        "seed": flags.whole("seed"),
        "seeds": flags.whole("seeds"),
        "tensor_parallel": flags.wholes("tensor_parallel"),
        "hardware": flags["hardware"] or None,
        **{key: flags[key] for key in ("prices", "region", "term")},
        "missing_profiles": flags["missing_profiles"],
    }


def of_space(flags: Flags, *keys: str) -> dict[str, Any]:
    """The same with the flags of `flags.SPACE`, and those of `keys` as they were typed."""
    return {
        **overrides(flags),
        **{key: flags[key] for key in (*COUNTS, *keys)},
        "families": flags.listed("families", "family"),
        "power_caps": flags.numbers("power_caps"),
    }


def load(flags: Flags, given: Mapping[str, Any], check: Check | None = None) -> Scenario:
    """Load the scenario. Raises `InputError` with the problems of the flags and of `check` too."""
    from splitwise_plan.facts.catalog import Catalog
    from splitwise_plan.scenario.load import load_scenario

    return loaded(flags, lambda path: load_scenario(Catalog(), path, given), lambda s: s, check)


def loaded(
    flags: Flags,
    load_from: Callable[[Path | None], Loaded],
    scenario_of: Callable[[Loaded], Scenario],
    check: Check | None = None,
) -> Loaded:
    """What `load_from` makes of the scenario file, None if there is none, and the scenario in it.

    Raises `InputError` with the problems of the flags and of `check` too.
    """
    path = Path(flags["scenario"]) if flags["scenario"] is not None else None
    try:
        found = load_from(path)
    except InputError as error:
        raise InputError([*flags.problems, *error.problems]) from None
    scenario = scenario_of(found)
    problems = [*flags.problems, *overwritten(flags, scenario, path)]
    raise_if_any([*problems, *(check(scenario) if check else [])])
    return found


def one_family_problems(flags: Flags, scenario: Scenario) -> list[Problem]:
    """What is wrong with a scenario of several families for a command that is about one."""
    ids = ", ".join(space.family.id for space in scenario.spaces)
    if len(scenario.spaces) == 1 or (
        flags["scenario"] is None and flags["tensor_parallel"] is None
    ):
        return []
    missing = "is missing" if flags["family"] is None else "is not enough"
    what = f"{missing}: the scenario has {len(scenario.spaces)} families"
    return [Problem("--family", what, f"choose one of {ids}")]


def overwritten(flags: Flags, scenario: Scenario, path: Path | None) -> list[Problem]:
    """Files that this run reads, `path` and those of the scenario, and would write over."""
    read = {real(one.location) for one in scenario.sources if one.location}
    if path is not None:
        read.add(real(path))
    problems = []
    for name in ("requests_out", "save_plan", "junit"):
        if flags[name] is not None and real(Path(flags[name])) in read:
            what = f"{flags[name]} is read by this run"
            problems.append(Problem("--" + name.replace("_", "-"), what, "choose another file"))
    if flags["out"] is not None and real(Path(flags["out"])) in {one.parent for one in read}:
        what = f"{flags['out']} holds files that this run reads"
        problems.append(Problem("--out", what, "choose another folder"))
    return problems


def catalog(flags: Flags) -> Catalog:
    """The catalog, with the user's folders if they exist; those that do not are problems."""
    from splitwise_plan.facts.catalog import Catalog

    folders = tuple(Path(folder) for folder in flags["hardware"] or ())
    return flags.look_up(lambda: Catalog(folders)) or Catalog()


def typed(flags: Flags) -> list[str]:
    """The words of the command line that ask the question, as they were typed."""
    words = [flags["scenario"]] if flags["scenario"] is not None else []
    for flag in QUESTION[1:]:
        values = flags[flag.name]
        for value in values if isinstance(values, list) else [values]:
            words += [flag.flag, value] if value is not None else []
    return words
