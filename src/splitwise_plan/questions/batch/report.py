"""The report of batch work: requests per dollar of designs under more load than they carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from splitwise_plan.questions.batch.analysis import (
    FamilySaturation,
    Saturated,
    SaturationResult,
    interval,
    mean_per_usd,
)
from splitwise_plan.questions.batch.figure import PerDollar, saturation_figure
from splitwise_plan.report import wording
from splitwise_plan.report.figures.utilisation import utilisation_figure
from splitwise_plan.report.folder import Drawn, in_folder
from splitwise_plan.report.formats import csvfmt, html, jsonfmt, page_html
from splitwise_plan.report.numbers import NONE, count, kilowatts, percent, significant
from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement, words
from splitwise_plan.report.proof import TIES_SHOWN
from splitwise_plan.report.provenance import own_facts
from splitwise_plan.report.report import Report
from splitwise_plan.scenario.scenario import Scenario

SCHEMA = "splitwise-plan/saturation/1"


def report(
    scenario: Scenario,
    result: SaturationResult,
    timing: Mapping[str, float],
    *,
    files: bool = False,
) -> Report:
    """The report of `search --maximize throughput_per_cost`; `files`: with those of a folder."""
    load = f"{wording.lengths(scenario)} · {scenario.llm.name} · no SLO"
    asked = f"{load} · {wording.objective_words(scenario)} · {wording.assumptions(scenario)}"
    asked += f" · prices: {wording.prices_words(scenario.tariff)}" if scenario.tariff.prices else ""
    top = (
        Statement("Question", (asked,)),
        _answer(scenario, result),
        _proof(scenario, result),
        *own_facts(scenario),
    )
    page = Page("Batch work", top, (_sheet(result),))
    told = Report(page, _document(scenario, result, timing), list(_rows(scenario, result)))
    return in_folder(told, scenario, "designs.csv", _drawn(result, page)) if files else told


def _answer(scenario: Scenario, result: SaturationResult) -> Statement:
    if result.best is None or result.best.best is None:
        return Statement("Answer", ("none fits into the budget",), "bad")
    best = result.best.best
    low, high = (significant(end) for end in interval(best.requests_per_usd))
    seeds = count(len(best.throughput_rps), "seed")
    sure = f" (95 %: {low} to {high} over {seeds})" if len(best.throughput_rps) > 1 else ""
    return Statement(
        "Answer",
        (
            wording.design_line(scenario, best.design),
            f"{significant(mean_per_usd(best))} requests for a dollar{sure}, "
            f"{significant(fmean(best.throughput_rps))} a second",
        ),
        "good",
    )


def _proof(scenario: Scenario, result: SaturationResult) -> Statement:
    looked_at = count(sum(family.looked_at for family in result.families), "design")
    load = f"{significant(result.offered_rps)} requests/s offered"
    second_half = f"the second half of {scenario.arrivals.duration_s:,g} s counted"
    lines = [f"all {looked_at} that use up the budget simulated: {load}, {second_half}"]
    ties = result.best.ties if result.best else ()
    if ties:
        labels = ", ".join(tie.design.label for tie in ties[:TIES_SHOWN])
        more = len(ties) - TIES_SHOWN
        told = f" and {more:,} more" if more > 0 else ""
        lines.append(f"too close to tell from the best of its family: {labels}{told}")
    return Statement("Proof", tuple(lines))


def _sheet(result: SaturationResult) -> Sheet:
    titles = ("machines", "$/h", "kW", "requests/s", "requests/$")
    columns = (words("family"), words("design"), *(Column(title) for title in titles))
    return Sheet((*columns, words("")), tuple(_line(result, one) for one in _ordered(result)))


def _ordered(result: SaturationResult) -> list[FamilySaturation]:
    """The families, the best first."""
    return sorted(result.families, key=lambda family: -mean_per_usd(family.best))


def _line(result: SaturationResult, family: FamilySaturation) -> tuple[Cell, ...]:
    best = family.best
    if best is None:
        return (Cell(family.family.name), Cell("none"), *[Cell(NONE)] * 5, Cell("over budget"))
    design, per_usd = best.design, mean_per_usd(best)
    texts = (
        *(f"{design.machines:,}", f"{design.cost_usd_per_hour:,.0f}"),
        *(kilowatts(design.provisioned_power_w), significant(fmean(best.throughput_rps))),
        significant(per_usd),
    )
    leader = mean_per_usd(result.best.best) if result.best else per_usd
    behind = percent(per_usd / leader - 1, sign=True) if leader else ""
    last = Cell("← best", "good") if family is result.best else Cell(behind)
    return (
        *(Cell(family.family.name), Cell(design.label)),
        *(Cell(text) for text in texts),
        last,
    )


def _drawn(result: SaturationResult, page: Page) -> Drawn:
    ordered = _ordered(result)
    found = [_per_dollar(one.best) for one in ordered if one.best]
    details = [one.details for one in ordered if one.details]
    figures = [saturation_figure(found), utilisation_figure(details)] if details else []
    told = page.top[1]
    badge = "the most for a dollar" if told.tone == "good" else "over budget"
    parts = [
        page_html.header(told, badge, [page.top[0], *page.top[2:]]),
        page_html.sheet_section("The families side by side", "families", *page.sheets),
        html.section("A closer look", *map(html.figure, figures), name="figures"),
    ]
    return Drawn(parts, figures)


def _per_dollar(one: Saturated) -> PerDollar:
    ends = interval(one.requests_per_usd)
    return PerDollar(one.design, mean_per_usd(one), *ends, fmean(one.throughput_rps))


def _document(
    scenario: Scenario, result: SaturationResult, timing: Mapping[str, float]
) -> jsonfmt.Json:
    return {
        "schema": SCHEMA,
        **jsonfmt.origin(scenario),
        "objective": jsonfmt.objective_document(scenario),
        "offered_rps": result.offered_rps,
        "best": result.best.family.id if result.best else None,
        "families": [
            {
                "family": family.family.id,
                "looked_at": family.looked_at,
                "best": _saturated(scenario, family.best) if family.best else None,
                "details": jsonfmt.detailed(scenario, family.details) if family.details else None,
                "ties": [_saturated(scenario, tie) for tie in family.ties],
            }
            for family in result.families
        ],
        "timing": {**timing, "simulations": result.simulations},
    }


def _saturated(scenario: Scenario, one: Saturated) -> jsonfmt.Json:
    low, high = interval(one.requests_per_usd)
    return {
        "design": jsonfmt.design(scenario, one.design),
        "throughput_rps": fmean(one.throughput_rps),
        "throughput_rps_of_replications": list(one.throughput_rps),
        "requests_per_usd": mean_per_usd(one),
        "requests_per_usd_low": low,
        "requests_per_usd_high": high,
    }


def _rows(scenario: Scenario, result: SaturationResult) -> Iterator[Sequence[csvfmt.Value]]:
    columns = ("throughput_rps", "requests_per_usd", "requests_per_usd_low")
    header = False
    for family in result.families:
        found = [family.best, *family.ties] if family.best else []
        for one in found:
            design = jsonfmt.design(scenario, one.design)
            if not header:
                yield ("role", "assumptions", *design, *columns, "requests_per_usd_high")
                header = True
            role = "best" if one is family.best else "tie"
            numbers = (fmean(one.throughput_rps), mean_per_usd(one))
            ends = interval(one.requests_per_usd)
            yield (role, scenario.assumptions.id, *design.values(), *numbers, *ends)
