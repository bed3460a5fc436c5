"""A day: the load, the machines that serve it, and the power they draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import significant

COLOURS = {"all on": "#8c96a0", "rest idle": "#e69f00", "rest off": "#0072b2"}
COLOURS |= {"pools switched, rest idle": "#009e73"}


class Point(NamedTuple):
    """A part of the day, from `start` to `end` hours, run in one way."""

    name: str
    start: float
    end: float
    way: str
    machines: int
    kw: float
    told: str


def day_figure(points: Sequence[Point]) -> Figure:
    """Two panels over the day, a line for each way to run it."""
    rows = [_row(one) for one in points]
    ways = list(dict.fromkeys(one.way for one in points))
    scale = {"domain": ways, "range": [COLOURS[way] for way in ways]}
    panels = [_panel("machines", "machines on", scale), _panel("kW", "average power, kW", scale)]
    return style.figure(
        "day",
        "The day, part by part",
        "Machines that are on, and what all machines draw. Rest idle: machines that are not "
        "needed wait; rest off: they draw nothing.",
        {"data": style.data(rows), "vconcat": panels},
        f"Machines and power over {len(rows) // max(len(ways), 1)} parts of a day",
    )


def _row(one: Point) -> Row:
    return {
        "part": one.name,
        "start": one.start,
        "end": one.end,
        "way": one.way,
        "machines": one.machines,
        "kW": one.kw,
        "power": f"{significant(one.kw)} kW",
        "load": one.told,
    }


def _panel(field: str, title: str, scale: Spec) -> Spec:
    return {
        "width": 620,
        "height": 150,
        "mark": {"type": "rule", "strokeWidth": 3, "strokeCap": "round"},
        "encoding": {
            "x": quantitative("start", "hour", scale={"nice": False}),
            "x2": {"field": "end"},
            "y": quantitative(field, title, scale={"zero": True}),
            "color": nominal("way", None, scale=scale, legend={"orient": "bottom"}),
            "tooltip": tooltip("part", "load", "way", "machines", "power"),
        },
    }
