"""What a map of designs says of each of them, and of all."""

from __future__ import annotations

import math
from collections.abc import Sequence

from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.sweep import MapCell, MapResult
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Row
from splitwise_plan.report.numbers import count, kilowatts, usd
from splitwise_plan.scenario.scenario import Scenario

CLIP = 6.0
"""Values beyond so many times their limit look alike (as in the paper)."""
FIELDS = ("design", "verdict", "tightest SLO", "machines", "cost", "provisioned power")
STAR = (
    "M0,-1L0.235,-0.324L0.951,-0.309L0.38,0.124L0.588,0.809"
    "L0,0.4L-0.588,0.809L-0.38,0.124L-0.951,-0.309L-0.235,-0.324Z"
)


def row_of(scenario: Scenario, cell: MapCell) -> Row:
    """A design as a row of data: its place, its tightest SLO, and what is told of it."""
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


def _beside(estimate: Estimate) -> str:
    """`P50 1.21/1.25`; of a goodput `92.1 % of 90 %`"""
    if estimate.attained is not None:
        return estimates.text(estimate)
    target = estimate.target
    return f"P{target.percentile:g} {_short(estimate.mean)}/{target.limit:g}"


def metric_fields(rows: Sequence[Row]) -> list[str]:
    """The fields of single metrics, which come after those of every map."""
    first = rows[0] if rows else {}
    return [key for key in first if key.isupper() and key not in ("P", "T", "P0", "P1", "T0", "T1")]


def metrics_of(result: MapResult) -> list[str]:
    """The metrics that have limits, each once."""
    found = [e.target.metric for cell in result.cells for e in cell.evaluation.estimates]
    return list(dict.fromkeys(found))


def axis_title(result: MapResult, pool: str) -> str:
    """`prompt machines (DGX-H100)`"""
    family = result.space.family
    if family.has_one_pool:
        return f"machines ({family.prompt_machine.name})"
    machine = family.prompt_machine if pool == "prompt" else family.token_machine
    return f"{pool} machines ({machine.name if machine else ''})"


def rate(scenario: Scenario) -> str:
    """The load that the map is of."""
    return wording.load(scenario, duration=False)


def summary(result: MapResult) -> str:
    """`31 designs of 1,521 meet the SLOs`"""
    meeting = sum(cell.verdict == "meets" for cell in result.cells)
    return f"{count(meeting, 'design')} of {len(result.cells):,} meet the SLOs"


def star_caption(scenario: Scenario, result: MapResult) -> str:
    """What the stars are, or that there is none."""
    best = result.optima[scenario.minimize]
    if not best:
        return "No design of this map meets all SLOs."
    least = wording.OBJECTIVES[scenario.minimize]
    told = f"Star: {least}, {style.design_label(best[0].design)}"
    return told + (" (small stars: as good)." if len(best) > 1 else ".")
