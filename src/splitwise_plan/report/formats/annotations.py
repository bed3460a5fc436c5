"""A check as workflow commands of GitHub Actions, which it shows beside the plan's file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from splitwise_plan.report.cases import Case

LEVELS = {"fails": "error", "undecided": "warning"}


def commands(plan: str, cases: Sequence[Case], warnings: Sequence[str]) -> Iterator[str]:
    """A line for each case that does not hold, and for each warning; `plan`: the file's path."""
    for case in cases:
        if case.outcome in LEVELS:
            yield _command(LEVELS[case.outcome], plan, case.name, case.message)
    for warning in warnings:
        yield _command("warning", plan, "plan", warning)


def _command(level: str, file: str, title: str, message: str) -> str:
    return f"::{level} file={_property(file)},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    """As the runner wants it: one line, and nothing that it would take for a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
