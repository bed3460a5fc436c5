"""Batch occupancy: how many tokens are active, for how much of the time (paper, Fig. 17)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.figure_data import Occupied
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.sim.occupancy import Occupancy

POINTS = 120
"""At most so many steps a line: what is left out is less than a pixel."""
DASHES = {"shared": [1, 0], "token": [1, 0], "prompt": [5, 3]}


def batches_figure(occupied: Sequence[Occupied]) -> Figure:
    """Cumulative distributions over time: token phases, and tokens with those of prompts."""
    scale = style.family_scale([one.design.family for one in occupied])
    phases = [
        row
        for one in occupied
        for pool in one.token_phases
        if pool.pool != "prompt"
        for row in _steps(one.design, pool)
    ]
    tokens = [
        row for one in occupied for pool in one.active_tokens for row in _steps(one.design, pool)
    ]
    panels = [
        _panel("Token phases in a machine's batch", "active token phases", phases, scale, 1),
        _panel("All tokens, prompts included", "active tokens", tokens, scale, 20),
    ]
    return style.figure(
        "batches",
        "How full the batches are",
        "Share of the time that an instance has so many tokens active, or fewer. Left: token and "
        "shared pools. Right: as the paper counts, with every token of the prompts in progress; "
        "dashed: prompt pools.",
        {"hconcat": panels, "spacing": 34},
        "Cumulative distribution of active tokens over time, a line a pool",
    )


def _steps(design: Design, pool: Occupancy) -> list[Row]:
    active, reached = pool.active, pool.cumulative
    if len(active) > POINTS:
        wanted = np.searchsorted(reached, np.linspace(reached[0], 1.0, POINTS))
        kept = np.unique(np.minimum(wanted, len(active) - 1))
        active, reached = active[kept], reached[kept]
    name = design.family.name
    return [
        {
            "active": number,
            "share": share,
            "family": name,
            "pool": pool.pool,
            "line": f"{name} {pool.pool}",
            "design": f"{name}, {style.design_label(design)}",
            "time": f"{style.share_text(share)} of the time at {number:,} or fewer",
            "on average": f"{pool.mean:,.1f}",
        }
        for number, share in zip(active.tolist(), reached.tolist(), strict=True)
    ]


def _panel(title: str, x_title: str, rows: list[Row], scale: Spec, linear: int) -> Spec:
    most = max((row["active"] for row in rows), default=1)
    marks = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]
    if linear > 1:
        marks = [0, 20, 100, 500, 2000, 10_000]
    x = quantitative(
        "active", x_title, scale={"type": "symlog", "constant": linear},
        axis={"values": [mark for mark in marks if mark <= most],
              "labelExpr": "format(datum.value, ',')"},
    )  # fmt: skip
    y = quantitative("share", "share of the time", scale={"domain": [0, 1]}, axis={"format": ".0%"})
    legend = {"orient": "bottom", "columns": 3, "symbolType": "stroke", "symbolStrokeWidth": 3}
    encoding: Spec = {
        "x": x,
        "y": y,
        "color": nominal("family", None, scale=scale, legend=legend),
        "detail": nominal("line"),
        "strokeDash": nominal(
            "pool", legend=None, scale={"domain": list(DASHES), "range": list(DASHES.values())}
        ),
    }
    fields = tooltip("design", "pool", "time", "on average")
    return {
        "title": title,
        "width": 400,
        "height": 240,
        "data": style.data(rows),
        "layer": [
            {"mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
             "encoding": encoding},
            {"mark": {"type": "point", "size": 60, "opacity": 0},
             "encoding": {**{key: encoding[key] for key in ("x", "y", "color")},
                          "tooltip": fields}},
        ],
    }  # fmt: skip
