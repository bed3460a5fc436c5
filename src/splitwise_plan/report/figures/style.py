"""What all figures have in common: colours, fonts, the figure as a value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from splitwise_plan.facts.design import Design, Family
from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.report import wording

Spec = dict[str, Any]
Row = dict[str, Any]

INK, SOFT, FAINT, LIMIT = "#1f2933", "#52606d", "#e4e7eb", "#b3261e"
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"
FAMILY_COLOURS = {
    "baseline-a100": "#8c96a0",
    "baseline-h100": "#3e4c59",
    "splitwise-aa": "#56b4e9",
    "splitwise-hh": "#0072b2",
    "splitwise-ha": "#009e73",
    "splitwise-hhcap": "#d55e00",
}
"""Okabe and Ito's colours, told apart by colour-blind readers too; greys for the baselines."""
OTHER_COLOURS = ("#cc79a7", "#e69f00", "#7b4fa3", "#a0522d", "#00838f", "#c2185b")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
METRIC_COLOURS = {"ttft": "#e69f00", "tbt": "#cc1f7a", "e2e": "#111111", "goodput": "#5b2a86"}
METRIC_DASHES = {"ttft": [1, 0], "tbt": [5, 2], "e2e": [2, 2], "goodput": [8, 3, 2, 3]}

CONFIG: Spec = {
    "font": FONT,
    "background": "white",
    "view": {"stroke": None},
    "axis": {
        "labelColor": SOFT, "titleColor": INK, "domainColor": "#9aa5b1", "tickColor": "#9aa5b1",
        "gridColor": FAINT, "labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": 500,
        "titlePadding": 8, "labelLimit": 220,
    },
    "legend": {
        "labelColor": INK, "titleColor": INK, "labelFontSize": 11.5, "titleFontSize": 12,
        "titleFontWeight": 500, "symbolSize": 90, "labelLimit": 260,
    },
    "title": {"color": INK, "fontSize": 12.5, "fontWeight": 600, "anchor": "start", "offset": 6},
    "header": {"labelColor": INK, "labelFontSize": 12, "labelFontWeight": 600},
    "concat": {"spacing": 26},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """`name`: of its files. `caption`: how to read it. `alt`: what one sees."""

    name: str
    title: str
    caption: str
    spec: Spec
    alt: str


def figure(name: str, title: str, caption: str, spec: Spec, alt: str) -> Figure:
    """A figure in the common style."""
    padding = {"left": 4, "right": 8, "top": 4, "bottom": 4}
    return Figure(name, title, caption, {**spec, "config": CONFIG, "padding": padding}, alt)


def data(rows: Iterable[Row]) -> Spec:
    """Rows as inline data; numbers that are not finite become null, as JSON wants it."""
    return {"values": [{key: finite(value) for key, value in row.items()} for row in rows]}


def finite(value: Any) -> Any:
    """A value, or None where it is a number that is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def family_colours(families: Sequence[Family]) -> dict[str, str]:
    """A colour for each family by its name: always the same for those of the paper."""
    spare = iter(OTHER_COLOURS * (1 + len(families) // len(OTHER_COLOURS)))
    return {one.name: FAMILY_COLOURS.get(one.id) or next(spare) for one in unique(families)}


def unique(families: Sequence[Family]) -> list[Family]:
    """Families, each once, in the order given."""
    return list({one.id: one for one in families}.values())


def family_scale(families: Sequence[Family]) -> Spec:
    """The colour scale of families."""
    colours = family_colours(families)
    return {"domain": list(colours), "range": list(colours.values())}


def shape_scale(names: Sequence[str]) -> Spec:
    """A shape for each of some names, so that colour is not all that tells them apart."""
    return {"domain": list(names), "range": [SHAPES[at % len(SHAPES)] for at in range(len(names))]}


def tooltip(*fields: str) -> list[Spec]:
    """What is shown on hover: fields whose values are texts or plain numbers, by their names."""
    return [{"field": escaped(field), "title": field} for field in fields]


def escaped(field: str) -> str:
    """A field name as Vega-Lite takes it: dots and brackets are part of the name."""
    return "".join("\\" + c if c in ".[]\\'\"" else c for c in field)


def quantitative(field: str, title: str | None, **more: Any) -> Spec:
    """A channel of numbers."""
    return {"field": escaped(field), "type": "quantitative", "title": title, **more}


def nominal(field: str, title: str | None = None, **more: Any) -> Spec:
    """A channel of names, in the order of the data unless told otherwise."""
    return {"field": escaped(field), "type": "nominal", "title": title, "sort": None, **more}


def limit_rule(axis: str, value: float = 1.0) -> Spec:
    """The line of a limit."""
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "color": LIMIT, "strokeDash": [6, 3], "strokeWidth": 1.5},
        "encoding": {axis: {"datum": value}},
    }


def ratio(estimate: Estimate) -> float:
    """The measured value as a share of its limit: at most 1 where it is met."""
    return estimate.mean / estimate.target.limit


def share_text(value: float) -> str:
    """`62.4 %`"""
    return "-" if math.isnan(value) else f"{100 * value:.1f} %"


def design_label(design: Design) -> str:
    """`24P + 4T`, `58 machines`"""
    return f"{design.machines:,} machines" if design.family.has_one_pool else design.label


def target_name(target: SLOTarget) -> str:
    """As everywhere in the reports."""
    return wording.target_name(target)
