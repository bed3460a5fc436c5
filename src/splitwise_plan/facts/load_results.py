"""What a benchmark of a running server measured: latencies of single requests under load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.requests import Requests

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LoadResults:
    """N requests that finished, in order of arrival; the first arrives at 0.

    `ttft_s`, `e2e_s`: float64 (N,), seconds from arrival to the first and to the last token.
    `source`: the program that measured; `dropped`: requests left out, by reason.
    """

    source: str
    requests: Requests
    ttft_s: Floats
    e2e_s: Floats
    dropped: dict[str, int]

    @property
    def tbt_s(self) -> Floats:
        """Mean time between tokens of each request; nan where there is only one."""
        gaps = (self.requests.output_tokens - 1).astype(np.float64)
        gaps[gaps == 0] = np.nan
        return (self.e2e_s - self.ttft_s) / gaps
