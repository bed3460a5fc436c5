"""Results as pandas data frames, for notebooks: the same rows as the CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from splitwise_plan.facts.requests import Requests
from splitwise_plan.report.formats.csvfmt import Value, request_rows
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

if TYPE_CHECKING:
    from pandas import DataFrame


def trace_frame(requests: Requests) -> DataFrame:
    """One row a request of a trace."""
    from pandas import DataFrame

    return DataFrame(
        {
            "arrival_s": requests.arrival_s,
            "prompt_tokens": requests.prompt_tokens,
            "output_tokens": requests.output_tokens,
        }
    )


def requests_frame(simulator: Simulator, run: Run) -> DataFrame:
    """One row a request, as `simulate --requests-out` writes them."""
    return frame(request_rows(simulator, run))


def frame(rows: Iterable[Sequence[Value]]) -> DataFrame:
    """Rows, the header first; without any an empty frame."""
    from pandas import DataFrame

    header, *body = list(rows) or [()]
    return DataFrame(body, columns=[str(name) for name in header])
