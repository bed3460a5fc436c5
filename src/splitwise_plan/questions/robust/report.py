"""The report of a plan for several loads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.outcome import Evaluation, best_of
from splitwise_plan.questions.robust.analysis import RobustResult
from splitwise_plan.questions.robust.figure import Standing, loads_figure
from splitwise_plan.questions.robust.words import (
    answers,
    design_name,
    growth_fact,
    load_sheet,
    question,
    regret_sheet,
    run_out_sheet,
    served_sheet,
)
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.family_sheet import family_sheet
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.folder import Drawn, in_folder
from splitwise_plan.report.formats import csvfmt, html, jsonfmt, page_html
from splitwise_plan.report.page import Page, Sheet, Statement
from splitwise_plan.report.provenance import own_facts
from splitwise_plan.report.report import Report

SCHEMA = "splitwise-plan/robust/1"
Json = jsonfmt.Json


def report(
    result: RobustResult,
    timing: Mapping[str, float],
    next_steps: Sequence[str] = (),
    *,
    files: bool = False,
) -> Report:
    """The report; `files`: with those of a folder of results."""
    base = result.loads.base
    top = [Statement("Question", (question(result),)), *answers(result)]
    if result.run_outs and result.answer is not None:
        top.append(growth_fact(result))
    top += [*wording.trace_facts(base), *own_facts(base)]
    sheets = [load_sheet(result), served_sheet(result)] if result.served else [load_sheet(result)]
    if result.regrets:
        sheets.insert(0, regret_sheet(result))
    if result.run_outs:
        sheets.append(run_out_sheet(result))
    page = Page("Plan for several loads", tuple(top), tuple(sheets))
    told = Report(page, _document(result, timing), list(_rows(result)))
    if files:
        told = in_folder(told, base, "designs.csv", _drawn(result, page))
    return told.then(next_steps)


def _document(result: RobustResult, timing: Mapping[str, float]) -> Json:
    base, loads = result.loads.base, result.loads
    joint = jsonfmt.search(base, result.joint, {})
    answer = result.answer
    return {
        "schema": SCHEMA,
        **jsonfmt.origin(base),
        "objective": jsonfmt.objective_document(base),
        "choose": loads.choose,
        "best": _served(result, 0) if answer is not None else None,
        "families": joint["families"],
        "loads": [_load(result, at) for at in range(len(loads.loads))],
        "winners": [_served(result, at) for at in range(len(result.served))],
        "regrets": [
            {
                "family": one.family.id,
                "regret": one.worst,
                "designs": [jsonfmt.design(base, d) if d else None for d in one.designs],
            }
            for one in result.regrets
        ],
        "growth": _growth(result),
        "timing": {**timing, "simulations": result.simulations},
    }


def _load(result: RobustResult, at: int) -> Json:
    load, alone = result.loads.loads[at], result.alone[at]
    own = best_of(alone)
    return {
        "name": load.name,
        "scenario": jsonfmt.question(load.scenario),
        "best": jsonfmt.design(load.scenario, own) if own else None,
        "regret": result.regret(at),
        "families": [
            {
                "family": family.family.id,
                "status": jsonfmt.status(family),
                "best": (
                    jsonfmt.design(load.scenario, family.best.evaluation.design)
                    if family.best
                    else None
                ),
                "certificate": jsonfmt.certificate(family.certificate),
            }
            for family in alone.families
        ],
    }


def _served(result: RobustResult, at: int) -> Json:
    served = result.served[at]
    return {
        "design": jsonfmt.design(result.loads.base, served.design),
        "meets_all": served.meets_all,
        "loads": [
            {
                "name": load.name,
                "verdict": evaluation.verdict,
                "margin": evaluation.margin,
                "tightest": _target(wording.tightest(evaluation)),
            }
            for load, evaluation in zip(result.loads.loads, served.evaluations, strict=True)
        ],
    }


def _target(estimate: Estimate | None) -> Json | None:
    if estimate is None:
        return None
    target = estimate.target
    return {
        "metric": target.metric,
        "percentile": target.percentile,
        "limit": target.limit,
        "unit": target.unit,
        **{"value": estimate.mean, "low": estimate.low, "high": estimate.high},
    }


def _growth(result: RobustResult) -> Json | None:
    growth = result.loads.growth
    if growth is None:
        return None
    return {
        "rate": growth.text,
        "from": growth.start.isoformat(),
        "rate_step_rps": result.loads.rate_step_rps,
        "run_outs": [
            {
                "design": jsonfmt.design(result.loads.base, one.design),
                "capacity_rps": one.low_rps,
                "misses_from_rps": one.high_rps,
                "date": one.first.isoformat() if one.first else None,
                "latest_date": one.last.isoformat() if one.last else None,
            }
            for one in result.run_outs
        ],
    }


def _rows(result: RobustResult) -> Iterator[Sequence[csvfmt.Value]]:
    """A row for each design under each load."""
    names = ("family", "prompt_machines", "token_machines", "machines", "cost_usd_per_hour")
    yield (
        *("role", "load", *names, "verdict", "margin"),
        *("tightest_metric", "tightest_percentile", "value", "low", "high", "limit", "unit"),
    )
    for at, served in enumerate(result.served):
        design = jsonfmt.design(result.loads.base, served.design)
        role = "best" if at == 0 and result.answer is not None else "best for one load"
        for load, evaluation in zip(result.loads.loads, served.evaluations, strict=True):
            target = _target(wording.tightest(evaluation)) or {}
            ends = ("metric", "percentile", "value", "low", "high", "limit", "unit")
            yield (
                *(role, load.name, *(design[name] for name in names)),
                *(evaluation.verdict, evaluation.margin, *(target.get(one) for one in ends)),
            )


def _drawn(result: RobustResult, page: Page) -> Drawn:
    figures = _figures(result)
    told = page.top[1]
    badge = "meets the SLOs under every load" if told.tone == "good" else "no design for all loads"
    families = family_sheet(result.loads.base, result.joint)
    title = "Families, under all loads together"
    parts = [
        page_html.header(told, badge, [page.top[0], *page.top[2:]]),
        page_html.sheet_section("The loads", "loads", *page.sheets),
        *(html.section("Under each load", html.figure(one), name="figures") for one in figures),
        page_html.sheet_section(title, "families", families),
    ]
    return Drawn(parts, figures, (Sheet(families.columns, families.rows, title),))


def _figures(result: RobustResult) -> list[Figure]:
    standings = [
        _standing(design_name(served.design), load.name, evaluation)
        for served in result.served
        for load, evaluation in zip(result.loads.loads, served.evaluations, strict=True)
    ]
    return [loads_figure(standings)] if standings else []


def _standing(design: str, load: str, evaluation: Evaluation) -> Standing:
    binds = wording.tightest(evaluation)
    share = binds.high / binds.target.limit if binds else 0.0
    if evaluation.verdict != "meets":
        share = max(share, 1.0 + 1e-6)
    told = f"{wording.target_name(binds.target)} {estimates.text(binds)}" if binds else "-"
    return Standing(design, load, share, told)
