"""Families that no file lists, by their names.

dgx-a100+dgx-h100       prompt machine + token machine; `dgx-h100` alone: one pool
splitwise-hh@85%        token machines (or the only ones) capped at 85 % of their power
splitwise-hh:tp4        four GPUs an instance
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from splitwise_plan.facts.capping import split_cap, with_cap

_PARALLEL = re.compile(r"(?P<rest>.+):tp(?P<gpus>[1-9]\d{0,3})", re.ASCII)


@dataclass(frozen=True, slots=True)
class FamilyName:
    """The parts of a family's name; None: it does not say."""

    base: str
    cap: float | None = None
    tensor_parallel: int | None = None

    @classmethod
    def parse(cls, name: str) -> FamilyName:
        """Split a name; whether there is such a family is the catalog's to say."""
        parallel = _PARALLEL.fullmatch(name)
        rest, gpus = (parallel["rest"], int(parallel["gpus"])) if parallel else (name, None)
        base, cap = split_cap(rest) or (rest, None)
        return cls(base, cap, gpus)

    @property
    def machines(self) -> tuple[str, ...]:
        """If the base names machines: the prompt machine, and the token machine under the cap."""
        *prompt, last = self.base.split("+")
        return (*prompt, with_cap(last, self.cap))

    def __str__(self) -> str:
        parallel = "" if self.tensor_parallel is None else f":tp{self.tensor_parallel}"
        return with_cap(self.base, self.cap) + parallel

    @property
    def suffix(self) -> str:
        """What tells it from its base, for people: ` @85 % TP 4`."""
        cap = "" if self.cap is None else f" @{self.cap * 100:g} %"
        parallel = "" if self.tensor_parallel is None else f" TP {self.tensor_parallel}"
        return cap + parallel
