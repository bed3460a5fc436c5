"""Changes of the SLOs, one limit at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from splitwise_plan.facts.slo import SLOSet, SLOTarget
from splitwise_plan.questions.check.differences import Change, Difference
from splitwise_plan.scenario.scenario import Scenario

Key = tuple[str, float]


def slo_changes(old: Scenario, new: Scenario) -> Iterator[Change]:
    """Every limit that changed, came or went; goodput; the machine that slowdowns refer to."""
    was, now = _by_key(old.slos), _by_key(new.slos)
    for key in dict.fromkeys([*was, *now]):
        before, after = was.get(key), now.get(key)
        if before != after:
            name = f"{key[0].upper()} P{key[1]:g}"
            yield Change("slo", name, _limits(before, after), partial(_with, new.slos, key))
    if old.slos.attainments != new.slos.attainments:
        told = [", ".join(f"{100 * one.share:g} %" for one in slos.attainments) or None
                for slos in (old.slos, new.slos)]  # fmt: skip
        if told[0] == told[1]:
            told = [f"{one}, limits {_joint(s)}" for one, s in zip(told, (old, new), strict=True)]
        yield Change(
            "slo",
            "goodput",
            (Difference("share", told[0], told[1]),),
            lambda s: replace(s, slos=replace(s.slos, attainments=new.slos.attainments)),
        )
    if old.slos.reference_machine != new.slos.reference_machine:
        machines = (old.slos.reference_machine, new.slos.reference_machine)
        yield Change(
            "slo", "reference machine", (Difference("id", *machines),), partial(_referred, new)
        )


def _by_key(slos: SLOSet) -> dict[Key, SLOTarget]:
    return {(target.metric, target.percentile): target for target in slos.targets}


def _limits(before: SLOTarget | None, after: SLOTarget | None) -> tuple[Difference, ...]:
    units = [one.unit for one in (before, after) if one is not None]
    if len(set(units)) == 1:
        limits = [one.limit if one else None for one in (before, after)]
        return (Difference("limit", limits[0], limits[1], units[0]),)
    told = [f"{one.limit:g} {one.unit}" if one else None for one in (before, after)]
    return (Difference("limit", told[0], told[1]),)


def _joint(scenario: Scenario) -> str:
    limits = (limit for one in scenario.slos.attainments for limit in one.limits)
    return ", ".join(f"{metric.upper()} {value:g} {unit}" for metric, value, unit in limits)


def _with(slos: SLOSet, key: Key, scenario: Scenario) -> Scenario:
    """The scenario with one target as in `slos`, the targets in their order."""
    there = _by_key(scenario.slos)
    there.pop(key, None)
    new = _by_key(slos)
    merged = {one: new[one] if one == key else there[one] for one in new if one in (key, *there)}
    targets = tuple({**merged, **{k: v for k, v in there.items() if k not in merged}}.values())
    return replace(scenario, slos=replace(scenario.slos, targets=targets))


def _referred(new: Scenario, scenario: Scenario) -> Scenario:
    """Profiles of the other reference machine come along."""
    return replace(
        scenario,
        slos=replace(scenario.slos, reference_machine=new.slos.reference_machine),
        reference_machine=new.reference_machine,
        profiles={**new.profiles, **scenario.profiles},
    )
