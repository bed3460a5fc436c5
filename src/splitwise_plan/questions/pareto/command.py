"""`splitwise-plan pareto`: what can be traded for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.sampling import resumable, storage, study_problems, workers
from splitwise_plan.cli.stopwatch import Stopwatch
from splitwise_plan.errors import Problem

if TYPE_CHECKING:
    from splitwise_plan.scenario.scenario import Scenario


def pareto(flags: Flags) -> int:
    """Find the designs that no other matches in throughput, cost, power and machines at once.

    Takes minutes on the paper's ranges: narrow them, or take larger steps of the rate.
    """
    watch = Stopwatch()
    given = question.of_space(flags, "method")
    given["trials"] = flags.whole("trials", low=1)
    given["rate_step"] = flags.number("rate_step", "e.g. 1, or '0.5 rps'")
    if flags["rate"] is not None:
        flags.refuse("rate", "has no effect: every rate is looked at", "drop it")
    to = output.Output.of(flags)
    scenario = question.load(flags, given, lambda loaded: _problems(flags, loaded))
    watch.lap("load_s")

    watch.compile(scenario, quiet=to.quiet)
    from splitwise_plan.questions.pareto.analysis import pareto as find

    study = storage(flags, scenario, to.out) if _is_sampled(scenario) else None
    with resumable(flags, scenario, to.out, "pareto", study=study is not None) as journal:
        with shown_progress(quiet=to.quiet) as progress, workers(flags, to.jobs) as jobs:
            result = find(
                *(scenario, jobs, scenario.method, scenario.trials, study),
                report=progress,
                journal=journal,
            )
        watch.lap("search_s")

        from splitwise_plan.questions.pareto.report import report

        to.write(report(scenario, result, watch.timing, files=to.out is not None))
    return exits.OK if result.points else exits.NONE_MEETS


def _is_sampled(scenario: Scenario) -> bool:
    from splitwise_plan.questions.pareto.analysis import is_large

    if scenario.method == "auto":
        return is_large(scenario)
    return scenario.method == "optuna"


def _problems(flags: Flags, scenario: Scenario) -> list[Problem]:
    problems = []
    if scenario.arrivals.process == "trace":
        fix = "drop --trace, and give a workload"
        problems.append(Problem("--trace", "a replayed trace has no rate to vary", fix))
    problems += study_problems(flags, sampled=_is_sampled(scenario))
    return problems


COMMAND = Command(
    "pareto",
    pareto,
    (
        *f.QUESTION,
        *(f.FAMILIES, f.FAMILY, f.PROMPT_RANGE, f.TOKEN_RANGE, f.MACHINE_RANGE),
        *(f.RATE_STEP, f.METHOD, f.TRIALS, f.STUDY, f.RESUME, f.DASK),
        *f.ENDING,
    ),
    "splitwise-plan pareto --families splitwise-hh --prompt-machines 1:3 --token-machines 1:3"
    " --duration 60",
)
