"""The families of a scenario and the machine counts a search looks at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import FamilySpace
from splitwise_plan.facts.family_names import FamilyName
from splitwise_plan.facts.machine import Machine
from splitwise_plan.scenario.lookup import Lookup
from splitwise_plan.scenario.schema import RangeTable, ScenarioFile
from splitwise_plan.suggest import did_you_mean


def family_spaces(
    lookup: Lookup, content: ScenarioFile, catalog: Catalog
) -> tuple[FamilySpace, ...]:
    """The chosen families (default: all) with their ranges: own, for all, or the family's.

    Each comes at every power cap and every tensor parallelism that is asked for.
    """
    known = lookup.get(("families",), partial(catalog.list, "families")) or []
    chosen = content.families or known
    for family_id in dict.fromkeys(name for name in chosen if chosen.count(name) > 1):
        lookup.add(("families",), f"{family_id} is listed twice", "list it once")
    for family_id in content.ranges:
        if family_id not in (*known, *chosen):
            what, fix = f"ranges of unknown family {family_id!r}", did_you_mean(family_id, known)
            lookup.add(("ranges", family_id), what, fix)
    spaces: list[FamilySpace] = []
    for family_id in dict.fromkeys(chosen):
        own = content.ranges.get(family_id, RangeTable())
        for name in _variants(lookup, family_id, content, catalog):
            look_up = partial(catalog.space, name, max(content.tensor_parallel))
            space = lookup.get(("families",), look_up)
            if space is not None:
                spaces.append(_ranged(lookup, space, own, content))
    if content.power_caps and not any("@" in space.family.id for space in spaces):
        what = "power_caps has no effect: no chosen family has machines with profiles under caps"
        lookup.add(("power_caps",), what, "choose one, e.g. splitwise-hh, or drop it")
    for key, why in _unused(content, spaces):
        lookup.add((key,), f"{key} has no effect: {why}", "choose one, or drop it")
    return tuple(spaces)


def instances_of(spaces: Sequence[FamilySpace]) -> tuple[tuple[Machine, int], ...]:
    """The machine types of all families with the GPUs of an instance, each once."""
    instances: dict[tuple[str, int], tuple[Machine, int]] = {}
    for family in (space.family for space in spaces):
        for machine in family.machines:
            key = (machine.id, family.tensor_parallel)
            instances.setdefault(key, (machine, family.tensor_parallel))
    return tuple(instances.values())


def _variants(
    lookup: Lookup, family_id: str, content: ScenarioFile, catalog: Catalog
) -> Iterator[str]:
    """The names of a family at each cap and parallelism that is asked for and not in its name."""
    name = FamilyName.parse(family_id)
    caps: Sequence[float | None] = (name.cap,)
    if content.power_caps and name.cap is None:
        space = lookup.get(("families",), partial(catalog.space, family_id))
        if space is None:
            return
        if space.family.machines[-1].cap_points:
            caps = list(dict.fromkeys(content.power_caps))
    degrees: Sequence[int | None] = (name.tensor_parallel,)
    if name.tensor_parallel is None and len(content.tensor_parallel) > 1:
        degrees = list(dict.fromkeys(content.tensor_parallel))
    for cap, degree in product(caps, degrees):
        yield str(FamilyName(name.base, cap, degree))


def _ranged(
    lookup: Lookup, space: FamilySpace, own: RangeTable, content: ScenarioFile
) -> FamilySpace:
    """`space` with the ranges the scenario gives it."""
    family = space.family
    misplaced: tuple[str, ...]
    if family.has_one_pool:
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
    if content.machines and not any(space.family.has_one_pool for space in spaces):
        yield "machines", "no family with one pool is chosen"
    if all(space.family.has_one_pool for space in spaces):
        for key in ("prompt_machines", "token_machines"):
            if getattr(content, key):
                yield key, "no family with two pools is chosen"
