"""How much room the SLOs of each family's design have."""

from __future__ import annotations

import math
from collections.abc import Sequence

from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.outcome import Details, FamilyResult, SearchResult
from splitwise_plan.questions.search.families_figure import ordered
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import count
from splitwise_plan.scenario.scenario import Scenario

FURTHEST = 2.0
"""Values beyond so many times their limit are drawn there, as triangles."""


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
            style.limit_rule("x"),
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
