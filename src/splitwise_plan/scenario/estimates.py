"""Machines without a profile, where a scenario asks for estimates of their times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from splitwise_plan.errors import InputError
from splitwise_plan.facts.capping import split_cap
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import FamilySpace
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.roofline import Roofline
from splitwise_plan.scenario.lookup import Lookup

ESTIMATED = "(estimated)"
"""Stands behind the name of every family whose times are not all measured."""


Key = tuple[str, int]
"""A profile id and a tensor parallelism."""


def to_estimate(
    lookup: Lookup,
    catalog: Catalog,
    instances: Sequence[tuple[Machine, int]],
    llm: LLM,
    roofline: Roofline | None,
) -> tuple[tuple[tuple[Machine, int], ...], tuple[Key, ...]]:
    """Instances whose profile must be read, and those to estimate: none without `roofline`.

    A machine that has no profile and does not say what its GPUs can do is a problem.
    """
    if roofline is None:
        return tuple(instances), ()
    measured, estimated = [], []
    for machine, degree in instances:
        if _is_measured(catalog, machine, llm, degree):
            measured.append((machine, degree))
        elif machine.gpu_flops_per_s is None or machine.gpu_bandwidth_bytes_per_s is None:
            what = f"{machine.id} has neither a profile of {llm.id} nor gpu_flops, gpu_bandwidth"
            lookup.add(("missing_profiles",), what, "add both to its file, or measure a profile")
        else:
            estimated.append((machine.profile, degree))
    return tuple(measured), tuple(dict.fromkeys(estimated))


def marked(spaces: tuple[FamilySpace, ...], estimated: tuple[Key, ...]) -> tuple[FamilySpace, ...]:
    """The spaces, with a mark at the names of families that have an estimated machine."""
    return tuple(
        replace(space, family=replace(space.family, name=f"{space.family.name} {ESTIMATED}"))
        if any(
            (one.profile, space.family.tensor_parallel) in estimated
            for one in space.family.machines
        )
        else space
        for space in spaces
    )


def _is_measured(catalog: Catalog, machine: Machine, llm: LLM, tensor_parallel: int) -> bool:
    """Whether a profile is to be read; one that is broken must be told, not estimated over."""
    if split_cap(machine.profile) is not None:
        return True
    if f"{machine.profile}__{llm.id}" not in catalog.list("profiles"):
        return False
    try:
        return tensor_parallel in catalog.profile_degrees(machine.profile, llm.id)
    except InputError:
        return True
