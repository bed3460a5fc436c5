"""Figures of a trace: rate over time, lengths, gaps, and the shape of its days."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.data.trace.arrival_stats import Times
from splitwise_plan.facts.requests import Requests
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import significant

POINTS = 160
SHORTEST = 100.0
"""Gaps are drawn from this part of their mean on."""
SCALES = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (0.0, "seconds"))
"""What times are told in: the first of which there are two at least."""
WIDTH, HEIGHT = 700, 240
PROMPT, OUTPUT, EXPECTED = "#0072b2", "#d55e00", "#8c96a0"


def trace_figures(requests: Requests, times: Times, *, dated: bool) -> list[Figure]:
    """The figures of a trace, those that it is long enough for."""
    figures = [_rate_figure(times), _lengths_figure(requests)]
    gaps = np.diff(requests.arrival_s)
    if len(gaps) and gaps.max() > 0:
        figures.append(_gaps_figure(gaps))
    if times.day_rps is not None:
        figures.append(_day_figure(times.day_rps, dated=dated))
    return figures


def _rate_figure(times: Times) -> Figure:
    series = times.series
    per_s, unit = next(one for one in SCALES if series.start_s[-1] >= 2 * one[0])
    rows = [
        {"time": start / (per_s or 1.0), "rate": rate, "shown": f"{significant(rate)} requests/s"}
        for start, rate in zip(series.start_s.tolist(), series.rate_rps.tolist(), strict=True)
    ]
    mark: Spec = {"type": "area", "interpolate": "step-after", "line": {"color": PROMPT},
                  "color": PROMPT, "fillOpacity": 0.18}  # fmt: skip
    encoding = {
        "x": quantitative("time", unit, scale={"nice": False}),
        "y": quantitative("rate", "requests/s"),
        "tooltip": tooltip("shown"),
    }
    return style.figure(
        "trace-rate",
        "Rate over time",
        f"Requests per second, in bins of {series.bin_s:g} s.",
        _spec(rows, mark, encoding),
        "Requests per second over the time of the trace",
    )


def _lengths_figure(requests: Requests) -> Figure:
    rows = [
        *_cumulative(requests.prompt_tokens.astype(np.float64), "prompt"),
        *_cumulative(requests.output_tokens.astype(np.float64), "output"),
    ]
    scale = {"domain": ["prompt", "output"], "range": [PROMPT, OUTPUT]}
    encoding = {
        "x": quantitative("value", "tokens", scale={"type": "log"}, axis={"tickCount": 6}),
        "y": quantitative("share", "share of the requests", axis={"format": ".0%"}),
        "color": nominal("of", None, scale=scale, legend={"orient": "bottom"}),
        "strokeDash": nominal("of", None, legend=None),
        "tooltip": tooltip("of", "shown"),
    }
    return style.figure(
        "trace-lengths",
        "Lengths",
        "Share of the requests with so many tokens, or fewer.",
        _spec(rows, {"type": "line", "interpolate": "step-after", "strokeWidth": 2}, encoding),
        "Cumulative distributions of prompt and output tokens",
    )


def _gaps_figure(gaps: NDArray[np.float64]) -> Figure:
    least = max(float(gaps[gaps > 0].min()), float(gaps.mean()) / SHORTEST)
    longer = [(gap, 1.0 - share) for gap, share in _quantiles(gaps) if gap >= least and share < 1]
    mean = float(gaps.mean())
    floor = max(0.5 / len(gaps), 1e-6)
    rows = [_gap_row(gap, share, "this trace") for gap, share in longer if share >= floor]
    expected = [(gap, float(np.exp(-gap / mean))) for gap, _ in longer]
    rows += [_gap_row(gap, share, "Poisson") for gap, share in expected if share >= floor]
    scale = {"domain": ["this trace", "Poisson"], "range": [PROMPT, EXPECTED]}
    encoding = {
        "x": quantitative("value", "seconds to the next request", scale={"type": "log"},
                          axis={"tickCount": 6}),
        "y": quantitative("share", "share of the gaps that are longer",
                          scale={"type": "log", "domain": [floor, 1]},
                          axis={"tickCount": 6}),
        "color": nominal("of", None, scale=scale, legend={"orient": "bottom"}),
        "strokeDash": nominal("of", None, legend=None),
        "tooltip": tooltip("of", "shown"),
    }  # fmt: skip
    return style.figure(
        "trace-gaps",
        "Burstiness",
        "Share of the gaps between requests that are longer than so many seconds, and what a "
        "Poisson process of the same rate would have. Both axes are logarithmic.",
        _spec(rows, {"type": "line", "strokeWidth": 2, "clip": True}, encoding),
        "Distribution of gaps between requests, beside that of a Poisson process",
    )


def _day_figure(day_rps: NDArray[np.float64], *, dated: bool) -> Figure:
    rows = [
        {"hour": hour, "rate": rate, "shown": f"from {hour}:00, {significant(rate)} requests/s"}
        for hour, rate in enumerate(day_rps.tolist())
    ]
    encoding = {
        "x": {"field": "hour", "type": "ordinal", "title": "hour", "axis": {"labelAngle": 0}},
        "y": quantitative("rate", "requests/s"),
        "tooltip": tooltip("shown"),
    }
    zone = "of the day, UTC" if dated else "from the start of the trace, modulo 24"
    return style.figure(
        "trace-day",
        "The shape of its days",
        f"Mean rate in each hour {zone}.",
        _spec(rows, {"type": "bar", "color": PROMPT}, encoding),
        "Mean requests per second in each of 24 hours",
    )


def _cumulative(values: NDArray[np.float64], of: str) -> Iterator[Row]:
    for value, share in _quantiles(values):
        shown = f"{100 * share:.1f} % have {value:,.0f} tokens or fewer"
        yield {"value": value, "share": share, "of": of, "shown": shown}


def _gap_row(gap_s: float, share: float, of: str) -> Row:
    shown = f"{100 * share:.3g} % are longer than {significant(gap_s)} s"
    return {"value": gap_s, "share": share, "of": of, "shown": shown}


def _quantiles(values: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Values and the share of all that they do not exceed: few, and more towards the end."""
    ordered = np.sort(values)
    tail = 1.0 - np.geomspace(1.0, 0.5 / len(ordered), POINTS // 2)
    shares = np.unique(np.concatenate((np.linspace(0.0, 1.0, POINTS), tail)))
    at = np.unique(np.minimum((shares * len(ordered)).astype(np.int64), len(ordered) - 1))
    reached = np.searchsorted(ordered, ordered[at], side="right") / len(ordered)
    return list(zip(ordered[at].tolist(), reached.tolist(), strict=True))


def _spec(rows: list[Row], mark: Spec, encoding: Spec) -> Spec:
    return {
        "width": WIDTH, "height": HEIGHT, "data": style.data(rows),
        "mark": mark, "encoding": encoding,
    }  # fmt: skip
