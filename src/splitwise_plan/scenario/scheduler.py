"""Scheduling options of cluster and machine (scenario table `[scheduler]`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class SchedulerOptions:
    """Defaults are SplitwiseSim's; the paper's text says `pending_tokens` and `drained`."""

    token_end: Literal["booked_memory", "pending_tokens"] = "booked_memory"
    mixed_return: Literal["idle", "drained"] = "idle"
    prompt_queue_limit_tokens: int = 8192
    max_batch_size: int = 512
    max_batch_tokens: int = 2048
    max_passes: int = 4
    """A task passed over at this many boundaries is aged and goes first."""
    mixing_factor: float = 1.1
