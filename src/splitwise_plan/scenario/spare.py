"""Machines that may be gone while a design still has to do (scenario key `spare`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOSet

SpareOf = Literal["any", "prompt", "token"]


@dataclass(frozen=True, slots=True)
class Spare:
    """A design must do with any `machines` of a pool gone, or with so many of `any` pools."""

    machines: int
    of: SpareOf = "any"
    slos: SLOSet | None = None
    """What must hold with machines gone; None: the same as with all."""

    def __str__(self) -> str:
        degraded = f", held to {self.slos.id} then" if self.slos else ""
        return f"{self.machines} of {self.of}{degraded}"

    def losses(self, design: Design) -> Iterator[Design]:
        """What may be left of a design, `machines` gone first, then fewer: those may matter too.

        A pool may be left without a machine. The one pool of a baseline is of both kinds.
        """
        for gone in range(self.machines, 0, -1):
            yield from self.with_gone(design, gone)

    def with_gone(self, design: Design, gone: int) -> Iterator[Design]:
        """What may be left with exactly so many gone."""
        prompt, token = design.prompt_machines, design.token_machines
        for of_prompt in range(gone, -1, -1):
            if design.family.has_one_pool or self.of == "prompt":
                allowed = of_prompt == gone
            else:
                allowed = self.of == "any" or of_prompt == 0
            left = Design(design.family, prompt - of_prompt, token - (gone - of_prompt))
            if allowed and left.prompt_machines >= 0 and left.token_machines >= 0:
                yield left


def works(design: Design) -> bool:
    """Whether every pool still has a machine."""
    return design.prompt_machines > 0 and (design.family.has_one_pool or design.token_machines > 0)
