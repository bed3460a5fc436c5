"""Prices and powers change no latency: what meets the SLOs stays, and its order is arithmetic.

The objective of a design is linear in a factor of a price or a power. So the factors at which a
design is no worse than another are those on one side of where two lines cross, and the winner is
best on an interval: what is proven at its end holds all the way from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.space import designs, objective
from splitwise_plan.planner.widen import up_to_level
from splitwise_plan.questions.sensitivity.challengers import SAME, Rivals
from splitwise_plan.questions.sensitivity.knobs import Knob
from splitwise_plan.questions.sensitivity.thresholds import MOST, Way
from splitwise_plan.scenario.scenario import Scenario

JUST = 1e-6
"""A proof is made this share before the end of the interval."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The factor at which `design` is as good as the winner, and beyond which it is better."""

    factor: float
    design: Design


@dataclass(slots=True)
class Lines:
    """Objectives over the factor of one knob."""

    scenario: Scenario
    knob: Knob
    _at: dict[float, tuple[Scenario, dict[str, FamilySpace]]] = field(default_factory=dict)

    def value(self, factor: float, design: Design) -> float:
        """The objective of a design of the scenario at a factor."""
        scenario, spaces = self.at(factor)
        own = Design(spaces[design.family.id].family, design.prompt_machines, design.token_machines)
        return objective(scenario, own)

    def at(self, factor: float) -> tuple[Scenario, dict[str, FamilySpace]]:
        """The scenario at a factor, and its spaces by family."""
        if factor not in self._at:
            scenario = self.knob.apply(self.scenario, factor)
            self._at[factor] = scenario, {one.family.id: one for one in scenario.spaces}
        return self._at[factor]

    def crossing(
        self, own: Sequence[Design], other: Design, way: Way, savings: float = 0.0
    ) -> float | None:
        """Where `other` begins to save that share of each of `own`; None if it never does."""
        first, last = 0.0, inf
        at_1, slope = self._line(other)
        for one in own:
            own_at_1, own_slope = (value * (1.0 - savings) for value in self._line(one))
            behind = at_1 - own_at_1
            gains = own_slope - slope if way == "up" else slope - own_slope
            small = SAME * max(abs(own_at_1), abs(at_1))
            if abs(gains) <= small:
                if behind > -small:
                    return None
            elif gains > 0.0:
                first = max(first, behind / gains)
            else:
                last = min(last, behind / gains)
        if first >= last:
            return None
        return 1.0 + first if way == "up" else 1.0 - first

    def _line(self, design: Design) -> tuple[float, float]:
        """The objective at 1, and its slope."""
        at_1 = self.value(1.0, design)
        return at_1, self.value(2.0, design) - at_1


def first_crossing(
    lines: Lines, own: Sequence[Design], others: Iterable[Design], way: Way, savings: float = 0.0
) -> Crossing | None:
    """The first of some designs to be better than all of `own`, within the factors looked at."""
    found = [
        Crossing(factor, design)
        for design in others
        if (factor := lines.crossing(own, design, way, savings)) is not None
        and 1.0 / MOST <= factor <= MOST
    ]
    return min(found, key=lambda one: abs(one.factor - 1.0), default=None)


def proven_crossing(
    lines: Lines, around: Rivals, meeting: list[Design], way: Way, savings: float = 0.0
) -> Crossing | None:
    """The same over all designs of the space: those not in `meeting` that meet are added to it."""
    while True:
        found = first_crossing(lines, [around.winner], meeting, way, savings)
        end = found.factor if found else (MOST if way == "up" else 1.0 / MOST)
        before = 1.0 + (end - 1.0) * (1.0 - JUST)
        unseen = [
            one for one in _better(lines, around.winner, before, savings) if one not in meeting
        ]
        another = around.first_meeting(unseen, every=True)
        if another is None:
            return found
        meeting.append(another)


def _better(lines: Lines, winner: Design, factor: float, savings: float) -> list[Design]:
    """Every design of the space that is better than the winner at a factor, the best first."""
    scenario, _ = lines.at(factor)
    level = lines.value(factor, winner) * (1.0 - savings)
    found = []
    for space, own in zip(lines.scenario.spaces, scenario.spaces, strict=True):
        wider = up_to_level(scenario, own, level)
        for design in designs(wider):
            value = objective(scenario, design)
            if value < level * (1.0 - SAME):
                same = Design(space.family, design.prompt_machines, design.token_machines)
                found.append((value, same))
    found.sort(key=lambda pair: (pair[0], pair[1].machines))
    return [design for _, design in found]
