"""The edge of what meets the SLOs in a family of two pools, walked by quick looks.

From few prompt and many token machines: a token machine less where the design seems to meet the
SLOs, a prompt machine more where it does not. Were it so that more machines never hurt, everything
above the edge would meet and nothing below. It is not quite so, so an edge shows where to look and
proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.widen import DOUBLINGS, doubled, largest

BELOW, ABOVE = 1, 4
"""Machines under and over the edge that are judged: quick looks may be wrong by some."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """`tokens`: by prompt machines, the fewest token machines that seemed to meet the SLOs."""

    space: FamilySpace
    tokens: Mapping[int, int]
    simulations: int

    def is_near(self, design: Design) -> bool:
        """Whether a design lies at the edge or a few machines off it."""
        own, right = (self.tokens.get(design.prompt_machines + p) for p in (0, BELOW))
        least = own if own is not None else right
        if least is None:
            return False
        return least - BELOW <= design.token_machines <= least + ABOVE


@dataclass(frozen=True, slots=True)
class BoundaryWalk:
    """Finds edges; may be sent to other processes."""

    evaluator: Evaluator

    def __call__(self, space: FamilySpace) -> Boundary:
        """The edge in a space, whose open ranges are doubled while even its largest misses."""
        simulations = 0
        for doubling in range(DOUBLINGS + 1):
            wider = doubled(space, doubling)
            simulations += 1
            if self.evaluator.seems_to_meet(largest(wider)):
                break
        else:
            return Boundary(space, {}, simulations)
        return self._walk(wider, simulations)

    def _walk(self, space: FamilySpace, simulations: int) -> Boundary:
        prompt_range, token_range = space.prompt_machines, space.token_machines
        if token_range is None:
            raise ValueError(f"{space.family.id} has one pool, and no edge")
        tokens: dict[int, int] = {}
        prompt, token = prompt_range.low, token_range.high
        while prompt <= prompt_range.high and token >= token_range.low:
            simulations += 1
            if self.evaluator.seems_to_meet(Design(space.family, prompt, token)):
                tokens[prompt] = token
                token -= 1
            else:
                prompt += 1
        return Boundary(space, tokens, simulations)
