"""A workload: how long prompts and outputs are. How fast requests arrive is the scenario's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class LengthTable:
    """A joint table: `count[i]` requests had (`prompt_tokens[i]`, `output_tokens[i]`).

    All three int64 (M,), tokens >= 1, counts >= 1.
    """

    prompt_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    count: NDArray[np.int64]

    @property
    def mean_tokens(self) -> tuple[float, float]:
        """Prompt and output tokens of a request, on average."""
        both = (self.prompt_tokens, self.output_tokens)
        prompt, output = (float(np.average(of, weights=self.count)) for of in both)
        return prompt, output


@dataclass(frozen=True, slots=True)
class Workload:
    """A named workload. The source of its lengths is in `workloads/<id>.toml`."""

    id: str
    name: str
    lengths: LengthTable
