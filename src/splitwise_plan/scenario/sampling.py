"""Requests of a run: drawn from a length table and an arrival process, or a trace as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.trace_window import sped_up
from splitwise_plan.facts.workload import LengthTable
from splitwise_plan.scenario.arrivals.draws import draw_arrivals
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.scenario import Scenario


def requests_for(scenario: Scenario, replication: int) -> Requests:
    """The requests of one replication: the same for every design, whatever the order of runs.

    A trace that replays its own arrivals is returned as it is. Otherwise lengths come from the
    workload, or from the trace, and arrivals are drawn.
    """
    if scenario.arrivals.process == "trace":
        if scenario.trace is None:
            raise ValueError("arrivals of a trace need a trace")
        return scenario.trace
    return _drawn(scenario, scenario.arrivals, (replication,))


def requests_over(scenario: Scenario, lasting_s: float, replication: int, stream: int) -> Requests:
    """Requests drawn for so many seconds; `stream`: above 0, another for lists to be independent.

    None of them is one of `requests_for`.
    """
    arrivals = replace(scenario.arrivals, duration_s=lasting_s * scenario.arrivals.speed)
    return _drawn(scenario, arrivals, (replication, stream))


def lengths_of(scenario: Scenario) -> LengthTable:
    """Prompt and output tokens that requests of a scenario have, and how often."""
    if scenario.trace is not None:
        return table_of(scenario.trace)
    if scenario.workload is not None:
        return scenario.workload.lengths
    raise ValueError("needs a workload or a trace")


def _drawn(scenario: Scenario, arrivals: Arrivals, key: tuple[int, ...]) -> Requests:
    rng = np.random.default_rng(np.random.SeedSequence([scenario.seed, *key]))
    drawn = draw_requests(lengths_of(scenario), arrivals, scenario.assumptions.lengths, rng)
    return sped_up(drawn, arrivals.speed)


def table_of(requests: Requests) -> LengthTable:
    """The observed lengths of a trace as a table, each request counted once."""
    ones = np.ones(len(requests), dtype=np.int64)
    return LengthTable(requests.prompt_tokens, requests.output_tokens, ones)


def draw_requests(
    lengths: LengthTable,
    arrivals: Arrivals,
    pairing: Literal["joint", "independent"],
    rng: np.random.Generator,
) -> Requests:
    """Draw arrivals in [0, duration) and a length for each, with replacement.

    `joint`: prompt and output of the same row; `independent`: of two rows drawn separately.
    """
    arrival = draw_arrivals(arrivals, rng)
    cumulative = np.cumsum(lengths.count)
    rows = _draw_rows(cumulative, len(arrival), rng)
    others = rows if pairing == "joint" else _draw_rows(cumulative, len(arrival), rng)
    return Requests(arrival, lengths.prompt_tokens[rows], lengths.output_tokens[others])


def _draw_rows(
    cumulative: NDArray[np.int64], size: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Row numbers in proportion to counts, given their cumulative sum."""
    return np.searchsorted(cumulative, rng.integers(cumulative[-1], size=size), side="right")
