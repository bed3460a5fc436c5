"""The report of a starter that was written."""

from __future__ import annotations

from collections.abc import Sequence

from splitwise_plan.report.page import Page, Statement
from splitwise_plan.report.report import Report

STARTER = "splitwise-plan/starter/1"


def report(paths: Sequence[str], scenario: str) -> Report:
    """`paths` that were written; `scenario`: that of the scenario, as a shell takes it."""
    steps = (
        f"splitwise-plan search {scenario}",
        f"splitwise-plan search {scenario} --term on-demand --minimize power",
        "splitwise-plan catalog list",
    )
    top = (
        Statement("Written", tuple(paths), "good", commands=True),
        Statement("Next", steps, commands=True),
    )
    document = {"schema": STARTER, "written": list(paths), "next": list(steps)}
    return Report(Page("Starter", top, ()), document, [("path",), *((path,) for path in paths)])
