"""Families side by side: size, price and power, SLO margins, and how busy their pools are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from splitwise_plan.facts.scenario import Scenario
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.design_map import limit_rule
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import count, kilowatts, significant
from splitwise_plan.search.confidence import Estimate
from splitwise_plan.search.outcome import Details, FamilyResult, SearchResult
from splitwise_plan.search.space import objective

BAR, PANEL, NARROW = 30, 172, 125
FURTHEST = 2.0
"""Values beyond so many times their limit are drawn there, as triangles."""
MISSED = "#d5dae0"
BANDS = {"paddingInner": 0.32, "paddingOuter": 0.15}


def ordered(scenario: Scenario, result: SearchResult) -> list[FamilyResult]:
    """The best family first, then others that meet the SLOs, by the objective, then the rest."""

    def key(family: FamilyResult) -> tuple[bool, bool, float]:
        if family.best is None:
            return (True, True, 0.0)
        if family.rate_rps is not None:
            return (family is not result.best, False, -family.rate_rps)
        return (family is not result.best, False,
                objective(scenario, family.best.evaluation.design))  # fmt: skip

    return sorted(result.families, key=key)


def families_figure(scenario: Scenario, result: SearchResult) -> Figure:
    """Cost, power and machines of each family's best design; grey where none meets the SLOs."""
    rows = [_family_row(scenario, family) for family in ordered(scenario, result)]
    families = [family.family for family in result.families]
    scale = style.family_scale(families)
    columns = [("cost", "cost, $/h"), ("power", "provisioned power, kW"), ("count", "machines")]
    if any(family.rate_rps is not None for family in result.families):
        columns.insert(0, ("rate", "largest rate, requests/s"))
    panels = [
        _bars(rows, column, scale, PANEL if len(columns) == 3 else NARROW, names=at == 0)
        for at, column in enumerate(columns)
    ]
    panels.append(_verdicts(len(rows)))
    met = [family.family.name for family in result.families if family.best]
    return style.figure(
        "families",
        "What each family needs",
        "Each family's best design. Light grey: none meets the SLOs, the one that comes closest "
        "is drawn.",
        {"data": style.data(rows), "hconcat": panels, "spacing": 18},
        f"Cost, power and machines; families that meet the SLOs: {', '.join(met) or 'none'}",
    )


def _family_row(scenario: Scenario, family: FamilyResult) -> Row:
    details = family.best or family.closest
    row: Row = {"family": family.family.name, "state": "meets" if family.best else "misses"}
    if details is None:
        return {
            **row,
            **{"design": "-", "told design": family.family.name, "verdict": "not simulated"},
            **dict.fromkeys(("cost", "power", "count", "rate")),
            **{"told cost": "none", "told power": "", "told count": "", "told rate": ""},
        }
    evaluation, design = details.evaluation, details.evaluation.design
    tight = wording.tightest(evaluation)
    return {
        **row,
        "design": style.design_label(design),
        "told design": f"{family.family.name}, {style.design_label(design)}",
        "verdict": wording.short_verdict(evaluation),
        "tightest SLO": (
            f"{style.target_name(tight.target)}: {estimates.text(tight)}" if tight else "-"
        ),
        "rate": family.rate_rps,
        "told rate": f"{family.rate_rps:g}" if family.rate_rps is not None else "",
        "cost": design.cost_usd_per_hour,
        "power": design.provisioned_power_w / 1e3,
        "count": design.machines,
        "told cost": f"${design.cost_usd_per_hour:,.0f}",
        "told power": kilowatts(design.provisioned_power_w),
        "told count": f"{design.machines:,}",
        "throughput": f"{significant(details.throughput_rps)} requests/s",
        "average power": f"{kilowatts(details.energy.average_power_w)} kW",
    }


def _bars(
    rows: Sequence[Row], column: tuple[str, str], scale: Spec, width: int, *, names: bool
) -> Spec:
    field, title = column
    most = max((row[field] for row in rows if row[field] is not None), default=1.0)
    axis = {
        "labels": names,
        "ticks": False,
        "domain": False,
        "labelPadding": 8,
        "labelFontSize": 12,
    }
    y = nominal("told design", None, axis=axis, scale=BANDS)
    x = quantitative(
        field, title, scale={"domain": [0, 1.24 * most], "nice": False},
        axis={"tickCount": 4, "domain": False},
    )  # fmt: skip
    missed = {"test": "datum.state != 'meets'", "value": MISSED}
    colour = nominal("family", None, scale=scale, legend=None)
    fields = (
        *("family", "design", "verdict", "tightest SLO"),
        *("told cost", "told power", "told count", "throughput", "average power"),
    )
    return {
        "width": width,
        "height": BAR * len(rows) + 8,
        "encoding": {"y": y, "x": x},
        "layer": [
            {
                "mark": {"type": "bar", "cornerRadiusEnd": 2},
                "encoding": {
                    "color": {"condition": missed, **colour},
                    "tooltip": _titled(fields),
                },
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 11.5,
                         "color": style.INK},
                "encoding": {"text": {"field": f"told {field}"}},
            },
        ],
    }  # fmt: skip


def _verdicts(families: int) -> Spec:
    """A column of text beside the bars."""
    y = nominal("told design", None, axis=None, scale=BANDS)
    colour = {"condition": {"test": "datum.state == 'meets'", "value": "#1b6e3c"},
              "value": style.LIMIT}  # fmt: skip
    return {
        "title": {"text": "verdict and tightest SLO", "fontSize": 12, "fontWeight": 500,
                  "orient": "bottom", "offset": 22},
        "width": 190,
        "height": BAR * families + 8,
        "layer": [
            {
                "mark": {"type": "text", "align": "left", "x": 0, "dy": dy, "fontSize": size},
                "encoding": {"y": y, "text": {"field": field}, "color": paint},
            }
            for field, dy, size, paint in (
                ("verdict", -6, 11.5, colour),
                ("tightest SLO", 7, 10.5, {"value": style.SOFT}),
            )
        ],
    }  # fmt: skip


def _titled(fields: Sequence[str]) -> list[Spec]:
    titles = {
        "told cost": "cost per hour",
        "told power": "provisioned power, kW",
        "told count": "machines",
    }
    return [{"field": field, "title": titles.get(field, field)} for field in fields]


def margins_figure(scenario: Scenario, result: SearchResult) -> Figure:
    """Every SLO of each family's design: measured value over limit, with its interval."""
    shown = [family for family in ordered(scenario, result) if family.best or family.closest]
    targets = [style.target_name(target) for target in scenario.slos.all_targets]
    colours = style.family_colours([family.family for family in result.families])
    columns = 3
    panels = []
    for at, family in enumerate(shown):
        details = family.best or family.closest
        if details is not None:
            panels.append(
                _margins(family, details, targets, colours[family.family.name], at % columns == 0)
            )
    return style.figure(
        "margins",
        "How much room each SLO leaves",
        "Measured value as a share of its limit, with its 95 % interval over repetitions. Left of "
        "the dashed line the SLO is met; triangles are twice the limit or more.",
        {"concat": panels, "columns": columns, "spacing": 20},
        f"{count(len(panels), 'family', 'families')} with {count(len(targets), 'SLO')} each",
    )


def _margins(
    family: FamilyResult, details: Details, targets: Sequence[str], colour: str, names: bool
) -> Spec:
    evaluation = details.evaluation
    rows = []
    for estimate in evaluation.estimates:
        share, limit = style.ratio(estimate), estimate.target.limit
        rows.append(
            {
                "SLO": style.target_name(estimate.target),
                "share": min(share, FURTHEST),
                "low": min(estimate.low / limit, FURTHEST),
                "high": min(estimate.high / limit, FURTHEST),
                "far": share >= FURTHEST,
                "design": f"{family.family.name}, {style.design_label(evaluation.design)}",
                "measured": estimates.text(estimate),
                "room": _room(estimate),
            }
        )
    axis = {"labels": names, "ticks": False, "domain": False, "labelPadding": 6, "grid": True}
    y = {**nominal("SLO", None, axis=axis), "scale": {"domain": list(targets)}}
    x_scale = {"domain": [0, FURTHEST], "nice": False}
    x_axis = {"values": [0, 0.5, 1, 1.5, 2], "format": ".1~f", "domain": False}
    title = "value / limit"
    x = quantitative("share", title, scale=x_scale, axis=x_axis)
    label, verdict = style.design_label(evaluation.design), wording.short_verdict(evaluation)
    return {
        "title": {"text": family.family.name, "subtitle": f"{label}: {verdict}",
                  "subtitleColor": style.SOFT},
        "width": 268,
        "height": 19 * len(targets),
        "data": style.data(rows),
        "layer": [
            limit_rule("x"),
            {
                "mark": {"type": "rule", "strokeWidth": 5, "opacity": 0.3, "color": colour},
                "encoding": {"y": y, "x": quantitative("low", title), "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 62, "opacity": 1,
                         "color": colour},
                "encoding": {
                    "y": y,
                    "x": x,
                    "shape": {"condition": {"test": "datum.far", "value": "triangle-right"},
                              "value": "circle"},
                    "tooltip": tooltip("design", "SLO", "measured", "room"),
                },
            },
        ],
    }  # fmt: skip


def _room(estimate: Estimate) -> str:
    """`19 % to spare`, `2.1 points too little`"""
    if not math.isfinite(estimate.mean) and estimate.attained is None:
        return "-"
    return f"{estimates.room(estimate)} {'to spare' if estimates.is_spare(estimate) else 'missing'}"


def family_details(scenario: Scenario, result: SearchResult) -> list[Details]:
    """Each family's design, the best family first."""
    shown = [family.best or family.closest for family in ordered(scenario, result)]
    return [details for details in shown if details is not None]


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
