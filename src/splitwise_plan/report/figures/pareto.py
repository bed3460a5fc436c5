"""Designs that nothing beats in every way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from splitwise_plan.facts.design import Design
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import count, kilowatts, usd


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """A design that meets the SLOs at a rate; `on_front`: nothing beats it in every way."""

    design: Design
    rate_rps: float
    on_front: bool = True


def pareto_figure(points: Sequence[FrontPoint]) -> Figure:
    """Cost and power against each other; throughput too where the points differ in it."""
    rows = [_row(point) for point in points]
    families = style.unique([point.design.family for point in points])
    scale = style.family_scale(families)
    pairs = [("cost", "cost, $/h", "power", "provisioned power, kW")]
    if len({point.rate_rps for point in points}) > 1:
        pairs = [("rate", "throughput, requests/s", "cost", "cost, $/h"),
                 ("rate", "throughput, requests/s", "power", "provisioned power, kW")]  # fmt: skip
    shapes = style.shape_scale([family.name for family in families])
    size = 400 if len(pairs) > 1 else 560
    panels = [_panel(pair, scale, shapes, size, rows) for pair in pairs]
    front = sum(point.on_front for point in points)
    return style.figure(
        "pareto",
        "What can be traded for what",
        "Designs that meet the SLOs. Filled: no other is at least as good in throughput, cost, "
        "power and machines, and better in one. Size: number of machines.",
        {"hconcat": panels, "spacing": 34},
        f"{count(len(points), 'design')}, {front:,} on the front",
    )


def _row(point: FrontPoint) -> Row:
    design = point.design
    return {
        "family": design.family.name,
        "design": style.design_label(design),
        "cost": design.cost_usd_per_hour,
        "power": design.provisioned_power_w / 1e3,
        "machines": design.machines,
        "rate": point.rate_rps,
        "throughput": f"{point.rate_rps:g} requests/s",
        "price": f"{usd(design.cost_usd_per_hour)}/h",
        "provisioned power": f"{kilowatts(design.provisioned_power_w)} kW",
        "front": point.on_front,
    }


def _panel(
    pair: tuple[str, str, str, str], scale: Spec, shapes: Spec, width: int, rows: list[Row]
) -> Spec:
    x, x_title, y, y_title = pair
    legend = {"orient": "bottom", "columns": 3}
    fields = ("family", "design", "throughput", "price", "provisioned power", "machines")
    return {
        "width": width,
        "height": 300,
        "data": style.data(rows),
        "mark": {"type": "point", "strokeWidth": 1.6, "opacity": 1},
        "encoding": {
            "x": quantitative(x, x_title, scale={"zero": False, "padding": 14}),
            "y": quantitative(y, y_title, scale={"zero": False, "padding": 14}),
            "color": nominal("family", None, scale=scale, legend=legend),
            "fill": {
                "condition": {"test": "datum.front", **nominal("family", None, scale=scale,
                                                               legend=None)},
                "value": "transparent",
            },
            "shape": nominal("family", None, scale=shapes, legend=legend),
            "size": quantitative("machines", "machines", scale={"range": [40, 260], "zero": False},
                                 legend=None),
            "tooltip": tooltip(*fields),
        },
    }  # fmt: skip
