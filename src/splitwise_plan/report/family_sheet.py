"""The families of a search side by side."""

from __future__ import annotations

from splitwise_plan.facts.design import FamilySpace
from splitwise_plan.facts.slo import METRICS, SLOTarget
from splitwise_plan.planner.nearest import nearest
from splitwise_plan.planner.outcome import Details, FamilyResult, SearchResult
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.formats.jsonfmt import status
from splitwise_plan.report.front import score
from splitwise_plan.report.numbers import NONE, kilowatts, percent
from splitwise_plan.report.page import Cell, Column, Sheet, words
from splitwise_plan.report.proof import bound_sign
from splitwise_plan.scenario.scenario import Scenario


def family_sheet(scenario: Scenario, result: SearchResult) -> Sheet:
    """A row a family, best first; of each metric the target that is tightest for the best."""
    targets = _shown_targets(result)
    columns = [
        *(words("family"), words("design")),
        *([Column("requests/s")] if scenario.maximize else []),
        *(Column("machines", optional=3), Column("$/h"), Column("kW")),
        *(_target_column(target, result) for target in targets),
        Column("verdict", number=False),
    ]
    rows = [_row(scenario, result, family, targets) for family in _ordered(scenario, result)]
    return Sheet(tuple(columns), tuple(rows))


def _ordered(scenario: Scenario, result: SearchResult) -> list[FamilyResult]:
    """Families that meet the SLOs by the objective, the best first, then the others."""

    def key(family: FamilyResult) -> float:
        own = score(scenario, family)
        return -own if scenario.maximize else own

    others = [family for family in result.families if family is not result.best]
    return ([result.best] if result.best else []) + sorted(others, key=key)


def _shown(result: SearchResult) -> Details | None:
    """The design whose targets are shown."""
    return result.best.best if result.best else nearest(result)


def _shown_targets(result: SearchResult) -> list[SLOTarget]:
    details = _shown(result)
    if details is None:
        return []
    shown = []
    for metric in (*METRICS, "goodput"):
        of_metric = [e for e in details.evaluation.estimates if e.target.metric == metric]
        if of_metric:
            shown.append(max(of_metric, key=lambda e: e.high / e.target.limit).target)
    return shown


def _target_column(target: SLOTarget, result: SearchResult) -> Column:
    """The target that binds is the last to be left out."""
    details = _shown(result)
    binds = wording.tightest(details.evaluation) if details else None
    last = binds is not None and binds.target == target
    return Column(wording.target_name(target), optional=1 if last else 2)


def _row(
    scenario: Scenario, result: SearchResult, family: FamilyResult, targets: list[SLOTarget]
) -> tuple[Cell, ...]:
    details = family.best or family.closest
    if family.best is not None:
        design = family.best.evaluation.design
        sizes = [f"{design.machines:,}", f"{design.cost_usd_per_hour:,.0f}"]
        sizes.append(kilowatts(design.provisioned_power_w))
        label = design.label
    else:
        label = "none" if scenario.maximize else f"none up to {_largest(family.space)}"
        sizes = [NONE] * 3
    if scenario.maximize:
        sizes.insert(0, f"{family.rate_rps:,g}" if family.rate_rps else NONE)
    values = [_value(details, target) for target in targets]
    return (
        Cell(family.family.name),
        Cell(label),
        *(Cell(text) for text in (*sizes, *values)),
        _verdict(scenario, result, family),
    )


def _largest(space: FamilySpace) -> str:
    """The end of the range, as a design is written."""
    if space.token_machines is None:
        return str(space.prompt_machines.high)
    return f"{space.prompt_machines.high}P + {space.token_machines.high}T"


def _value(details: Details | None, target: SLOTarget) -> str:
    found = {e.target: e for e in details.evaluation.estimates} if details else {}
    return estimates.value(found[target]) if target in found else NONE


def _verdict(scenario: Scenario, result: SearchResult, family: FamilyResult) -> Cell:
    """`meets  <- best`, `meets, +11 %`, `misses TBT P50`"""
    if family.best is None:
        known = status(family)
        near = family.closest
        empty = "over budget" if scenario.maximize else "too small"
        told = known if near or known != "misses" else empty
        if near and known == "misses":
            told = wording.short_verdict(near.evaluation)
        return Cell(told, "bad")
    if result.best is None or result.best is family or result.best.best is None:
        return Cell("meets ← best", "good")
    best, own = score(scenario, result.best), score(scenario, family)
    if own == best or best == 0:
        return Cell("meets, as good" if own == best else "meets")
    than_best = percent(own / best - 1, sign=True)
    return Cell(f"meets, {bound_sign(scenario, result, family)}{than_best}")
