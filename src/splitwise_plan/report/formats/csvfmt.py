"""Results as CSV: floats to their last digit, empty cells where there is no number."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from splitwise_plan.facts.slo import METRICS, SLOTarget
from splitwise_plan.report.files import Writer
from splitwise_plan.sim.metrics import request_latencies
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

Value = str | float | int | bool | None

REQUEST_COLUMNS = (
    *("request_id", "arrival_s", "prompt_tokens", "output_tokens"),
    *("ttft_s", "tbt_s", "e2e_s", "prompt_instance", "token_instance"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def text(rows: Iterable[Sequence[Value]]) -> str:
    """Rows as one text."""
    stream = io.StringIO()
    write(stream, rows)
    return stream.getvalue()


def write(stream: TextIO, rows: Iterable[Sequence[Value]]) -> None:
    """Write rows, lines ended by a line feed."""
    csv.writer(stream, lineterminator="\n").writerows(
        [cell(value) for value in row] for row in rows
    )


def cell(value: Value) -> str:
    """One cell. Text that a spreadsheet would take for a formula gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else ""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return str(value)


def request_rows(simulator: Simulator, run: Run) -> Iterator[Sequence[Value]]:
    """A header, and a row for each request of a run, in order of arrival."""
    requests, records = simulator.requests, run.requests
    of_all = request_latencies(simulator, run)
    yield REQUEST_COLUMNS
    columns = (
        *(requests.arrival_s, requests.prompt_tokens, requests.output_tokens),
        *(of_all[metric] for metric in METRICS),
        *(records.prompt_instance, records.token_instance),
    )
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for number, (*values, prompt_end, token_end) in enumerate(rows):
        ends = (end if end >= 0 else None for end in (prompt_end, token_end))
        yield (number, *values, *ends)


def target_column(target: SLOTarget) -> str:
    """`tbt_p50_slowdown`, `ttft_p99.9_s`"""
    return f"{target.metric}_p{target.percentile:g}_{target.unit}"


def request_writer(simulator: Simulator, run: Run) -> Writer:
    """Writes one row a request."""
    return lambda stream: write(stream, request_rows(simulator, run))
