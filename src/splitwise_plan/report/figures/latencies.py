"""Latencies of requests as cumulative distributions, with the SLO limits as marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from splitwise_plan.facts.slo import METRICS, Metric
from splitwise_plan.planner.figure_data import Occupied
from splitwise_plan.report import estimates
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.load import design_colours, design_names
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import count, measured
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.distributions import PERCENTILES, Distribution

WIDTH, HEIGHT = 246, 220

Unit = Literal["slowdown", "s"]
AXES: dict[Unit, str] = {"slowdown": "slowdown", "s": "seconds"}


def latencies_figure(scenario: Scenario, served: Sequence[Occupied]) -> Figure:
    """A panel a metric: the share of requests at a latency or less, a line a design."""
    names = design_names([one.design for one in served])
    colours = design_colours([one.design for one in served])
    panels = []
    for metric in METRICS:
        unit = _unit(scenario, metric)
        rows = [
            row
            for one in served
            for of in one.latencies
            if of.metric == metric
            for row in _curve(of, unit, names[one.design])
        ]
        if rows:
            panels.append(_panel(metric, unit, rows, _limits(scenario, metric, unit), colours))
    return style.figure(
        "latencies",
        "Latencies of the requests",
        "Share of the requests at a latency or less, over all repetitions. Marks: SLO limits; a "
        "line that passes to the left of a mark or above it meets that limit.",
        {"hconcat": panels, "spacing": 26, "resolve": {"scale": {"color": "shared"}}},
        f"Cumulative distributions of latencies of {count(len(served), 'design')}",
    )


def _unit(scenario: Scenario, metric: Metric) -> Unit:
    """The unit of the metric's SLOs: seconds where all are in seconds."""
    units = {target.unit for target in scenario.slos.targets if target.metric == metric}
    return "s" if units == {"s"} else "slowdown"


def _curve(of: Distribution, unit: Unit, name: str) -> list[Row]:
    values = of.seconds if unit == "s" else of.slowdown
    return [
        {
            "latency": value,
            "share": percentile / 100.0,
            "design": name,
            "requests": f"{percentile:g} % within {measured(value, unit)}",
        }
        for percentile, value in zip(PERCENTILES, values, strict=True)
        if math.isfinite(value) and value > 0.0
    ]


def _limits(scenario: Scenario, metric: Metric, unit: Unit) -> list[Row]:
    return [
        {
            "latency": target.limit,
            "share": target.percentile / 100.0,
            "SLO": f"{style.target_name(target)} at most {estimates.limit(target)}",
        }
        for target in scenario.slos.targets
        if target.metric == metric and target.unit == unit
    ]


def _panel(metric: Metric, unit: Unit, rows: list[Row], limits: list[Row], colours: Spec) -> Spec:
    x = quantitative(
        "latency", AXES[unit], scale={"type": "log", "nice": False, "padding": 8},
        axis={"tickCount": 6, "format": "~g", "labelOverlap": True},
    )  # fmt: skip
    y = quantitative("share", "share of requests", scale={"domain": [0, 1]}, axis={"format": ".0%"})
    legend = {"orient": "bottom", "columns": 3, "symbolType": "stroke", "symbolStrokeWidth": 3}
    lines: Spec = {"x": x, "y": y, "color": nominal("design", None, scale=colours, legend=legend)}
    return {
        "title": metric.upper(),
        "width": WIDTH,
        "height": HEIGHT,
        "data": style.data(rows),
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": lines},
            {"mark": {"type": "point", "size": 60, "opacity": 0},
             "encoding": {**lines, "tooltip": tooltip("design", "requests")}},
            {
                "data": style.data(limits),
                "mark": {"type": "point", "shape": "triangle-left", "size": 80, "filled": True,
                         "color": style.LIMIT, "opacity": 1},
                "encoding": {"x": x, "y": y, "tooltip": tooltip("SLO")},
            },
        ],
    }  # fmt: skip
