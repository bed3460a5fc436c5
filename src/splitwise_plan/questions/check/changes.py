"""What differs between two scenarios, as changes that can be made one at a time.

Making all of them on the first gives the second: nothing that changes an answer is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

from splitwise_plan.facts.design import CountRange, FamilySpace
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.profile import Profile
from splitwise_plan.planner.fingerprint import SAYS_NOTHING, same_facts
from splitwise_plan.questions.check.differences import (
    Change,
    Difference,
    Kind,
    differing,
    differing_curves,
    named,
)
from splitwise_plan.questions.check.load_changes import load_changes
from splitwise_plan.questions.check.slo_changes import slo_changes
from splitwise_plan.scenario.scenario import Scenario

PRICE = "cost_usd_per_hour"

TOLD_APART = frozenset(
    {
        *("workload", "trace", "arrivals", "seed", "seeds", "max_seeds", "llm", "slos"),
        *("assumptions", "own_kv_transfer", "scheduler", "profiles", "spaces"),
        "reference_machine",
    }
)
"""Fields of a scenario whose changes have names of their own; any other is `scenario`."""


def changes(old: Scenario, new: Scenario, gone: Mapping[str, str]) -> list[Change]:
    """The changes from `old` to `new`; `gone`: families that are not in `new`, and what of them."""
    return [
        *load_changes(old, new),
        *_machine_changes(old, new),
        *_family_changes(old, new),
        *_gone_changes(gone),
        *_llm_changes(old, new),
        *_profile_changes(old, new),
        *slo_changes(old, new),
        *_rule_changes(old, new),
        *_other_changes(old, new),
    ]


def _machines(scenario: Scenario) -> dict[str, Machine]:
    used = (machine for space in scenario.spaces for machine in space.family.machines)
    return {machine.id: machine for machine in (*used, scenario.reference_machine)}


def _machine_changes(old: Scenario, new: Scenario) -> Iterator[Change]:
    """Prices, and apart from them what else is known of a machine; profiles it now has come too."""
    was, now = _machines(old), _machines(new)
    for name in was:
        if name not in now or was[name] == now[name]:
            continue
        before, after = was[name], now[name]
        price = after.cost_usd_per_hour
        if before.cost_usd_per_hour != price:
            difference = named(PRICE, before.cost_usd_per_hour, price)
            yield Change("price", name, (difference,), partial(_priced, name, price))
        rest = replace(after, cost_usd_per_hour=before.cost_usd_per_hour)
        if before != rest:
            found = tuple(differing(before, rest))
            yield Change("machine", name, found, partial(_rebuilt, after, new))


def _priced(name: str, price: float, scenario: Scenario) -> Scenario:
    machine = _machines(scenario).get(name)
    if machine is None:
        return scenario
    return with_machine(scenario, replace(machine, cost_usd_per_hour=price))


def _rebuilt(machine: Machine, new: Scenario, scenario: Scenario) -> Scenario:
    own = _machines(scenario).get(machine.id, machine)
    changed = with_machine(scenario, replace(machine, cost_usd_per_hour=own.cost_usd_per_hour))
    return replace(changed, profiles={**new.profiles, **changed.profiles})


def with_machine(scenario: Scenario, machine: Machine) -> Scenario:
    """The scenario with other facts of a machine, wherever it is used."""
    spaces = tuple(_space_with(space, {machine.id: machine}) for space in scenario.spaces)
    reference = scenario.reference_machine
    return replace(
        scenario,
        spaces=spaces,
        reference_machine=machine if reference.id == machine.id else reference,
    )


def _space_with(space: FamilySpace, machines: Mapping[str, Machine]) -> FamilySpace:
    family = space.family
    token = family.token_machine
    return replace(
        space,
        family=replace(
            family,
            prompt_machine=machines.get(family.prompt_machine.id, family.prompt_machine),
            token_machine=token and machines.get(token.id, token),
        ),
    )


def _family_changes(old: Scenario, new: Scenario) -> Iterator[Change]:
    """Families of other machines, or with other ranges."""
    was = {space.family.id: space for space in old.spaces}
    for space in new.spaces:
        name = space.family.id
        before = was.get(name)
        if before is None or same_facts(_space_with(before, _machines(new)), space):
            continue
        pair = (before, space)
        made_of = [" + ".join(m.id for m in one.family.machines) for one in pair]
        found = [Difference("machines", made_of[0], made_of[1])] if made_of[0] != made_of[1] else []
        for pool in ("prompt_machines", "token_machines"):
            ranges = [_range(getattr(one, pool)) for one in pair]
            if ranges[0] != ranges[1]:
                found.append(Difference(pool.replace("_", " "), ranges[0], ranges[1]))
        yield Change("family", name, tuple(found), partial(_with_space, space, new))


def _range(counts: CountRange | None) -> str | None:
    return f"{counts.low}:{counts.high}" if counts else None


def _with_space(space: FamilySpace, new: Scenario, scenario: Scenario) -> Scenario:
    """The family as it is now, of machines as the scenario knows them."""
    own = _space_with(space, _machines(scenario))
    spaces = tuple(own if one.family.id == own.family.id else one for one in scenario.spaces)
    return replace(scenario, spaces=spaces, profiles={**new.profiles, **scenario.profiles})


def _gone_changes(gone: Mapping[str, str]) -> Iterator[Change]:
    """Machines that are no more, with all families that need them, and families by themselves."""
    for what in dict.fromkeys(gone.values()):
        families = [family for family, lost in gone.items() if lost == what]
        kind: Kind = "family" if families == [what] else "machine"
        yield Change(
            kind, what, (Difference("", "there", "gone"),), partial(_without, frozenset(families))
        )


def _without(families: frozenset[str], scenario: Scenario) -> Scenario:
    left = tuple(space for space in scenario.spaces if space.family.id not in families)
    return replace(scenario, spaces=left)


def _llm_changes(old: Scenario, new: Scenario) -> Iterator[Change]:
    """Another LLM comes with its profiles."""
    if old.llm == new.llm:
        return
    other = old.llm.id != new.llm.id

    def apply(scenario: Scenario) -> Scenario:
        profiles = new.profiles if other else scenario.profiles
        return replace(scenario, llm=new.llm, profiles=profiles)

    yield Change("llm", new.llm.id, tuple(differing(old.llm, new.llm)), apply)


def _profile_changes(old: Scenario, new: Scenario) -> Iterator[Change]:
    if old.llm.id != new.llm.id:
        return
    for key, before in old.profiles.items():
        after = new.profiles.get(key)
        if after is not None and not same_facts(before, after):
            degrees = [one for one in old.profiles.values() if one.machine == before.machine]
            of = f" at {after.tensor_parallel} GPUs" if len(degrees) > 1 else ""
            name = f"{after.machine}__{after.llm}{of}"
            found = tuple(differing_curves(before, after))
            yield Change("profile", name, found, partial(_profiled, {key: after}))


def _profiled(profiles: Mapping[Any, Profile], scenario: Scenario) -> Scenario:
    return replace(scenario, profiles={**scenario.profiles, **profiles})


def _rule_changes(old: Scenario, new: Scenario) -> Iterator[Change]:
    if old.assumptions != new.assumptions:
        found = tuple(differing(old.assumptions, new.assumptions))
        yield Change(
            "assumptions",
            new.assumptions.id,
            found,
            lambda s: replace(s, assumptions=new.assumptions, own_kv_transfer=new.own_kv_transfer),
        )
    if old.scheduler != new.scheduler:
        found = tuple(differing(old.scheduler, new.scheduler))
        yield Change("scheduler", "", found, lambda s: replace(s, scheduler=new.scheduler))


def _other_changes(old: Scenario, new: Scenario) -> Iterator[Change]:
    """Whatever else a scenario says."""
    for one in fields(Scenario):
        name, before, after = one.name, getattr(old, one.name), getattr(new, one.name)
        if name in TOLD_APART | SAYS_NOTHING or same_facts(before, after):
            continue
        difference = Difference(name.replace("_", " "), str(before), str(after))
        yield Change("scenario", difference.name, (difference,), partial(_set, {name: after}))


def _set(values: Mapping[str, Any], scenario: Scenario) -> Scenario:
    return replace(scenario, **values)
