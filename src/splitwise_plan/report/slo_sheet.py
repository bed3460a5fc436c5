"""Every SLO target beside what was measured."""

from __future__ import annotations

from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.outcome import Evaluation
from splitwise_plan.report.estimates import beside
from splitwise_plan.report.numbers import NONE, percentile_name
from splitwise_plan.report.page import Cell, Column, Sheet, Tone, words
from splitwise_plan.report.wording import mark

TITLE = "measured / limit"
_TONES: dict[str, Tone] = {"✓": "good", "✗": "bad", "?": ""}


def slo_sheet(evaluation: Evaluation) -> Sheet:
    """A row a metric, a column a percentile, the mean of the seeds: `0.56x / 2x ✓`"""
    found = {(e.target.metric, e.target.percentile): e for e in evaluation.estimates}
    percentiles = sorted({percentile for _, percentile in found})
    columns = [words(TITLE), *(Column(percentile_name(q)) for q in percentiles)]
    rows = [
        (Cell(metric.upper()), *(_cell(found.get((metric, q))) for q in percentiles))
        for metric in dict.fromkeys(metric for metric, _ in found)
    ]
    return Sheet(tuple(columns), tuple(rows))


def _cell(estimate: Estimate | None) -> Cell:
    if estimate is None:
        return Cell(NONE, "dim")
    value, limit = beside(estimate)
    return Cell(f"{value} / {limit} {mark(estimate)}", _TONES[mark(estimate)])
