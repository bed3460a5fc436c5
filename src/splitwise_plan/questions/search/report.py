"""The report of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from splitwise_plan.planner.figure_data import FigureData
from splitwise_plan.planner.length_check import LengthCheck
from splitwise_plan.planner.outcome import SearchResult
from splitwise_plan.questions.search.diagnosis import Diagnosis
from splitwise_plan.questions.search.explaining import (
    diagnosis_document,
    diagnosis_fact,
    length_document,
    length_fact,
)
from splitwise_plan.questions.search.page import search_figures, search_page
from splitwise_plan.questions.search.requests_summary import summary_rows
from splitwise_plan.questions.search.resilience import Resilience
from splitwise_plan.questions.search.resilience_words import (
    resilience_document,
    resilience_fact,
    resilience_sheet,
)
from splitwise_plan.questions.search.rows import search_rows
from splitwise_plan.report import wording
from splitwise_plan.report.economics import cost_fact
from splitwise_plan.report.extrapolation import beyond_facts
from splitwise_plan.report.failures import failure_facts
from splitwise_plan.report.family_sheet import family_sheet
from splitwise_plan.report.figures.files import writers
from splitwise_plan.report.files import text_writer
from splitwise_plan.report.folder import text_files
from splitwise_plan.report.formats import csvfmt, jsonfmt
from splitwise_plan.report.formats.csvfmt import request_writer
from splitwise_plan.report.page import Page, Statement
from splitwise_plan.report.proof import answer, proof
from splitwise_plan.report.provenance import own_facts
from splitwise_plan.report.report import Report
from splitwise_plan.report.slo_sheet import slo_sheet
from splitwise_plan.scenario.scenario import Scenario


def report(  # noqa: PLR0913, PLR0917
    scenario: Scenario,
    result: SearchResult,
    timing: Mapping[str, float],
    next_steps: Sequence[str] = (),
    diagnosis: Diagnosis | None = None,
    length: LengthCheck | None = None,
    look: FigureData | None = None,
    spare: Resilience | None = None,
) -> Report:
    """The report of a search; `next_steps`: command lines that go on from here.

    With a closer `look` its folder has the page with figures too.
    """
    top = [
        Statement("Question", (wording.question(scenario, objective=True),)),
        answer(scenario, result, length),
        Statement("Proof", proof(scenario, result)),
        *wording.trace_facts(scenario),
    ]
    if between := wording.interpolated(scenario):
        top.append(Statement("Estimated", (between,)))
    if diagnosis is not None:
        top.append(diagnosis_fact(scenario, diagnosis))
    if length is not None:
        top.append(length_fact(length))
    if spare is not None:
        top.append(resilience_fact(scenario, result, spare))
    best = result.best.best if result.best else None
    if best is not None:
        top.append(cost_fact(scenario, best))
        top += failure_facts(best)
        top += beyond_facts(best)
    top.extend(own_facts(scenario))
    families = family_sheet(scenario, result)
    sheets = (families,) if spare is None else (families, resilience_sheet(scenario, spare))
    document = jsonfmt.search(scenario, result, timing)
    document["diagnosis"] = diagnosis_document(diagnosis) if diagnosis else None
    document["length"] = length_document(length) if length else None
    document["spare"] = resilience_document(spare, scenario) if spare else None
    told = Report(
        Page("Best design", tuple(top), sheets), document, list(search_rows(scenario, result))
    )
    slos = (slo_sheet(best.evaluation),) if best is not None else ()
    files = text_files(told, scenario, "designs.csv", slos)
    if look is not None:
        figures = search_figures(scenario, result, look)
        whole_page = search_page(scenario, result, figures, top[3:])
        summary = summary_rows(scenario, result, look.occupied)
        files |= {"report.html": text_writer(whole_page), **writers(figures)}
        files["requests_summary.csv"] = text_writer(csvfmt.text(summary))
        if look.requests is not None:
            files["requests.csv"] = request_writer(*look.requests)
    return replace(told, files=files).then(next_steps)
