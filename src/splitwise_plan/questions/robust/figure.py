"""Designs under several loads: how full their tightest SLO is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip

MOST = 2.0
"""Shares of a limit end here: what is beyond is a miss, however far."""


class Standing(NamedTuple):
    """A design under a load. `share`: of the limit of its tightest SLO; above 1 it is missed."""

    design: str
    load: str
    share: float
    told: str


def loads_figure(standings: Sequence[Standing]) -> Figure:
    """A panel a load, a bar a design, and the limit as a line."""
    rows = [_row(one) for one in standings]
    loads = list(dict.fromkeys(one.load for one in standings))
    designs = list(dict.fromkeys(one.design for one in standings))
    bar: Spec = {
        "mark": {"type": "bar", "height": 15},
        "encoding": {
            "x": quantitative("share", "tightest SLO, share of its limit",
                              scale={"domain": [0, MOST]}),
            "y": nominal("design", None, axis={"labelLimit": 260}),
            "color": nominal("meets", None, legend=None, scale={
                "domain": ["yes", "no"], "range": ["#0072b2", style.LIMIT]}),
            "tooltip": tooltip("design", "load", "measured"),
        },
    }  # fmt: skip
    rule: Spec = {
        "mark": {"type": "rule", "color": style.INK, "strokeDash": [4, 3]},
        "encoding": {"x": {"datum": 1}},
    }
    spec: Spec = {
        "data": style.data(rows),
        "facet": {"column": {**nominal("load", None), "sort": loads}},
        "spec": {"width": 190, "height": {"step": 24}, "layer": [bar, rule]},
    }
    return style.figure(
        "loads",
        "Designs under each load",
        "A bar for each design: the SLO that is tightest, as a share of its limit. Beyond the "
        "dashed line it is missed; bars end at twice the limit.",
        spec,
        f"{len(designs)} designs under {len(loads)} loads",
    )


def _row(one: Standing) -> Row:
    return {
        "design": one.design,
        "load": one.load,
        "share": min(one.share, MOST),
        "meets": "yes" if one.share <= 1.0 else "no",
        "measured": one.told,
    }
