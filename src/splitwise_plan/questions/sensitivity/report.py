"""The report of a sensitivity analysis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from splitwise_plan.facts.design import Design
from splitwise_plan.questions.sensitivity.analysis import SensitivityResult, Threshold
from splitwise_plan.questions.sensitivity.figure import Bar, tornado_figure
from splitwise_plan.questions.sensitivity.words import facts, pairs, threshold_sheet, what
from splitwise_plan.report import wording
from splitwise_plan.report.folder import Drawn, in_folder
from splitwise_plan.report.formats import csvfmt, html, jsonfmt, page_html
from splitwise_plan.report.page import Page
from splitwise_plan.report.provenance import own_facts
from splitwise_plan.report.report import Report

SCHEMA = "splitwise-plan/sensitivity/1"


def report(
    result: SensitivityResult,
    timing: Mapping[str, float],
    next_steps: Sequence[str] = (),
    *,
    files: bool = False,
) -> Report:
    """The report; `files`: with those of a folder of results."""
    scenario = result.scenario
    top = (*facts(result), *wording.trace_facts(scenario), *own_facts(scenario))
    sheets = (threshold_sheet(result),) if result.thresholds else ()
    page = Page("How wrong the numbers may be", top, sheets)
    told = Report(page, _document(result, timing), list(_rows(result)))
    if files:
        told = in_folder(told, scenario, "thresholds.csv", _drawn(result, page))
    return told.then(next_steps)


def _document(result: SensitivityResult, timing: Mapping[str, float]) -> jsonfmt.Json:
    scenario = result.scenario
    return {
        "schema": SCHEMA,
        **jsonfmt.origin(scenario),
        "objective": jsonfmt.objective_document(scenario),
        "best": jsonfmt.detailed(scenario, result.winner) if result.winner else None,
        "winner": result.of,
        "savings": result.savings,
        "thresholds": [_threshold(result, one) for one in result.thresholds],
        "timing": dict(timing),
    }


def _threshold(result: SensitivityResult, one: Threshold) -> jsonfmt.Json:
    knob, change = one.knob, one.change
    told: jsonfmt.Json | None = None
    if change is not None:
        target = change.target
        told = {
            "what": change.what,
            "metric": target.metric if target else None,
            "percentile": target.percentile if target else None,
            "value": change.value,
            "limit": target.limit if target else None,
            "best": _design(result, change.best),
            "objective_ratio": change.ratio,
        }
    return {
        "parameter": knob.kind,
        "machine": knob.machine.id if knob.machine else None,
        "value": knob.value,
        "unit": knob.unit or None,
        "direction": one.way,
        "unchanged_to": one.inside,
        "changed_at": one.outside,
        "proven": one.proven,
        "change": told,
    }


def _design(result: SensitivityResult, design: Design | None) -> jsonfmt.Json | None:
    """A design as the scenario prices it, whatever the factor."""
    if design is None:
        return None
    families = {space.family.id: space.family for space in result.scenario.spaces}
    own = Design(families[design.family.id], design.prompt_machines, design.token_machines)
    return jsonfmt.design(result.scenario, own)


def _rows(result: SensitivityResult) -> Iterator[Sequence[csvfmt.Value]]:
    yield (
        *("parameter", "machine", "value", "unit", "direction", "unchanged_to", "changed_at"),
        *("proven", "what", "metric", "percentile", "best_family", "best_design", "ratio"),
    )
    for one in result.thresholds:
        told = _threshold(result, one)
        change = told.pop("change")
        best = one.change.best if one.change else None
        yield (
            *told.values(),
            *((change or {}).get(name) for name in ("what", "metric", "percentile")),
            *(best.family.id if best else None, best.label if best else None),
            one.change.ratio if one.change else None,
        )


def _drawn(result: SensitivityResult, page: Page) -> Drawn:
    bars = [_bar(one) for pair in pairs(result) for one in pair]
    figures = [tornado_figure(bars)] if bars else []
    told = page.top[1]
    badge = "meets the SLOs" if told.tone == "good" else "no design meets the SLOs"
    parts = [
        page_html.header(told, badge, [page.top[0], *page.top[2:]]),
        html.section("How wrong each number may be", *map(html.figure, figures), name="tornado"),
        page_html.sheet_section("The numbers", "numbers", *page.sheets),
    ]
    return Drawn(parts, figures)


def _bar(one: Threshold) -> Bar:
    if one.outside is None or one.change is None:
        return Bar(one.knob.name, one.inside, "no change that far", "no change")
    better = one.change.what == "better"
    kind = "another is better" if better else "misses its SLOs"
    return Bar(one.knob.name, one.outside, kind, what(one))
