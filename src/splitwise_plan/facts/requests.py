"""The requests of one run: arrival times and token counts, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """N requests in order of arrival.

    `arrival_s`: float64 (N,), non-decreasing, >= 0. `prompt_tokens`, `output_tokens`: int64 (N,),
    >= 1; the first output token comes from the prompt phase.
    """

    arrival_s: NDArray[np.float64]
    prompt_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.arrival_s)

    def where(self, some: NDArray[np.bool_]) -> Requests:
        """Some of them: bool (N,)."""
        return Requests(self.arrival_s[some], self.prompt_tokens[some], self.output_tokens[some])
