"""Figures of a reproduction: bars and curves, with what the paper has in ink."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from splitwise_paper.finding import Line
from splitwise_paper.study import Stack
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative
from splitwise_plan.report.numbers import count

PAPER = "paper"
COLOURS = {PAPER: style.INK, "splitwisesim": "#56b4e9", "measured": "#d55e00"}
WIDTH, HEIGHT = 300, 200
BAR = 9


@dataclass(frozen=True, slots=True)
class Axis:
    """`log`: logarithmic. `domain`: where it should not be that of the data. `format`: `.0%`."""

    title: str
    log: bool = False
    domain: tuple[float, float] | None = None
    format: str = ""

    def channel(self, field_: str) -> Spec:
        scale: Spec = {"type": "log"} if self.log else {"zero": self.domain is None}
        if self.domain is not None:
            scale |= {"domain": list(self.domain), "nice": False}
        axis: Spec = {"tickCount": 6} | ({"format": self.format} if self.format else {})
        return quantitative(field_, self.title, scale=scale, axis=axis)


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves, one a `series`. Rows have `x`, `y`, `series`; perhaps `low`, `high`.

    `points`: rows drawn as marks alone. `limits`: dashed lines at a height.
    """

    title: str
    x: Axis
    y: Axis
    rows: Sequence[Row]
    points: Sequence[Row] = ()
    limits: Sequence[float] = ()
    step: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """The names of the curves with their colours; dashes for the names that have some."""

    colours: Mapping[str, str]
    dashes: Mapping[str, list[int]] = field(default_factory=dict)


def curves(  # noqa: PLR0913, PLR0917
    name: str, title: str, caption: str, panels: Sequence[Panel], series: Series, columns: int = 3
) -> Figure:
    """Panels of curves with one legend."""
    spec = {
        "concat": [_panel(panel, series) for panel in panels],
        "columns": columns,
        "resolve": {"scale": {"color": "shared", "strokeDash": "shared"}},
    }
    told = ", ".join(series.colours)
    drawn = count(len(panels), "panel")
    alt = f"{title}. {drawn} of {panels[0].y.title} over {panels[0].x.title}: {told}"
    return style.figure(name, title, caption, spec, alt)


def _panel(panel: Panel, series: Series) -> Spec:
    names = list(series.colours)
    colour = nominal(
        "series", None, scale={"domain": names, "range": list(series.colours.values())},
        legend={"orient": "bottom", "columns": 3, "symbolType": "stroke", "symbolStrokeWidth": 3},
    )  # fmt: skip
    dash = nominal(
        "series", None, legend=None,
        scale={"domain": names, "range": [series.dashes.get(name, [1, 0]) for name in names]},
    )  # fmt: skip
    place: Spec = {"x": panel.x.channel("x"), "y": panel.y.channel("y")}
    mark: Spec = {"type": "line", "strokeWidth": 2, "clip": True}
    if panel.step:
        mark["interpolate"] = "step-after"
    layers: list[Spec] = [
        {
            "data": style.data(panel.rows),
            "mark": mark,
            "encoding": place | {"color": colour, "strokeDash": dash},
        }
    ]
    banded = [row for row in panel.rows if row.get("low", 0.0) < row.get("high", 0.0)]
    if banded:
        high = {"y": panel.y.channel("low"), "y2": {"field": "high"}}
        band: Spec = {"type": "area", "fillOpacity": 0.16, "clip": True}
        layers.insert(
            0,
            {
                "data": style.data(banded),
                "mark": band,
                "encoding": place | high | {"color": {**colour, "legend": None}},
            },
        )
    if panel.points:
        point: Spec = {"type": "point", "filled": True, "size": 44, "opacity": 1, "clip": True}
        layers.append(
            {
                "data": style.data(panel.points),
                "mark": point,
                "encoding": place | {"color": {**colour, "legend": None}},
            }
        )
    layers += [_limit(limit) for limit in panel.limits]
    return {"title": panel.title, "width": WIDTH, "height": HEIGHT, "layer": layers}


def _limit(at: float) -> Spec:
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "color": style.LIMIT, "strokeDash": [4, 3], "strokeWidth": 1.2},
        "encoding": {"y": {"datum": at}},
    }


def bars(  # noqa: PLR0913, PLR0917
    name: str,
    title: str,
    caption: str,
    groups: Mapping[str, Iterable[Line]],
    stacks: Sequence[Stack],
    columns: int = 2,
) -> Figure:
    """Lines as bars, the paper's beside ours: a panel a group, whose lines have one unit.

    Thin lines: from the least to the most of the seeds, or the range that the paper gives.
    """
    of = {heading: list(lines) for heading, lines in groups.items()}
    ours = _stack_colours(stacks)
    quoted = any(line.paper is not None for lines in of.values() for line in lines)
    colours = {PAPER: COLOURS[PAPER], **ours} if quoted else ours
    panels = [_bars(heading, lines, colours) for heading, lines in of.items()]
    spec = {
        "concat": panels,
        "columns": columns,
        "resolve": {"scale": {"color": "shared"}},
    }
    alt = f"{title}. Bars of the paper and of {', '.join(stack.id for stack in stacks)}"
    return style.figure(name, title, caption, spec, alt)


def _stack_colours(stacks: Sequence[Stack]) -> dict[str, str]:
    """A colour for each stack, in their order."""
    spare = iter(style.OTHER_COLOURS)
    return {one.id: COLOURS.get(one.id) or next(spare) for one in stacks}


def _bars(heading: str, lines: list[Line], colours: Mapping[str, str]) -> Spec:
    rows: list[Row] = []
    for line in lines:
        if line.paper is not None:
            middle = (line.paper.low + line.paper.high) / 2
            rows.append(_bar(line, PAPER, middle, line.paper.low, line.paper.high))
        for stack in colours:
            ours = line.ours.get(stack)
            if ours is not None:
                rows.append(_bar(line, stack, ours.mean, ours.low, ours.high))
    names = list(colours)
    place: Spec = {
        "y": nominal("what", None, axis={"labelLimit": 260}),
        "yOffset": {"field": "series", "type": "nominal", "sort": names,
                    "scale": {"domain": names}},
    }  # fmt: skip
    x = quantitative("value", lines[0].unit, axis={"tickCount": 6})
    colour = nominal(
        "series", None, scale={"domain": names, "range": list(colours.values())},
        legend={"orient": "bottom", "symbolType": "square"},
    )  # fmt: skip
    return {
        "title": heading,
        "width": WIDTH,
        "height": {"step": BAR},
        "data": style.data(rows),
        "layer": [
            {"mark": {"type": "bar"}, "encoding": place | {"x": x, "color": colour}},
            {"mark": {"type": "rule", "color": "#7b8794", "strokeWidth": 1.5},
             "encoding": place | {"x": {**x, "field": "low"}, "x2": {"field": "high"}}},
        ],
    }  # fmt: skip


def _bar(line: Line, series: str, middle: float, low: float, high: float) -> Row:
    return {"what": line.what, "series": series, "value": middle, "low": low, "high": high}
