"""How far each number may be off: bars to the left and to the right of what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import percent

COLOURS = {
    "misses its SLOs": style.LIMIT,
    "another is better": "#0072b2",
    "no change that far": "#cbd2d9",
}
NEAREST = 1.25
"""The axis reaches at least so far, and no further than the furthest change."""


TICKS = (0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0)


class Bar(NamedTuple):
    """A number's threshold in one direction, as a factor; `end` of what was looked at if `none`."""

    name: str
    end: float
    kind: str
    told: str


def tornado_figure(bars: Sequence[Bar]) -> Figure:
    """Bars from 1 to the threshold, on a logarithmic axis, in the order given."""
    reach = max(
        [max(one.end, 1.0 / one.end) for one in bars if one.kind != "no change that far"],
        default=NEAREST,
    )
    far = max(NEAREST, reach * 1.05)
    names = list(dict.fromkeys(one.name for one in bars))
    ticks = [one for one in TICKS if 1.0 / far <= one <= far]
    expression = "(datum.value > 1 ? '+' : '') + format((datum.value - 1) * 100, '.0f') + ' %'"
    axis = {"labelExpr": expression, "values": ticks, "grid": True}
    x = quantitative("end", "wrong by", scale={"type": "log", "domain": [1.0 / far, far],
                                               "nice": False}, axis=axis)  # fmt: skip
    y = nominal("name", None, scale={"domain": names}, axis={"labelLimit": 260})
    bar: Spec = {
        "mark": {"type": "bar", "height": 17, "clip": True},
        "encoding": {
            "x": x,
            "x2": {"datum": 1},
            "y": y,
            "color": nominal(
                "kind", None, scale={"domain": list(COLOURS), "range": list(COLOURS.values())},
                legend={"orient": "bottom"},
            ),
            "tooltip": tooltip("name", "wrong by", "then"),
        },
    }  # fmt: skip
    rule: Spec = {"mark": {"type": "rule", "color": style.INK}, "encoding": {"x": {"datum": 1}}}
    rows = [_row(one, far) for one in bars]
    return style.figure(
        "tornado",
        "How wrong each number may be",
        "Each bar ends where the plan changes: red, it no longer meets its SLOs; blue, another "
        "design is better. Grey bars go on: nothing changes as far as the axis goes.",
        {"width": 620, "height": {"step": 28}, "data": style.data(rows), "layer": [bar, rule]},
        f"{len(names)} numbers, the one that the plan is most sensitive to on top",
    )


def _row(one: Bar, far: float) -> Row:
    return {
        "name": one.name,
        "end": min(max(one.end, 1.0 / far), far),
        "kind": one.kind,
        "wrong by": percent(one.end - 1.0, sign=True),
        "then": one.told,
    }
