"""The report of one simulated design."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from splitwise_plan.facts.slo import METRICS
from splitwise_plan.planner.figure_data import Occupied
from splitwise_plan.planner.outcome import Details, LatencySummary
from splitwise_plan.questions.simulate.page import simulation_figures, simulation_page
from splitwise_plan.questions.simulate.rows import STATISTICS, simulation_rows
from splitwise_plan.report import wording
from splitwise_plan.report.economics import cost_fact, energy_a_request
from splitwise_plan.report.extrapolation import beyond_facts
from splitwise_plan.report.failures import failure_facts
from splitwise_plan.report.figures.files import writers
from splitwise_plan.report.files import text_writer
from splitwise_plan.report.folder import text_files
from splitwise_plan.report.formats import jsonfmt
from splitwise_plan.report.formats.csvfmt import request_writer
from splitwise_plan.report.numbers import (
    count,
    gib,
    in_words,
    kilowatts,
    percent,
    significant,
)
from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement, Tone, plain, words
from splitwise_plan.report.provenance import own_facts
from splitwise_plan.report.report import Report
from splitwise_plan.report.slo_sheet import slo_sheet
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator


def report(
    scenario: Scenario,
    details: Details,
    timing: Mapping[str, float],
    kept: tuple[Simulator, Run] | None = None,
    served: Occupied | None = None,
) -> Report:
    """The report of a simulated design; `kept`: the records of one replication, if wanted.

    `served`: how its requests and batches fared; with it the folder has the page with figures.
    """
    sheets = [_latency_sheet(details)]
    if details.evaluation.estimates:
        sheets.append(slo_sheet(details.evaluation))
    top, bottom = _top(scenario, details), _bottom(scenario, details)
    page = Page("Simulation of one design", top, (*sheets, _pool_sheet(details)), bottom)
    document = jsonfmt.simulation(scenario, details, timing)
    told = Report(page, document, list(simulation_rows(scenario, details)))
    files = text_files(told, scenario, None)
    if kept is not None:
        files["requests.csv"] = request_writer(*kept)
    if served is not None:
        figures = simulation_figures(scenario, details, served)
        drawn = simulation_page(scenario, details, page, figures)
        files |= {"report.html": text_writer(drawn), **writers(figures)}
    return replace(told, files=files)


def _top(scenario: Scenario, details: Details) -> tuple[Statement, ...]:
    evaluation, requests = details.evaluation, details.requests
    steady = scenario.horizon == "steady"
    tone: Tone = "good" if evaluation.verdict == "meets" else "bad"
    done = (
        "all finished"
        if requests.finished == requests.arrived
        else (f"{requests.finished:,} finished, {requests.unfinished:,} unfinished")
    )
    runs = len(evaluation.replications)
    over = f" in {wording.runs(scenario, runs)}" if runs > 1 or steady else ""
    few = wording.too_few_words(scenario, details)
    few = f" ({few})" if few else ""
    rejected = f", {requests.rejected:,} rejected" if requests.rejected else ""
    rate = f"{significant(details.throughput_rps)} finished per second"
    between = wording.interpolated(scenario)
    return (
        Statement("Question", (wording.question(scenario, objective=False),)),
        Statement("Design", (wording.design_line(scenario, evaluation.design),)),
        Statement("Verdict", (wording.verdict(scenario, evaluation),), tone),
        Statement(
            "Requests", (f"{requests.arrived:,} arrived{over}{few}, {done}{rejected}; {rate}",)
        ),
        *wording.trace_facts(scenario),
        *([Statement("Estimated", (between,))] if between else []),
    )


def _latency_sheet(details: Details) -> Sheet:
    columns = [words("latency, s"), *(Column(_title(name)) for name in STATISTICS)]
    rows = [(metric.upper(), details.latency_s[metric]) for metric in METRICS]
    rows.append(("KV transfer", details.kv_transfer_s))
    return Sheet(tuple(columns), tuple(plain(name, *_cells(row)) for name, row in rows))


def _title(statistic: str) -> str:
    return statistic.upper() if statistic != "mean" else statistic


def _cells(summary: LatencySummary) -> Iterator[str]:
    for statistic in STATISTICS:
        yield significant(getattr(summary, statistic))


def _pool_sheet(details: Details) -> Sheet:
    titles = ("machines", "busy", "prompts", "peak GiB", "mean kW")
    columns = [words("pool"), words("machine")]
    rows = [
        (
            Cell(pool.pool),
            Cell(pool.machine),
            Cell(f"{pool.machines:,}"),
            Cell(percent(pool.utilisation)),
            Cell(percent(pool.prompt_share)),
            Cell(gib(pool.peak_memory_bytes)),
            Cell(kilowatts(pool.average_power_w)),
        )
        for pool in details.pools
    ]
    return Sheet((*columns, *(Column(title) for title in titles)), tuple(rows))


def _bottom(scenario: Scenario, details: Details) -> tuple[Statement, ...]:
    energy = details.energy
    watts = f"{kilowatts(energy.average_power_w)} kW on average"
    facts = [Statement("Energy", (f"{watts}, {energy_a_request(energy.wh_per_request)}",))]
    facts.append(cost_fact(scenario, details))
    if not details.evaluation.design.family.has_one_pool:
        moves = count(details.pool_moves, "move") if details.pool_moves else f"{in_words(0)} moves"
        served = count(details.mixed_requests, "request")
        facts.append(Statement("Mixed pool", (f"{moves} into it, {served} with a phase there",)))
    facts += failure_facts(details)
    return (*facts, *beyond_facts(details), *own_facts(scenario))
