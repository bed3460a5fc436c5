"""The map of a family's designs at one rate (paper, Fig. 12)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from splitwise_plan.planner.sweep import MapResult
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.map_cells import (
    CLIP,
    FIELDS,
    STAR,
    axis_title,
    metric_fields,
    metrics_of,
    rate,
    row_of,
    star_caption,
    summary,
)
from splitwise_plan.report.figures.size_line import size_line
from splitwise_plan.report.figures.style import Figure, Row, Spec, quantitative, tooltip
from splitwise_plan.report.numbers import count
from splitwise_plan.scenario.scenario import Scenario

CELL, LEAST, MOST = 22, 320, 680
ROOM = ["#fde725", "#a5db36", "#4ac16d", "#1fa187", "#277f8e"]
"""From much room to little: a part of viridis, which keeps its order in grey."""
MISSED = ["#f0f2f4", "#8d99a6"]
WIDTHS = (5.5, 3.2, 1.4, 1.0)
"""Of the contours, so that all can be seen where they run together."""


def map_figure(scenario: Scenario, result: MapResult) -> Figure:
    """Prompt x token machines, or the sizes of a baseline."""
    if result.space.token_machines is None:
        return size_line(scenario, result)
    rows = [row_of(scenario, cell) for cell in result.cells]
    domain_x, domain_y = _domain(result, "token"), _domain(result, "prompt")
    metrics = metrics_of(result)
    layers = [
        _cells([row for row in rows if row["group"] == "meets"], "met: value / limit", ROOM),
        _cells([row for row in rows if row["group"] != "meets"], "missed: value / limit", MISSED),
        _undecided([row for row in rows if row["group"] == "undecided"]),
        _contours([edge for metric in metrics for edge in _edges(result, metric)], metrics),
        *_stars(scenario, result),
    ]
    encoding = {
        "x": quantitative("T", axis_title(result, "token"), **_axis(domain_x)),
        "y": quantitative("P", axis_title(result, "prompt"), **_axis(domain_y)),
    }
    spec: Spec = {
        "width": _pixels(domain_x),
        "height": _pixels(domain_y),
        "layer": [layer for layer in layers if layer["data"]["values"]],
        "encoding": encoding,
        "resolve": {"scale": {"fill": "independent", "color": "independent"}},
    }
    name = result.space.family.name
    return style.figure(
        "map",
        f"Which {name} designs meet the SLOs, {rate(scenario)}",
        "Each cell is one simulated design. Colour: its tightest SLO as a share of the limit. "
        "Grey: misses at least one SLO (darker: further, up to 6 times the limit). Lines: where "
        "all percentiles of one metric are met; the region beyond all of them meets everything. "
        f"{star_caption(scenario, result)}",
        spec,
        f"Map of {count(len(rows), 'design')} of {name}: {summary(result)}",
    )


def _cells(rows: list[Row], title: str, colours: Sequence[str]) -> Spec:
    meets = colours is ROOM
    low = min((row["value"] for row in rows), default=0.0)
    domain = [math.floor(low * 10) / 10, 1.0] if meets else [1.0, CLIP]
    legend: Spec = {"title": title, "gradientLength": 130, "format": ".1f", "tickCount": 4}
    if not meets:
        legend |= {"values": [1, 2, 4, 6], "format": "d"}
    kind = "linear" if meets else "log"
    scale: Spec = {"domain": domain, "range": list(colours), "type": kind, "clamp": True}
    fields = (*FIELDS, *metric_fields(rows))
    return {
        "data": style.data(rows),
        "mark": {"type": "rect", "stroke": "white", "strokeWidth": 0.7},
        "encoding": {
            **_box(),
            "fill": quantitative("value", None, scale=scale, legend=legend),
            "tooltip": tooltip(*fields),
        },
    }


def _box() -> Spec:
    return {
        "x": {"field": "T0", "type": "quantitative"},
        "x2": {"field": "T1"},
        "y": {"field": "P0", "type": "quantitative"},
        "y2": {"field": "P1"},
    }


def _undecided(rows: list[Row]) -> Spec:
    return {
        "data": style.data(rows),
        "mark": {"type": "text", "text": "?", "fontSize": 11, "color": style.SOFT},
        "encoding": {"tooltip": tooltip(*FIELDS, *metric_fields(rows))},
    }


def _edges(result: MapResult, metric: str) -> Iterator[Row]:
    """The sides between cells of which one meets all limits of a metric and the other does not."""
    met = {
        (cell.design.prompt_machines, cell.design.token_machines): all(
            style.ratio(e) <= 1.0 for e in cell.evaluation.estimates if e.target.metric == metric
        )
        for cell in result.cells
    }
    for (p, t), inside in met.items():
        line = {"metric": metric.upper()}
        if met.get((p, t + 1), inside) != inside:
            yield {**line, "T0": t + 0.5, "T1": t + 0.5, "P0": p - 0.5, "P1": p + 0.5}
        if met.get((p + 1, t), inside) != inside:
            yield {**line, "T0": t - 0.5, "T1": t + 0.5, "P0": p + 0.5, "P1": p + 0.5}


def _contours(edges: list[Row], metrics: Sequence[str]) -> Spec:
    names = [metric.upper() for metric in metrics]
    present = [name for name in names if any(edge["metric"] == name for edge in edges)]
    colours = [style.METRIC_COLOURS[name.lower()] for name in present]
    return {
        "data": style.data(edges),
        "mark": {"type": "rule", "strokeCap": "square"},
        "encoding": {
            **_box(),
            "strokeWidth": style.nominal(
                "metric",
                legend=None,
                scale={"domain": names, "range": [WIDTHS[at % 4] for at in range(len(names))]},
            ),
            "color": style.nominal(
                "metric",
                scale={"domain": present, "range": colours},
                legend={"title": "limits met beyond", "symbolType": "stroke"},
            ),
            "tooltip": tooltip("metric"),
        },
    }


def _stars(scenario: Scenario, result: MapResult) -> list[Spec]:
    best = result.optima[scenario.minimize]
    rows = [row_of(scenario, cell) for cell in best]
    marks = []
    for part, fill, size in ((rows[1:], "none", 60), (rows[:1], "#ffffff", 150)):
        marks.append(
            {
                "data": style.data(part),
                "mark": {
                    "type": "point", "shape": STAR, "size": size, "filled": True,
                    "fill": fill if fill != "none" else "transparent", "opacity": 1,
                    "stroke": "black", "strokeWidth": 1.3,
                },
                "encoding": {"tooltip": tooltip(*FIELDS, *metric_fields(part))},
            }
        )  # fmt: skip
    return marks


def _domain(result: MapResult, pool: str) -> tuple[float, float]:
    counts = result.space.prompt_machines if pool == "prompt" else result.space.token_machines
    assert counts is not None
    return counts.low - 0.5, counts.high + 0.5


def _pixels(domain: tuple[float, float]) -> int:
    return round(min(max((domain[1] - domain[0]) * CELL, LEAST), MOST))


def _axis(domain: tuple[float, float]) -> Spec:
    scale = {"domain": list(domain), "nice": False, "zero": False}
    return {"scale": scale, "axis": {"grid": False, "format": "d", "tickMinStep": 1}}
