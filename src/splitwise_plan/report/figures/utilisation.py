"""How busy the pools of designs are."""

from __future__ import annotations

from collections.abc import Sequence

from splitwise_plan.planner.outcome import Details
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import kilowatts


def utilisation_figure(of: Sequence[Details]) -> Figure:
    """How busy the pools of designs are, and how much of it with prompts."""
    rows: list[Row] = []
    for details in of:
        design = details.evaluation.design
        for pool in details.pools:
            tokens = pool.utilisation - pool.prompt_share
            name = design.family.name
            whose = f"{name}  ·  {pool.pool} pool"
            common = {
                "pool": whose,
                "design": f"{name}, {style.design_label(design)}",
                "machines": f"{pool.machines:,} {pool.machine}",
                "busy": style.share_text(pool.utilisation),
                "with prompts": style.share_text(pool.prompt_share),
                "average power": f"{kilowatts(pool.average_power_w)} kW",
                "total": pool.utilisation,
            }
            rows.append({**common, "part": "prompts (and tokens beside them)",
                         "start": 0.0, "end": pool.prompt_share})  # fmt: skip
            rows.append({**common, "part": "tokens only", "start": pool.prompt_share,
                         "end": pool.prompt_share + max(tokens, 0.0)})  # fmt: skip
    parts = {"prompts (and tokens beside them)": "#0b4f7d", "tokens only": "#7fc4e8"}
    axis = {"ticks": False, "domain": False, "labelPadding": 8}
    y = nominal("pool", None, axis=axis, scale={"paddingInner": 0.3})
    x_axis = {"format": ".0%", "domain": False}
    title = "share of time in iterations"
    x = quantitative("start", title, scale={"domain": [0, 1.08]},
                     axis={**x_axis, "values": [0, 0.25, 0.5, 0.75, 1]})  # fmt: skip
    colour = nominal("part", None, scale={"domain": list(parts), "range": list(parts.values())},
                     legend={"orient": "top", "symbolType": "square"})  # fmt: skip
    fields = ("pool", "design", "machines", "busy", "with prompts", "average power")
    spec: Spec = {
        "width": 640,
        "height": 22 * len({row["pool"] for row in rows}) + 8,
        "data": style.data(rows),
        "layer": [
            {
                "mark": {"type": "bar"},
                "encoding": {"y": y, "x": x, "x2": {"field": "end"}, "color": colour,
                             "tooltip": tooltip(*fields)},
            },
            {
                "transform": [{"filter": "datum.part == 'tokens only'"}],
                "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 11,
                         "color": style.INK},
                "encoding": {"y": y, "x": quantitative("total", title), "text": {"field": "busy"}},
            },
        ],
    }  # fmt: skip
    return style.figure(
        "utilisation",
        "How busy the pools are",
        "Share of the time that a pool's machines run iterations; the rest is idle.",
        spec,
        f"Utilisation of {len(rows) // 2} pools",
    )
