"""The designs of all families as one space with the same three coordinates.

A family, and a share of its range for each pool: what a sampler learns of shares in one family is
of use in another, and every design of every family has coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

from splitwise_plan.facts.design import CountRange, Design, FamilySpace
from splitwise_plan.planner.study import Domain, Point
from splitwise_plan.scenario.scenario import Scenario

FAMILY, PROMPT, TOKEN = "family", "prompt_machines", "token_machines"


@dataclass(frozen=True)
class Grid:
    """The spaces of a scenario's families."""

    scenario: Scenario

    @cached_property
    def spaces(self) -> dict[str, FamilySpace]:
        """By family id."""
        return {space.family.id: space for space in self.scenario.spaces}

    @property
    def size(self) -> int:
        """Designs of all families."""
        return sum(size(space) for space in self.spaces.values())

    @cached_property
    def steps(self) -> int:
        """Parts that every range is divided into: as many as the longest has counts."""
        return max(_counts(one) for space in self.spaces.values() for one in _ranges(space))

    @property
    def shares(self) -> Domain:
        """What a sampler chooses from."""
        axis = (0, self.steps - 1)
        return {FAMILY: list(self.spaces), PROMPT: axis, TOKEN: axis}

    @property
    def counts(self) -> Domain:
        """What is written down: the designs themselves."""
        most = max(one.high for space in self.spaces.values() for one in _ranges(space))
        return {FAMILY: list(self.spaces), PROMPT: (0, most), TOKEN: (0, most)}

    def design(self, shares: Point) -> Design:
        """The design at a sampler's point."""
        space = self.spaces[str(shares[FAMILY])]
        token = space.token_machines
        return self.design_of(
            space,
            self._count(space.prompt_machines, int(shares[PROMPT])),
            self._count(token, int(shares[TOKEN])) if token else 0,
        )

    def corner(self, space: FamilySpace) -> Point:
        """The point of the largest design of a family."""
        return {FAMILY: space.family.id, PROMPT: self.steps - 1, TOKEN: self.steps - 1}

    def design_of(self, space: FamilySpace, prompt: int, token: int) -> Design:
        """A design by its counts."""
        return Design(space.family, prompt, token)

    def near(self, design: Design, radius: int, step: int = 1) -> list[Design]:
        """The designs up to `radius` steps of so many machines away in each pool, not itself."""
        space = self.spaces[design.family.id]
        moves = range(-radius * step, radius * step + 1, step)
        around = [
            (design.prompt_machines + p, design.token_machines + t)
            for p, t in product(moves, moves if space.token_machines else (0,))
            if p or t
        ]
        return [self.design_of(space, p, t) for p, t in around if inside(space, p, t)]

    def _count(self, over: CountRange, step: int) -> int:
        return over.low + step * _counts(over) // self.steps


def point_of(design: Design) -> Point:
    """A design as it is written down."""
    return {
        FAMILY: design.family.id,
        PROMPT: design.prompt_machines,
        TOKEN: design.token_machines,
    }


def name_of(design: Design) -> str:
    """What a design is found by, among those of one question."""
    return f"{design.family.id} {design.prompt_machines} {design.token_machines}"


def inside(space: FamilySpace, prompt: int, token: int) -> bool:
    """Whether a space holds these counts."""
    own = space.prompt_machines.low <= prompt <= space.prompt_machines.high
    other = space.token_machines
    return own and (other is None or other.low <= token <= other.high)


def size(space: FamilySpace) -> int:
    """Designs of a family."""
    return _counts(space.prompt_machines) * (
        _counts(space.token_machines) if space.token_machines else 1
    )


def _ranges(space: FamilySpace) -> list[CountRange]:
    return [space.prompt_machines, *([space.token_machines] if space.token_machines else [])]


def _counts(over: CountRange) -> int:
    return over.high - over.low + 1
