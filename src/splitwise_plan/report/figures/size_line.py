"""The map of a baseline, which has one pool: a line over its sizes."""

from __future__ import annotations

from itertools import product

from splitwise_plan.planner.sweep import MapResult
from splitwise_plan.report import estimates
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.map_cells import (
    FIELDS,
    STAR,
    axis_title,
    metrics_of,
    rate,
    row_of,
    star_caption,
    summary,
)
from splitwise_plan.report.figures.style import Figure, Spec, quantitative, tooltip
from splitwise_plan.scenario.scenario import Scenario

HIGHEST = 3.0


def size_line(scenario: Scenario, result: MapResult) -> Figure:
    """A baseline has one pool: each metric's tightest SLO against the number of machines."""
    rows = []
    for cell, metric in product(result.cells, metrics_of(result)):
        of = [e for e in cell.evaluation.estimates if e.target.metric == metric]
        if of:
            worst = max(of, key=style.ratio)
            row = row_of(scenario, cell)
            row["metric"] = metric.upper()
            row["share"] = min(style.ratio(worst), HIGHEST)
            row["SLO"] = f"{style.target_name(worst.target)}: {estimates.text(worst)}"
            rows.append(row)
    metrics = [metric.upper() for metric in metrics_of(result)]
    colours = [style.METRIC_COLOURS[metric.lower()] for metric in metrics]
    colour = style.nominal("metric", "tightest SLO of", scale={"domain": metrics, "range": colours})
    best = [row_of(scenario, cell) for cell in result.optima[scenario.minimize][:1]]
    x = quantitative("P", axis_title(result, "prompt"), scale={"zero": False})
    title, y_scale = "value / limit", {"domain": [0, HIGHEST], "clamp": True}
    layers: list[Spec] = [
        style.limit_rule("y"),
        {
            "data": style.data(rows),
            "mark": {"type": "line", "point": {"size": 28}, "strokeWidth": 2},
            "encoding": {
                "x": x,
                "y": quantitative("share", title, scale=y_scale),
                "color": colour,
                "tooltip": tooltip("design", "verdict", "SLO", "cost", "provisioned power"),
            },
        },
        {
            "data": style.data(best),
            "mark": {"type": "point", "shape": STAR, "size": 170, "fill": "white",
                     "stroke": "black", "filled": True, "opacity": 1, "strokeWidth": 1.3},
            "encoding": {"x": x, "y": quantitative("value", title), "tooltip": tooltip(*FIELDS)},
        },
    ]  # fmt: skip
    name = result.space.family.name
    return style.figure(
        "map",
        f"How many machines of {name} meet the SLOs, {rate(scenario)}",
        "Each metric's tightest SLO as a share of its limit (values above 3 are drawn at 3). "
        f"{star_caption(scenario, result)}",
        {"width": 640, "height": 300, "layer": [one for one in layers if one["data"]["values"]]},
        f"Value over limit by number of machines of {name}: {summary(result)}",
    )
