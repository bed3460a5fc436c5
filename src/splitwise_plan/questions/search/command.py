"""`splitwise-plan search`: the best design for a load."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from splitwise_plan.cli import flags as f
from splitwise_plan.cli import output, question
from splitwise_plan.cli.options import Command, Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.result_codes import exit_code
from splitwise_plan.cli.sampling import resumable, storage, study_problems, workers
from splitwise_plan.cli.stopwatch import Stopwatch
from splitwise_plan.errors import Problem
from splitwise_plan.questions.batch.command import saturate

if TYPE_CHECKING:
    from pathlib import Path

    from splitwise_plan.facts.design import Design
    from splitwise_plan.planner.driver import Jobs
    from splitwise_plan.planner.journal import Journal
    from splitwise_plan.planner.outcome import SearchResult
    from splitwise_plan.planner.progress import ProgressCallback
    from splitwise_plan.scenario.scenario import Scenario


GOALS = ("minimize", "maximize", "power_budget", "cost_budget", "method")
SPARE = ("spare_of", "degraded_slo")


def search(flags: Flags) -> int:
    """Find the design that meets the SLOs at the least cost, with the proof that none is better.

    Without anything it answers the paper's question: code completion with BLOOM-176B at 70
    requests a second, six families.
    """
    watch = Stopwatch()
    given = question.of_space(flags, *GOALS, *SPARE)
    given["spare"] = flags.whole("spare", low=0)
    given["trials"] = flags.whole("trials", low=1)
    given["rate_step"] = flags.number("rate_step", "e.g. 1, or '0.5 rps'")
    to = output.Output.of(flags)
    scenario = question.load(flags, given, lambda loaded: _problems(flags, loaded))
    watch.lap("load_s")

    watch.compile(scenario, quiet=to.quiet)
    if scenario.maximize == "throughput_per_cost":
        return saturate(flags, scenario, to, watch)
    from splitwise_plan.planner.choose import find, is_sampled
    from splitwise_plan.planner.figure_data import figure_data
    from splitwise_plan.planner.length_check import check_length
    from splitwise_plan.questions.search.diagnosis import diagnose
    from splitwise_plan.questions.search.resilience import resilience

    study = is_sampled(scenario)
    with resumable(flags, scenario, to.out, "search", study=study) as journal:
        with shown_progress(quiet=to.quiet) as progress, workers(flags, to.jobs) as jobs:
            result = _find(flags, scenario, to.out, jobs, progress, journal)
            best = result.best
            length = None
            if best is not None and best.best is not None:
                length = check_length(scenario, best.best.evaluation.design, best.rate_rps)
            diagnosis = diagnose(scenario, result, jobs)
            spare = resilience(scenario, result, lambda asked: find(asked, jobs, progress), jobs)
            look = None
            if to.out is not None:
                look = figure_data(scenario, result, jobs, progress, journal)
        watch.lap("search_s")

        from splitwise_plan.questions.search.report import report

        steps = _next_steps(flags, scenario, result)
        if to.save_plan is not None and best is not None:
            from splitwise_plan.questions.search.plan_toml import plan_toml
            from splitwise_plan.report.files import text_writer, write_file

            write_file(to.save_plan, text_writer(plan_toml(scenario, result, to.save_plan)))
            steps.append(f"splitwise-plan check {shlex.quote(str(to.save_plan))}")
        to.write(report(scenario, result, watch.timing, steps, diagnosis, length, look, spare))
    return exit_code(result)


def _problems(flags: Flags, scenario: Scenario) -> list[Problem]:
    """Flags that this question has no use for."""
    from splitwise_plan.planner.choose import is_sampled

    problems = study_problems(flags, sampled=is_sampled(scenario))
    if flags["save_plan"] is not None and scenario.maximize is not None:
        what = "a plan is for a rate that is given, and this search looks for one"
        problems.append(Problem("--save-plan", what, "give --rate and --minimize"))
    if flags["rate_step"] is not None and scenario.maximize != "throughput":
        what = "has no effect: the rate is not searched for"
        problems.append(Problem("--rate-step", what, "drop it, or give --maximize throughput"))
    return problems


def _find(  # noqa: PLR0913, PLR0917
    flags: Flags,
    scenario: Scenario,
    out: Path | None,
    jobs: Jobs,
    progress: ProgressCallback | None,
    journal: Journal | None,
) -> SearchResult:
    """Search, in a study that is kept where the space is sampled."""
    from splitwise_plan.planner.choose import find, is_sampled

    kept = storage(flags, scenario, out) if is_sampled(scenario) else None
    return find(scenario, jobs, progress, kept, journal)


def _next_steps(flags: Flags, scenario: Scenario, result: SearchResult) -> list[str]:
    """Command lines that look closer at the answer."""
    from splitwise_plan.planner.nearest import nearest

    details = result.best.best if result.best else nearest(result)
    steps = []
    if details is not None:
        words = ["splitwise-plan", "simulate", *question.typed(flags)]
        if scenario.maximize is not None:
            found = result.best.rate_rps if result.best else None
            words += ["--rate", f"{found or scenario.rate_step_rps:g}"]
        evaluation = details.evaluation
        if flags["seeds"] is None and len(evaluation.replications) > 1 and not evaluation.estimated:
            words += ["--seeds", str(len(details.evaluation.replications))]
        steps.append(shlex.join([*words, *_design_flags(details.evaluation.design)]))
    return [*steps, output.report_step(flags, "the report, the scenario and a table of designs")]


def _design_flags(design: Design) -> list[str]:
    family = ["--family", design.family.id]
    if design.family.has_one_pool:
        return [*family, "--machines", str(design.machines)]
    pools = ["--prompt-machines", str(design.prompt_machines)]
    return [*family, *pools, "--token-machines", str(design.token_machines)]


COMMAND = Command(
    "search",
    search,
    (
        *f.QUESTION,
        *f.SPACE,
        *(f.MINIMIZE, f.MAXIMIZE, f.POWER_BUDGET, f.COST_BUDGET, f.RATE_STEP),
        *(f.SPARE, f.SPARE_OF, f.DEGRADED_SLO),
        *(f.METHOD, f.TRIALS, f.STUDY, f.RESUME, f.DASK),
        *(f.FORMAT, f.OUT, f.SAVE_PLAN, f.JOBS, f.QUIET, f.DEBUG),
    ),
    "splitwise-plan search --workload conversation --rate 20 --families splitwise-hh",
)
