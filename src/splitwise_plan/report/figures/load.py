"""Latency against load, with the SLO lines (paper, Fig. 16)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.sweep import LoadPoint, LoadResult
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import significant
from splitwise_plan.scenario.scenario import Scenario

COLUMNS, WIDTH, HEIGHT = 3, 262, 170
ABOVE = 2.0
"""Axes end at so many times the limit: what is beyond is a miss, however far."""


def load_figure(scenario: Scenario, result: LoadResult, *, asked: bool = False) -> Figure:
    """A panel for each SLO target: the percentile against the rate, a line a design.

    `asked`: with a line at the scenario's own rate.
    """
    rows = {target: _rows(result, target) for target in scenario.slos.all_targets}
    rate = scenario.arrivals.rate_rps if asked else None
    shown = [target for target, of in rows.items() if of]
    names = design_names(result.designs)
    panels = [_panel(result, target, rows[target], names, rate) for target in shown]
    line = "Grey line: the rate asked about. " if rate is not None else ""
    return style.figure(
        "load",
        f"Latency against load, {_lengths(scenario)}",
        f"Dashed: the SLO limit. {line}Bands: 95 % intervals over "
        "repetitions. Axes end at twice the limit, where lines leave the panel. At each rate all "
        "designs serve the same requests.",
        {"concat": panels, "columns": COLUMNS, "resolve": {"scale": {"color": "shared"}}},
        f"{len(panels)} panels, one an SLO: percentile of a latency against requests per second",
    )


def design_names(designs: Sequence[Design]) -> dict[Design, str]:
    """`Splitwise-HH, 24P + 4T`"""
    return {design: f"{design.family.name}, {style.design_label(design)}" for design in designs}


def design_colours(designs: Sequence[Design]) -> Spec:
    """The colour of the family; further designs of a family get colours of their own."""
    families = style.family_colours([design.family for design in designs])
    spare = iter(style.OTHER_COLOURS * (1 + len(designs)))
    colours, seen = [], set()
    for design in designs:
        name = design.family.name
        colours.append(next(spare) if name in seen else families[name])
        seen.add(name)
    return {"domain": list(design_names(designs).values()), "range": colours}


def _rows(result: LoadResult, target: SLOTarget) -> list[Row]:
    names = design_names(result.designs)
    rows = []
    for point in result.points:
        estimate = next((e for e in point.details.evaluation.estimates if e.target == target), None)
        if estimate is not None:
            rows.append(_row(point, estimate, names[point.design]))
    return rows


def _drawn(estimate: Estimate) -> dict[str, float]:
    """The value and the ends of its interval; of a goodput the share of requests."""
    of = estimate.attained or estimate
    return {"value": of.mean, "low": of.low, "high": of.high}


def _row(point: LoadPoint, estimate: Estimate, name: str) -> Row:
    top = ABOVE * estimate.target.limit * 4

    def drawn(value: float) -> float:
        return min(value, top) if not math.isnan(value) else value

    busiest = max(point.details.pools, key=lambda pool: pool.utilisation)
    return {
        "rate": point.rate_rps,
        **{name: drawn(number) for name, number in _drawn(estimate).items()},
        "design": name,
        "load": f"{point.rate_rps:g} requests/s",
        "measured": estimates.text(estimate),
        "verdict": wording.short_verdict(point.details.evaluation),
        "throughput": f"{significant(point.details.throughput_rps)} requests/s",
        "busiest pool": f"{busiest.pool}, {style.share_text(busiest.utilisation)} busy",
    }


def _panel(
    result: LoadResult,
    target: SLOTarget,
    rows: list[Row],
    names: dict[Design, str],
    asked: float | None,
) -> Spec:
    goodput = target.metric == "goodput"
    limit = target.percentile / 100.0 if goodput else target.limit
    top = 1.0 if goodput else ABOVE * limit
    unit = {"slowdown": "slowdown", "s": "seconds"}.get(target.unit, "share of requests")
    x = quantitative(
        "rate", "requests/s", scale={"zero": False, "nice": False, "padding": 6},
        axis={"tickCount": 6},
    )  # fmt: skip
    y = quantitative(
        "value", unit, scale={"domain": [0, top], "nice": False}, axis={"tickCount": 5}
    )
    colour = nominal(
        "design", None, scale=design_colours(result.designs),
        legend={"orient": "bottom", "columns": 3, "symbolOpacity": 1},
    )  # fmt: skip
    shape = nominal("design", None, scale=style.shape_scale(list(names.values())), legend=None)
    fields = ("design", "load", "measured", "verdict", "throughput", "busiest pool")
    layers: list[Spec] = [
        {
            "transform": [{"filter": f"datum.high <= {top}"}],
            "mark": {"type": "area", "fillOpacity": 0.16, "clip": True},
            "encoding": {"x": x, "y": quantitative("low", unit), "y2": {"field": "high"},
                         "color": colour},
        },
        {
            "mark": {"type": "line", "strokeWidth": 2, "clip": True},
            "encoding": {"x": x, "y": y, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 42, "opacity": 1, "clip": True},
            "encoding": {"x": x, "y": y, "color": colour, "shape": shape,
                         "tooltip": tooltip(*fields)},
        },
    ]  # fmt: skip
    layers.append(style.limit_rule("y", limit))
    if asked is not None and min(result.rates_rps) <= asked <= max(result.rates_rps):
        layers.append(
            {
                "data": {"values": [{}]},
                "mark": {"type": "rule", "color": "#9aa5b1", "strokeWidth": 1},
                "encoding": {"x": {"datum": asked}},
            }
        )
    title = f"{style.target_name(target)}   {'≥' if goodput else '≤'} {estimates.limit(target)}"
    return {
        "title": title, "width": WIDTH, "height": HEIGHT, "data": style.data(rows), "layer": layers,
    }  # fmt: skip


def _lengths(scenario: Scenario) -> str:
    workload = scenario.workload.id if scenario.workload else "lengths of the trace"
    return f"{workload}, {scenario.llm.name}"
