"""Machines that fail, are maintained or are slow (scenario table `[failures]`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PoolName = Literal["prompt", "token"]
"""The machines of a baseline, which serve both phases, are `prompt`."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A machine is down from `start_s` to `end_s` after the start of the run.

    `machine`: its number in its pool, from 1. Designs that do not have it are not concerned.
    """

    pool: PoolName
    machine: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Maintenance:
    """Each machine is out for `for_s`, the next one `every_s` later: prompt pool, then token pool.

    `drain_s`: before that so long it takes nothing new. What it then still has restarts.
    """

    start_s: float
    every_s: float
    for_s: float
    drain_s: float


@dataclass(frozen=True, slots=True)
class Straggler:
    """One machine whose iterations take `factor` times as long."""

    pool: PoolName
    machine: int
    factor: float


@dataclass(frozen=True, slots=True)
class Failures:
    """What goes wrong in every run. Times between failures and to repair are exponential."""

    mtbf_s: float | None = None
    """Mean time from the start, or a repair, to the next failure of a machine; None: none fails."""
    mttr_s: float = 0.0
    outages: tuple[Outage, ...] = ()
    maintenance: Maintenance | None = None
    straggler: Straggler | None = None
    checkpoint_interval_tokens: int = 0
    """Output tokens between two checkpoints of a KV cache; 0: requests restart from scratch."""
    checkpoint_cost: float = 0.0
    """What saving checkpoints adds to token iterations, as a share of their time."""

    @property
    def take_down(self) -> bool:
        """Whether machines may go down; one that is slow works all the time."""
        return self.mtbf_s is not None or bool(self.outages) or self.maintenance is not None

    def __str__(self) -> str:
        told = []
        if self.mtbf_s is not None:
            told.append(f"mtbf {self.mtbf_s:g} s, mttr {self.mttr_s:g} s")
        if self.outages:
            told.append(f"{len(self.outages)} outages")
        if self.maintenance is not None:
            told.append(f"maintenance of {self.maintenance.for_s:g} s")
        if self.straggler is not None:
            told.append(f"a {self.straggler.pool} machine {self.straggler.factor:g}x as slow")
        if self.checkpoint_interval_tokens:
            told.append(f"checkpoints every {self.checkpoint_interval_tokens} tokens")
        return ", ".join(told)
