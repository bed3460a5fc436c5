"""Raw measurements of an LLM on a machine: what profiles are medians of."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """R benchmark runs, one entry each in every array (R,).

    `llm`, `hardware`: names as in the source. `prompt_s`: seconds of the prompt phase; `token_s`:
    of one token iteration. `peak_power`, `average_power`: fractions of GPU TDP, 0 if not measured.
    """

    llm: NDArray[np.str_]
    hardware: NDArray[np.str_]
    tensor_parallel: Ints
    prompt_tokens: Ints
    batch_size: Ints
    output_tokens: Ints
    prompt_s: Floats
    token_s: Floats
    peak_power: Floats
    average_power: Floats

    def __len__(self) -> int:
        return len(self.prompt_s)

    @property
    def batch_tokens(self) -> Ints:
        """Prompt tokens of the whole batch."""
        return self.prompt_tokens * self.batch_size

    def select(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Measurements:
        """The measurements at `rows`, a mask or indices."""
        return Measurements(
            **{field.name: getattr(self, field.name)[rows] for field in fields(self)}
        )

    def of(self, llm: str, hardware: str, tensor_parallel: int) -> Measurements:
        return self.select(
            (self.llm == llm)
            & (self.hardware == hardware)
            & (self.tensor_parallel == tensor_parallel)
        )
