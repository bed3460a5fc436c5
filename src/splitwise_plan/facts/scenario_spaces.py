"""The families of a scenario and the machine counts a search looks at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.lookup import Lookup
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.scenario import FamilySpace
from splitwise_plan.facts.scenario_schema import RangeTable, ScenarioFile
from splitwise_plan.facts.suggest import did_you_mean


def family_spaces(
    lookup: Lookup, content: ScenarioFile, catalog: Catalog
) -> tuple[FamilySpace, ...]:
    """The chosen families (default: all) with their ranges: own, for all, or the family's."""
    known = lookup.get(("families",), partial(catalog.list, "families")) or []
    chosen = content.families or known
    for family_id in dict.fromkeys(name for name in chosen if chosen.count(name) > 1):
        lookup.add(("families",), f"{family_id} is listed twice", "list it once")
    for family_id in content.ranges:
        if family_id not in known:
            what, fix = f"ranges of unknown family {family_id!r}", did_you_mean(family_id, known)
            lookup.add(("ranges", family_id), what, fix)
    spaces: list[FamilySpace] = []
    for family_id in dict.fromkeys(chosen):
        space = lookup.get(("families",), partial(catalog.space, family_id))
        if space is not None:
            own = content.ranges.get(family_id, RangeTable())
            spaces.append(_ranged(lookup, space, own, content))
    for key, why in _unused(content, spaces):
        lookup.add((key,), f"{key} has no effect: {why}", "choose one, or drop it")
    return tuple(spaces)


def machines_of(spaces: Sequence[FamilySpace]) -> tuple[Machine, ...]:
    """The machine types of all families, each once."""
    machines: dict[str, Machine] = {}
    for space in spaces:
        for machine in (space.family.prompt_machine, space.family.token_machine):
            if machine is not None:
                machines.setdefault(machine.id, machine)
    return tuple(machines.values())


def _ranged(
    lookup: Lookup, space: FamilySpace, own: RangeTable, content: ScenarioFile
) -> FamilySpace:
    """`space` with the ranges the scenario gives it."""
    family = space.family
    misplaced: tuple[str, ...]
    if family.is_baseline:
        misplaced, what, use = ("prompt_machines", "token_machines"), "one pool", "machines"
        given = own.machines or content.machines
        ranged = replace(
            space,
            prompt_machines=given or space.prompt_machines,
            prompt_open=given is None,
        )
    else:
        misplaced, what, use = ("machines",), "two pools", "prompt_machines and token_machines"
        prompt = own.prompt_machines or content.prompt_machines
        token = own.token_machines or content.token_machines
        ranged = replace(
            space,
            prompt_machines=prompt or space.prompt_machines,
            token_machines=token or space.token_machines,
            prompt_open=prompt is None,
            token_open=token is None,
        )
    for key in misplaced:
        if getattr(own, key) is not None:
            lookup.add(
                ("ranges", family.id, key), f"{family.id} has {what}, so no {key}", f"use {use}"
            )
    return ranged


def _unused(content: ScenarioFile, spaces: Sequence[FamilySpace]) -> Iterator[tuple[str, str]]:
    """Machine counts for all families that no chosen family has a use for, and why."""
    if not spaces:
        return
    if content.machines and not any(space.family.is_baseline for space in spaces):
        yield "machines", "no family with one pool is chosen"
    if all(space.family.is_baseline for space in spaces):
        for key in ("prompt_machines", "token_machines"):
            if getattr(content, key):
                yield key, "no family with two pools is chosen"
