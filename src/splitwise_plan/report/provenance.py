"""Where a result comes from: all that is needed to get it again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from splitwise_plan import __version__
from splitwise_plan.facts.source import FactSource
from splitwise_plan.report.numbers import count
from splitwise_plan.report.page import Statement
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.versions import versions


def provenance(scenario: Scenario) -> dict[str, Any]:
    """Versions, seeds, the scenario and every file that was read; no times, no names of hosts."""
    made_with = versions()
    return {
        "version": made_with.pop("splitwise_plan"),
        **made_with,
        "seed": scenario.seed,
        "seeds": scenario.seeds,
        "max_seeds": scenario.max_seeds,
        "assumptions": scenario.assumptions.id,
        "estimated_profiles": [
            f"{name}__{scenario.llm.id}" for name in scenario.estimated_machines
        ],
        "scenario_sha256": scenario_sha256(scenario),
        "sources": [source_document(source) for source in scenario.sources],
        "profiles": profiles(scenario),
    }


def source_document(source: FactSource) -> dict[str, Any]:
    """A file that was read, whatever its place."""
    names = ("path", "sha256", "kind", "id", "own", "hides")
    return {name: getattr(source, name) for name in names}


def profiles(scenario: Scenario) -> dict[str, list[str]]:
    """The profile file of each machine: its own, or that of another its file names.

    Two where a power cap lies between those that were measured.
    """
    files = {source.id: source.path for source in scenario.sources if source.kind == "profiles"}
    machines = {
        machine.id: machine for space in scenario.spaces for machine in space.family.machines
    }
    found = {}
    for machine in machines.values():
        names = [f"{one}__{scenario.llm.id}" for one in machine.between or (machine.profile,)]
        found[machine.id] = [files[name] for name in names if name in files]
    return found


def own_facts(scenario: Scenario) -> tuple[Statement, ...]:
    """The user's own files, if there are any, and the files of ours that they come before."""
    own = [file_words(source) for source in scenario.sources if source.own]
    return (Statement("Own facts", (", ".join(own),)),) if own else ()


def file_words(source: FactSource) -> str:
    """`facts/machines/dgx-h100.toml (before hardware/machines/dgx-h100.toml)`"""
    return source.path + (f" (before {source.hides})" if source.hides else "")


def scenario_sha256(scenario: Scenario) -> str:
    """The sha256 of the resolved scenario, without the folders that the user's files are in."""
    return hashlib.sha256(scenario.portable_toml.encode()).hexdigest()


def slo_name(scenario: Scenario) -> str:
    """The id of the SLOs, or the name of their file."""
    return Path(scenario.slos.id).name


def stamp(scenario: Scenario) -> str:
    """Version, seeds, the scenario and every file that was read, as Markdown."""
    drawn = f", seed {scenario.seed}, {count(scenario.seeds, 'repetition')} or more"
    seeds = "" if scenario.arrivals.process == "trace" else drawn
    names = ", ".join(scenario.estimated_machines)
    estimated = f" Times of {names} are estimated, not measured." if names else ""
    lines = [
        f"Made by splitwise-plan {__version__} from `scenario.toml` "
        f"(sha256 without folders `{scenario_sha256(scenario)}`){seeds}.{estimated}",
        *file_lines("Files of your own:", [one for one in scenario.sources if one.own]),
        *file_lines("Files of splitwise-plan:", [one for one in scenario.sources if not one.own]),
    ]
    return "\n".join(lines) + "\n"


def file_lines(title: str, sources: Sequence[FactSource]) -> Iterator[str]:
    """Files that were read, as a list in Markdown."""
    if sources:
        yield from ("", title, "")
    for source in sources:
        before = f", before `{source.hides}`" if source.hides else ""
        yield f"- `{source.path}`{before}; sha256 `{source.sha256}`"
