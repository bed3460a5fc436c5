"""`splitwise-plan check`: does a plan still hold?"""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.stopwatch import Stopwatch
from splitwise_plan.errors import InputError, raise_if_any

if TYPE_CHECKING:
    from splitwise_plan.planner.outcome import SearchResult
    from splitwise_plan.questions.check.analysis import CheckResult
    from splitwise_plan.report.report import Report
    from splitwise_plan.scenario.plan.plan import Plan
    from splitwise_plan.scenario.plan.reader import Today
    from splitwise_plan.scenario.scenario import Scenario

PLAN = Flag("plan", "PLAN.toml", "A plan, made by `search --save-plan`.", kind=str, positional=True)
ON_GITHUB, SUMMARY = "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"
EXITS = {"holds": exits.OK, "undecided": exits.UNDECIDED, "fails": exits.NONE_MEETS}


def check(flags: Flags) -> int:
    """Check a plan against the facts of today: does it meet the SLOs, is it still the best?

    What changed since it was made is told, and what each change does by itself. Flags change the
    question that the plan answers. Exit codes: 0 holds, 3 no longer holds, 4 undecided.
    """
    watch = Stopwatch()
    to = output.Output.of(flags)
    plan, then, today = _load(flags)
    watch.lap("load_s")

    watch.compile(today.scenario, quiet=to.quiet)
    from splitwise_plan.planner.choose import find
    from splitwise_plan.questions.check.analysis import check as check_plan

    with shown_progress(quiet=to.quiet) as progress:

        def find_best(scenario: Scenario) -> SearchResult:
            return find(scenario, to.jobs, progress)

        result = check_plan(plan, then, today, find_best, to.jobs)
    watch.lap("check_s")

    from splitwise_plan.questions.check.report import report

    told = report(result, watch.timing, _next_steps(flags, result))
    _write(to, result, told)
    return EXITS[result.outcome]


def _load(flags: Flags) -> tuple[Plan, Scenario, Today]:
    """The plan, the facts of then and of today. Raises `InputError` with all that is wrong."""
    from splitwise_plan.scenario.plan.reader import read_plan, recorded, today

    given = question.overrides(flags)
    try:
        plan = read_plan(Path(flags["plan"]))
        then = recorded(plan)
        now = today(plan, then, given)
    except InputError as error:
        raise InputError([*flags.problems, *error.problems]) from None
    raise_if_any([*flags.problems, *question.overwritten(flags, now.scenario, Path(flags["plan"]))])
    return plan, then, now


def _write(to: output.Output, result: CheckResult, told: Report) -> None:
    from splitwise_plan.questions.check.cases import cases
    from splitwise_plan.questions.check.words import warnings
    from splitwise_plan.report.files import append_file, text_writer, write_file
    from splitwise_plan.report.formats import annotations

    if to.junit is not None:
        write_file(to.junit, told.files["junit.xml"])
    summary = os.environ.get(SUMMARY)
    if summary:
        append_file(Path(summary), text_writer(told.text("markdown") + "\n"))
    minded = warnings(result)
    if os.environ.get(ON_GITHUB) == "true":
        for line in annotations.commands(result.plan.where, cases(result), minded):
            print(line, file=sys.stderr)
    elif not to.quiet:
        for warning in minded:
            print(f"warning: {result.plan.where}: {warning}", file=sys.stderr)
    to.write(told)


def _next_steps(flags: Flags, result: CheckResult) -> list[str]:
    """What to do about a plan that no longer holds."""
    if result.outcome == "holds":
        return []
    if flags["out"] is None:
        return ["add --out DIR to keep the report and today's question"]
    scenario = shlex.quote(flags["out"].rstrip("/") + "/scenario.toml")
    return [f"splitwise-plan search {scenario} --save-plan {shlex.quote(flags['plan'])}"]


def _of_plan(flag: Flag) -> Flag:
    """Without its default: that is what the plan says."""
    return replace(flag, help=re.sub(r" \(default[^)]*\)", "", flag.help))


COMMAND = Command(
    "check",
    check,
    (
        PLAN,
        *map(_of_plan, (f.WORKLOAD, f.TRACE, f.RATE, f.DURATION, f.SEED, f.SEEDS)),
        *map(_of_plan, (f.LLM, f.ASSUMPTIONS, f.KV_TRANSFER, f.SLO, f.HARDWARE)),
        *(f.FORMAT, f.JUNIT, f.OUT, f.JOBS, f.QUIET, f.DEBUG),
    ),
    "splitwise-plan check examples/ci/plan.toml",
)
