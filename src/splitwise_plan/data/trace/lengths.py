"""What a trace or a workload looks like."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.workload import LengthTable
from splitwise_plan.report.formats.csvfmt import Value
from splitwise_plan.report.numbers import NONE, significant
from splitwise_plan.report.page import Column, Page, Sheet, Statement, plain, words
from splitwise_plan.report.report import Report

TRACE = "splitwise-plan/trace/1"
STATISTICS = ("mean", "p50", "p90", "p99", "max")


class Shape(NamedTuple):
    """Requests without their order. Times are None for a workload: it has none of its own."""

    requests: int
    duration_s: float | None
    rate_rps: float | None
    correlation: float | None
    prompt_tokens: dict[str, float]
    output_tokens: dict[str, float]


def shape_of_trace(requests: Requests) -> Shape:
    """The shape of a trace; its rate is over the time from the first to the last arrival."""
    duration = float(requests.arrival_s[-1] - requests.arrival_s[0])
    rate = (len(requests) - 1) / duration if duration > 0 else None
    return _shape(requests.prompt_tokens, requests.output_tokens, duration, rate)


def shape_of_lengths(table: LengthTable) -> Shape:
    """The shape of a length table, each row as often as it counts."""
    prompt, output = (
        np.repeat(tokens, table.count) for tokens in (table.prompt_tokens, table.output_tokens)
    )
    return _shape(prompt, output, None, None)


def describe(name: str, shape: Shape) -> Report:
    """The report on a shape."""
    parts = {"prompt": shape.prompt_tokens, "output": shape.output_tokens}
    columns = (words("tokens"), *(Column(_title(one)) for one in STATISTICS))
    rows = tuple(
        plain(part, *(f"{numbers[one]:,.0f}" for one in STATISTICS))
        for part, numbers in parts.items()
    )
    told = f"{shape.requests:,}"
    if shape.duration_s is not None:
        rate = NONE if shape.rate_rps is None else significant(shape.rate_rps)
        told += f" over {significant(shape.duration_s)} s, {rate} requests/s"
    between = NONE if shape.correlation is None else f"{shape.correlation:.3f}"
    top = (
        Statement("Trace" if shape.duration_s is not None else "Workload", (name,)),
        Statement("Requests", (told,)),
        Statement("Lengths", (f"correlation of prompt and output {between}",)),
    )
    page = Page("Requests", top, (Sheet(columns, rows),))
    table: list[tuple[Value, ...]] = [("tokens", *STATISTICS)]
    table += [(part, *(values[one] for one in STATISTICS)) for part, values in parts.items()]
    return Report(page, {"schema": TRACE, "name": name, **shape._asdict()}, table)


def _shape(
    prompt: NDArray[np.int64],
    output: NDArray[np.int64],
    duration_s: float | None,
    rate_rps: float | None,
) -> Shape:
    varied = prompt.min() < prompt.max() and output.min() < output.max()
    correlation = float(np.corrcoef(prompt, output)[0, 1]) if varied else None
    counted = (_statistics(prompt), _statistics(output))
    return Shape(len(prompt), duration_s, rate_rps, correlation, *counted)


def _statistics(tokens: NDArray[np.int64]) -> dict[str, float]:
    p50, p90, p99 = np.percentile(tokens, [50, 90, 99])
    numbers = (tokens.mean(), p50, p90, p99, tokens.max())
    return {name: float(number) for name, number in zip(STATISTICS, numbers, strict=True)}


def _title(statistic: str) -> str:
    return statistic.upper() if statistic.startswith("p") else statistic
