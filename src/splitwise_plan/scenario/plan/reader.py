"""From a plan file to a `Plan`, and from that to the facts of then and of today."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from splitwise_plan.errors import InputError
from splitwise_plan.facts.capping import split_cap
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.files import FactFiles, TomlFile, parse_toml
from splitwise_plan.facts.problems import validate_file
from splitwise_plan.facts.text import decode
from splitwise_plan.scenario.layers import merge
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.plan.kept_files import KeptCatalog, KeptFile
from splitwise_plan.scenario.plan.plan import Plan, PlannedDesign
from splitwise_plan.scenario.plan.schema import PlanFile
from splitwise_plan.scenario.scenario import Scenario


def read_plan(path: Path) -> Plan:
    """Read a plan. Raises `InputError` with the lines of everything that is wrong."""
    data = FactFiles(()).read(path)
    file = parse_toml(decode(data, str(path)), str(path))
    content = validate_file(PlanFile, file)
    if content.scenario.maximize is not None:
        what = "a plan is for a rate that is given, not for the largest"
        raise InputError([file.problem(("scenario", "maximize"), what, "give rate and minimize")])
    chosen = content.design
    if content.scenario.families and chosen.family not in content.scenario.families:
        what = f"{chosen.family!r} is not a family of [scenario]"
        raise InputError([file.problem(("design", "family"), what, "add it to families")])
    return Plan(
        where=str(path),
        sha256=hashlib.sha256(data).hexdigest(),
        scenario=_inside(file, "scenario"),
        design=PlannedDesign(
            chosen.family, chosen.prompt_machines, chosen.token_machines, chosen.tensor_parallel
        ),
        tolerances=content.tolerances.tolerances(),
        replications=content.result.replications,
        cost_usd_per_hour=content.result.cost_usd_per_hour,
        provisioned_power_w=content.result.provisioned_power_w,
        targets=tuple(one.target() for one in content.result.targets),
        certificate=tuple(content.result.certificate.words),
        made=content.made.made(),
        kept=tuple(entry.kept() for entry in content.facts),
    )


def scenario_sha256(data: Mapping[str, Any]) -> str:
    """A name for what a table `[scenario]` says, whatever its layout."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def recorded(plan: Plan) -> Scenario:
    """The scenario with the facts of when the plan was made. Raises `InputError`."""
    data = {key: value for key, value in plan.scenario.data.items() if key != "hardware"}
    return load_scenario(KeptCatalog(_kept(plan), alone=True), replace(plan.scenario, data=data))


OF_MACHINES = ("families", "machines", "links", "profiles")
"""Kinds of facts that may be gone; a plan cannot be compared without the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Today:
    """The scenario with the facts of today, without families that can no longer be built."""

    scenario: Scenario
    gone: dict[str, str]
    """Those families by id: the machine that is no more, or the family itself."""


def today(plan: Plan, then: Scenario, overrides: Mapping[str, Any]) -> Today:
    """The facts as they are now: the plan's scenario with `overrides` (its keys) on top.

    `then` is the scenario as it was. What is gone is looked up in the plan, so that all else can
    be compared. Raises `InputError`.
    """
    gone = _gone(plan, then, _catalog(plan, overrides))
    kept = {  # under a name that no file on disk has
        Path(f"{plan.where}!", one.path.lstrip("/")): one
        for one in plan.kept
        if gone and one.kind in OF_MACHINES
    }
    scenario = load_scenario(KeptCatalog(kept, alone=False), plan.scenario, overrides)
    left = tuple(space for space in scenario.spaces if space.family.id not in gone)
    return Today(replace(scenario, spaces=left), gone)


def _catalog(plan: Plan, overrides: Mapping[str, Any]) -> Catalog:
    """The facts that are there now; those folders that are not are told when loading."""
    layers = merge(plan.scenario, overrides)
    names = layers.data.get("hardware", [])
    folders = [names] if isinstance(names, str) else names
    try:
        return Catalog(tuple(layers.folder_of("hardware") / folder for folder in folders))
    except InputError:
        return Catalog()


def _gone(plan: Plan, then: Scenario, now: Catalog) -> dict[str, str]:
    machines, families = now.list("machines"), now.list("families")
    listed = KeptCatalog(_kept(plan), alone=True).list("families")
    gone = {}
    for space in then.spaces:
        name = space.family.id
        needed = [(split_cap(one.id) or (one.id,))[0] for one in space.family.machines]
        missing = [machine for machine in needed if machine not in machines]
        if missing and not _is_there(now, name):
            gone[name] = missing[0]
        elif name in listed and name not in families:
            gone[name] = name
    return gone


def _is_there(now: Catalog, family: str) -> bool:
    """Whether a family can be built, of whatever machines it has now."""
    try:
        now.family(family)
    except InputError:
        return False
    return True


def _kept(plan: Plan) -> dict[Path, KeptFile]:
    folder = Path(plan.where).parent
    return {one.called(folder): one for one in plan.kept}


def _inside(file: TomlFile, key: str) -> TomlFile:
    """A table of a file as a file of its own."""
    lines = {path[1:]: line for path, line in file.lines.items() if path[:1] == (key,)}
    return TomlFile(file.where, file.data[key], lines)
