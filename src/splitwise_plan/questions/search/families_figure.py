"""Families side by side: size, price and power."""

from __future__ import annotations

from collections.abc import Sequence

from splitwise_plan.planner.outcome import Details, FamilyResult, SearchResult
from splitwise_plan.planner.space import objective
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative
from splitwise_plan.report.numbers import kilowatts, significant
from splitwise_plan.scenario.scenario import Scenario

BAR, PANEL, NARROW = 30, 172, 125

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


def family_details(scenario: Scenario, result: SearchResult) -> list[Details]:
    """Each family's design, the best family first."""
    shown = [family.best or family.closest for family in ordered(scenario, result)]
    return [details for details in shown if details is not None]
