"""A trace that displays itself in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from splitwise_plan.facts.requests import Requests
from splitwise_plan.report.formats import frames
from splitwise_plan.report.formats.notebook import View

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class TraceView(View):
    """A trace. `to_pandas()`: one row a request."""

    requests: Requests

    def __len__(self) -> int:
        return len(self.requests)

    def to_pandas(self) -> DataFrame:
        return frames.trace_frame(self.requests)
