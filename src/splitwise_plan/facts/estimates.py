"""Machines without a profile, where a scenario asks for estimates of their times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.lookup import Lookup
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.roofline import Roofline
from splitwise_plan.facts.scenario import FamilySpace

ESTIMATED = "(estimated)"
"""Stands behind the name of every family whose times are not all measured."""


def to_estimate(  # noqa: PLR0913, PLR0917
    lookup: Lookup,
    catalog: Catalog,
    machines: Sequence[Machine],
    llm: LLM,
    tensor_parallel: int,
    roofline: Roofline | None,
) -> tuple[tuple[Machine, ...], tuple[str, ...]]:
    """Machines whose profile must be read, and profile ids to estimate: none without `roofline`.

    A machine that has no profile and does not say what its GPUs can do is a problem.
    """
    if roofline is None:
        return tuple(machines), ()
    measured, estimated = [], []
    for machine in machines:
        if _is_measured(catalog, machine, llm, tensor_parallel):
            measured.append(machine)
        elif machine.gpu_flops_per_s is None or machine.gpu_bandwidth_bytes_per_s is None:
            what = f"{machine.id} has neither a profile of {llm.id} nor gpu_flops, gpu_bandwidth"
            lookup.add(("missing_profiles",), what, "add both to its file, or measure a profile")
        else:
            estimated.append(machine.profile)
    return tuple(measured), tuple(dict.fromkeys(estimated))


def marked(spaces: tuple[FamilySpace, ...], estimated: tuple[str, ...]) -> tuple[FamilySpace, ...]:
    """The spaces, with a mark at the names of families that have an estimated machine."""
    return tuple(
        replace(space, family=replace(space.family, name=f"{space.family.name} {ESTIMATED}"))
        if any(machine.profile in estimated for machine in space.family.machines)
        else space
        for space in spaces
    )


def _is_measured(catalog: Catalog, machine: Machine, llm: LLM, tensor_parallel: int) -> bool:
    try:
        return tensor_parallel in catalog.profile_degrees(machine.profile, llm.id)
    except InputError:
        # One that exists but is broken must be told, not estimated over.
        return f"{machine.profile}__{llm.id}" in catalog.list("profiles")
