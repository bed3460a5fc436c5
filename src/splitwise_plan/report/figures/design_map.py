"""The map of a family's designs at one rate (paper, Fig. 12)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

from splitwise_plan.facts.scenario import Scenario
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, quantitative, tooltip
from splitwise_plan.report.numbers import count, kilowatts, usd
from splitwise_plan.search.confidence import Estimate
from splitwise_plan.search.sweep import MapCell, MapResult

HIGHEST = 3.0
CLIP = 6.0
"""Values beyond so many times their limit look alike (as in the paper)."""
CELL, LEAST, MOST = 22, 320, 680
ROOM = ["#fde725", "#a5db36", "#4ac16d", "#1fa187", "#277f8e"]
"""From much room to little: a part of viridis, which keeps its order in grey."""
MISSED = ["#f0f2f4", "#8d99a6"]
WIDTHS = (5.5, 3.2, 1.4, 1.0)
"""Of the contours, so that all can be seen where they run together."""
FIELDS = ("design", "verdict", "tightest SLO", "machines", "cost", "provisioned power")
STAR = (
    "M0,-1L0.235,-0.324L0.951,-0.309L0.38,0.124L0.588,0.809"
    "L0,0.4L-0.588,0.809L-0.38,0.124L-0.951,-0.309L-0.235,-0.324Z"
)


def map_figure(scenario: Scenario, result: MapResult) -> Figure:
    """Prompt x token machines, or the sizes of a baseline."""
    if result.space.token_machines is None:
        return _line(scenario, result)
    rows = [_row(scenario, cell) for cell in result.cells]
    domain_x, domain_y = _domain(result, "token"), _domain(result, "prompt")
    metrics = _metrics(result)
    layers = [
        _cells([row for row in rows if row["group"] == "meets"], "met: value / limit", ROOM),
        _cells([row for row in rows if row["group"] != "meets"], "missed: value / limit", MISSED),
        _undecided([row for row in rows if row["group"] == "undecided"]),
        _contours([edge for metric in metrics for edge in _edges(result, metric)], metrics),
        *_stars(scenario, result),
    ]
    encoding = {
        "x": quantitative("T", _axis_title(result, "token"), **_axis(domain_x)),
        "y": quantitative("P", _axis_title(result, "prompt"), **_axis(domain_y)),
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
        f"Which {name} designs meet the SLOs, {_rate(scenario)}",
        "Each cell is one simulated design. Colour: its tightest SLO as a share of the limit. "
        "Grey: misses at least one SLO (darker: further, up to 6 times the limit). Lines: where "
        "all percentiles of one metric are met; the region beyond all of them meets everything. "
        f"{_star_caption(scenario, result)}",
        spec,
        f"Map of {count(len(rows), 'design')} of {name}: {_summary(result)}",
    )


def _row(scenario: Scenario, cell: MapCell) -> Row:
    design, tight = cell.design, cell.tightest
    worst = min(style.ratio(tight), CLIP) if tight else CLIP
    row: Row = {
        "P": design.prompt_machines,
        "T": design.token_machines,
        "P0": design.prompt_machines - 0.5,
        "P1": design.prompt_machines + 0.5,
        "T0": design.token_machines - 0.5,
        "T1": design.token_machines + 0.5,
        "group": cell.verdict if cell.verdict in ("meets", "undecided") else "misses",
        "value": worst if math.isfinite(worst) else CLIP,
        "design": style.design_label(design),
        "verdict": wording.short_verdict(cell.evaluation),
        "tightest SLO": (
            f"{style.target_name(tight.target)}: {estimates.text(tight)}" if tight else "-"
        ),
        "machines": f"{design.machines:,}",
        "cost": f"{usd(design.cost_usd_per_hour)}/h",
        "provisioned power": f"{kilowatts(design.provisioned_power_w)} kW",
    }
    for metric in dict.fromkeys(e.target.metric for e in cell.evaluation.estimates):
        told = [_beside(e) for e in cell.evaluation.estimates if e.target.metric == metric]
        row[metric.upper()] = " · ".join(told)
    return row


def _short(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "inf"


def _cells(rows: list[Row], title: str, colours: Sequence[str]) -> Spec:
    meets = colours is ROOM
    low = min((row["value"] for row in rows), default=0.0)
    domain = [math.floor(low * 10) / 10, 1.0] if meets else [1.0, CLIP]
    legend: Spec = {"title": title, "gradientLength": 130, "format": ".1f", "tickCount": 4}
    if not meets:
        legend |= {"values": [1, 2, 4, 6], "format": "d"}
    kind = "linear" if meets else "log"
    scale: Spec = {"domain": domain, "range": list(colours), "type": kind, "clamp": True}
    fields = (*FIELDS, *_metric_fields(rows))
    return {
        "data": style.data(rows),
        "mark": {"type": "rect", "stroke": "white", "strokeWidth": 0.7},
        "encoding": {
            **_box(),
            "fill": quantitative("value", None, scale=scale, legend=legend),
            "tooltip": tooltip(*fields),
        },
    }


def _metric_fields(rows: Sequence[Row]) -> list[str]:
    """The fields of single metrics, which come after those of every map."""
    first = rows[0] if rows else {}
    return [key for key in first if key.isupper() and key not in ("P", "T", "P0", "P1", "T0", "T1")]


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
        "encoding": {"tooltip": tooltip(*FIELDS, *_metric_fields(rows))},
    }


def _beside(estimate: Estimate) -> str:
    """`P50 1.21/1.25`; of a goodput `92.1 % of 90 %`"""
    if estimate.attained is not None:
        return estimates.text(estimate)
    target = estimate.target
    return f"P{target.percentile:g} {_short(estimate.mean)}/{target.limit:g}"


def _metrics(result: MapResult) -> list[str]:
    found = [e.target.metric for cell in result.cells for e in cell.evaluation.estimates]
    return list(dict.fromkeys(found))


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
    rows = [_row(scenario, cell) for cell in best]
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
                "encoding": {"tooltip": tooltip(*FIELDS, *_metric_fields(part))},
            }
        )  # fmt: skip
    return marks


def _line(scenario: Scenario, result: MapResult) -> Figure:
    """A baseline has one pool: each metric's tightest SLO against the number of machines."""
    rows = []
    for cell, metric in product(result.cells, _metrics(result)):
        of = [e for e in cell.evaluation.estimates if e.target.metric == metric]
        if of:
            worst = max(of, key=style.ratio)
            row = _row(scenario, cell)
            row["metric"] = metric.upper()
            row["share"] = min(style.ratio(worst), HIGHEST)
            row["SLO"] = f"{style.target_name(worst.target)}: {estimates.text(worst)}"
            rows.append(row)
    metrics = [metric.upper() for metric in _metrics(result)]
    colours = [style.METRIC_COLOURS[metric.lower()] for metric in metrics]
    colour = style.nominal("metric", "tightest SLO of", scale={"domain": metrics, "range": colours})
    best = [_row(scenario, cell) for cell in result.optima[scenario.minimize][:1]]
    x = quantitative("P", _axis_title(result, "prompt"), scale={"zero": False})
    title, y_scale = "value / limit", {"domain": [0, HIGHEST], "clamp": True}
    layers: list[Spec] = [
        limit_rule("y"),
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
        f"How many machines of {name} meet the SLOs, {_rate(scenario)}",
        "Each metric's tightest SLO as a share of its limit (values above 3 are drawn at 3). "
        f"{_star_caption(scenario, result)}",
        {"width": 640, "height": 300, "layer": [one for one in layers if one["data"]["values"]]},
        f"Value over limit by number of machines of {name}: {_summary(result)}",
    )


def limit_rule(axis: str, value: float = 1.0) -> Spec:
    """The line of a limit."""
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "color": style.LIMIT, "strokeDash": [6, 3], "strokeWidth": 1.5},
        "encoding": {axis: {"datum": value}},
    }


def _domain(result: MapResult, pool: str) -> tuple[float, float]:
    counts = result.space.prompt_machines if pool == "prompt" else result.space.token_machines
    assert counts is not None
    return counts.low - 0.5, counts.high + 0.5


def _pixels(domain: tuple[float, float]) -> int:
    return round(min(max((domain[1] - domain[0]) * CELL, LEAST), MOST))


def _axis(domain: tuple[float, float]) -> Spec:
    scale = {"domain": list(domain), "nice": False, "zero": False}
    return {"scale": scale, "axis": {"grid": False, "format": "d", "tickMinStep": 1}}


def _axis_title(result: MapResult, pool: str) -> str:
    family = result.space.family
    if family.is_baseline:
        return f"machines ({family.prompt_machine.name})"
    machine = family.prompt_machine if pool == "prompt" else family.token_machine
    return f"{pool} machines ({machine.name if machine else ''})"


def _rate(scenario: Scenario) -> str:
    return wording.load(scenario, duration=False)


def _summary(result: MapResult) -> str:
    meeting = sum(cell.verdict == "meets" for cell in result.cells)
    return f"{count(meeting, 'design')} of {len(result.cells):,} meet the SLOs"


def _star_caption(scenario: Scenario, result: MapResult) -> str:
    best = result.optima[scenario.minimize]
    if not best:
        return "No design of this map meets all SLOs."
    least = wording.OBJECTIVES[scenario.minimize]
    told = f"Star: {least}, {style.design_label(best[0].design)}"
    return told + (" (small stars: as good)." if len(best) > 1 else ".")
