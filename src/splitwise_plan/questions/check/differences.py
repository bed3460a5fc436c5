"""A change of facts: what it is about, what was and is, and how to make it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal

import numpy as np

from splitwise_plan.facts.profile import Curve, Profile
from splitwise_plan.facts.tables import CURVES
from splitwise_plan.models.curves import extended
from splitwise_plan.scenario.scenario import Scenario

Kind = Literal[
    "traffic",
    "price",
    "machine",
    "family",
    "llm",
    "profile",
    "slo",
    "assumptions",
    "scheduler",
    "seeds",
    "scenario",
    "version",
]
Value = float | int | str | bool | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that changed; None where there is none. Numbers are in SI."""

    name: str
    before: Value
    after: Value
    unit: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A fact that changed: `apply` makes this change, and no other, on a scenario."""

    kind: Kind
    subject: str
    """The id of the machine, LLM, …; empty where there is only one such fact."""
    differences: tuple[Difference, ...]
    apply: Callable[[Scenario], Scenario]
    together: tuple[Change, ...] = ()
    """The changes that this one stands for."""

    @property
    def parts(self) -> tuple[Change, ...]:
        return self.together or (self,)


def together(kind: Kind, changes: Sequence[Change]) -> Change:
    """All changes of a kind as one, their differences named by their subjects."""

    def apply(scenario: Scenario) -> Scenario:
        for change in changes:
            scenario = change.apply(scenario)
        return scenario

    differences = tuple(
        replace(one, name=f"{change.subject} {one.name}".strip())
        for change in changes
        for one in change.differences
    )
    return Change(kind, "", differences, apply, tuple(changes))


SUFFIXES = {
    "_usd_per_hour": "USD/h",
    "_bytes_per_s": "B/s",
    "_bytes": "B",
    "_rps": "requests/s",
    "_tokens": "tokens",
    "_w": "W",
    "_s": "s",
}
"""What the end of a field's name says of its unit; the longer first."""


def differing(before: Any, after: Any, prefix: str = "") -> Iterator[Difference]:
    """The fields in which two dataclasses of a kind differ, those of dataclasses in them too."""
    for one in fields(before):
        old, new = getattr(before, one.name), getattr(after, one.name)
        if is_dataclass(old) and type(old) is type(new):
            yield from differing(old, new, f"{prefix}{one.name} ")
        elif old != new:
            yield named(f"{prefix}{one.name}", old, new)


def named(name: str, before: Value, after: Value) -> Difference:
    """A difference of a field, its unit taken from the field's name."""
    suffix = next((end for end in SUFFIXES if name.endswith(end)), "")
    words = name.removesuffix(suffix).replace("_", " ")
    return Difference(words, before, after, SUFFIXES.get(suffix, ""))


def differing_curves(before: Profile, after: Profile) -> Iterator[Difference]:
    """For each curve that changed, the measured point at which it changed most, as a share."""
    for name in CURVES:
        old, new = getattr(before, name), getattr(after, name)
        x, was, now = _most(old, new)
        if was != now:
            unit = "s" if "time" in name else "of TDP"
            yield Difference(f"{name.replace('_', ' ')} at {x:,.0f}", was, now, unit)


def _most(old: Curve, new: Curve) -> tuple[float, float, float]:
    """Where two curves differ most, among the points of either."""
    x = np.union1d(old.x, new.x)
    was, now = extended(old.x, old.y, x), extended(new.x, new.y, x)
    at = int(np.argmax(np.abs(now / was - 1.0)))
    return float(x[at]), float(was[at]), float(now[at])
