"""Families, listed in files or made of the machines that their name lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from splitwise_plan.errors import InputError, Problem, raise_if_any
from splitwise_plan.facts.capping import split_cap, with_cap
from splitwise_plan.facts.design import CountRange, Family, FamilySpace
from splitwise_plan.facts.family_names import FamilyName
from splitwise_plan.facts.files import FactFiles, TomlFile
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.problems import validate_file
from splitwise_plan.facts.schema import FamiliesFile, FamilyEntry, RangeFact
from splitwise_plan.suggest import did_you_mean

PAIR_RANGE = CountRange(1, 39)
"""Machine counts of a family that no file lists: a start, since searches widen open ranges."""

Machines = Callable[[str], Machine]
"""A machine by its id, which may name a cap."""


def listed(files: FactFiles) -> dict[str, tuple[TomlFile, FamilyEntry]]:
    """The entries of all `families.toml` by their ids, the user's first."""
    entries: dict[str, tuple[TomlFile, FamilyEntry]] = {}
    for path in files.family_files():
        file = files.read_toml(path)
        for family_id, entry in validate_file(FamiliesFile, file).root.items():
            entries.setdefault(family_id, (file, entry))
    return entries


def space_of(
    files: FactFiles, machine: Machines, family_id: str, tensor_parallel: int
) -> FamilySpace:
    """A family by its id, or by a name that says what it is (`facts.family_names`).

    `tensor_parallel`: of a family whose name does not say. Raises `InputError`.
    """
    name = FamilyName.parse(family_id)
    entry = listed(files).get(name.base)
    if entry is None:
        found = _of_machines(files, machine, name)
    else:
        found = _of_entry(files, machine, *entry, name)
    family = replace(
        found.family,
        id=str(name),
        name=found.family.name + name.suffix,
        tensor_parallel=name.tensor_parallel or tensor_parallel,
    )
    return replace(found, family=family)


def _of_entry(
    files: FactFiles, machine: Machines, file: TomlFile, entry: FamilyEntry, name: FamilyName
) -> FamilySpace:
    """A family of `families.toml`, its last machine under the cap of its name."""
    last = "prompt_machine" if entry.token_machine is None else "token_machine"
    machines: dict[str, Machine] = {}
    problems: list[Problem] = []
    for key in ("prompt_machine", "token_machine"):
        machine_id = getattr(entry, key)
        if machine_id is None:
            continue
        if _is_machine(files, machine_id):
            capped = with_cap(machine_id, name.cap) if key == last else machine_id
            machines[key] = machine(capped)
        else:
            fix = did_you_mean(machine_id, files.names("machines"))
            what = f"unknown machine {machine_id!r}"
            problems.append(file.problem((name.base, key), what, fix))
    raise_if_any(problems)
    token_range = entry.token_machines
    family = Family(
        name.base, entry.name, machines["prompt_machine"], machines.get("token_machine")
    )
    return FamilySpace(
        family, _range(entry.prompt_machines), _range(token_range) if token_range else None
    )


def _of_machines(files: FactFiles, machine: Machines, name: FamilyName) -> FamilySpace:
    """A family of one or two machine types that its name lists."""
    parts = name.base.split("+")
    unknown = [part for part in parts if not _is_machine(files, part)]
    if len(unknown) == len(parts) == 1 or len(parts) > 2:
        fix = did_you_mean(name.base, listed(files))
        what = f"unknown family {name.base!r}"
        pairs = "; or name machines: dgx-a100+dgx-h100"
        raise InputError([Problem("families", what, fix + pairs)])
    known = files.names("machines")
    raise_if_any(
        Problem("machines", f"unknown machine {part!r}", did_you_mean(part, known))
        for part in unknown
    )
    machines = [machine(one) for one in name.machines]
    shown = " + ".join(machine(part).name for part in parts)
    family = Family(name.base, shown, machines[0], machines[1] if len(machines) > 1 else None)
    return FamilySpace(family, PAIR_RANGE, PAIR_RANGE if len(machines) > 1 else None)


def _is_machine(files: FactFiles, name: str) -> bool:
    capped = split_cap(name)
    return (capped[0] if capped else name) in files.names("machines")


def _range(fact: RangeFact) -> CountRange:
    return CountRange(fact.low, fact.high)
