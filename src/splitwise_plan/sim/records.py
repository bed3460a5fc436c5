"""What one run leaves behind: flat records per request and per instance."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Interval = tuple[float, float]
"""From and until, in seconds."""


class Stop(IntEnum):
    """Why a run ended."""

    DRAINED = 0
    """Every request finished."""
    DEADLOCK = 1
    """Nothing can happen any more, yet requests are unfinished."""
    MISSES = 2
    """Early stop: more requests broke a limit than its percentile allows."""
    OVERLOAD = 3
    """The backlog outgrew the bound at which a run is given up."""


STUCK = (Stop.DEADLOCK, Stop.OVERLOAD)
"""Ends of runs that had work left."""


@dataclass(frozen=True, slots=True, eq=False)
class RequestRecords:
    """One entry a request, in order of arrival; inf where it did not happen. Times in seconds.

    Views of the kernel's records, or copies: they stay as they are, the run is over.
    """

    first_token_s: Floats
    """Time of the first output token (absolute)."""
    second_token_s: Floats
    last_token_s: Floats
    prompt_start_s: Floats
    kv_transfer_s: Floats
    """From prompt end to KV cache present at the token side, waiting included; 0 if it stays."""
    prompt_instance: Ints
    token_instance: Ints
    """-1 where the request has no token phase, or was never assigned. `prompt_instance` is -1 too
    where the request was resumed from a checkpoint."""


@dataclass(frozen=True, slots=True, eq=False)
class InstanceRecords:
    """One entry an instance, prompt pool first; times and energy are of the measured window."""

    prompt_busy_s: Floats
    """Time in iterations that held a prompt (with or without token phases)."""
    token_busy_s: Floats
    energy_j: Floats
    """While busy, above nothing; idle energy is added by the metrics."""
    iterations: NDArray[np.int64]
    peak_memory_bytes: Floats
    down_s: Floats
    """Time that its machine was down, whatever for."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The outcome of simulating one design on one list of requests."""

    requests: RequestRecords
    instances: InstanceRecords
    stop: Stop
    measured: Interval
    """The window in which time and energy were counted, cut at the end of the run."""
    end_s: float
    finished: int
    pool_moves: int
    """Moves of an instance into the mixed pool."""
    mixed_requests: int
    """Requests with a phase assigned to an instance of the mixed pool."""
    restarts: int
    """Requests sent back by an outage after their prompt was started; each counts every time."""
    lost_prompt_tokens: int
    """Of prompts that were started and have to be computed again."""
    lost_output_tokens: int
    """That have to be generated again."""
