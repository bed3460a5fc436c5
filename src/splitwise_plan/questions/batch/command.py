"""Batch work, asked for by `splitwise-plan search --maximize throughput_per_cost`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splitwise_plan.cli import exits, output
from splitwise_plan.cli.options import Flags
from splitwise_plan.cli.progress import shown_progress
from splitwise_plan.cli.sampling import resumable, workers
from splitwise_plan.cli.stopwatch import Stopwatch

if TYPE_CHECKING:
    from splitwise_plan.scenario.scenario import Scenario


def saturate(flags: Flags, scenario: Scenario, to: output.Output, watch: Stopwatch) -> int:
    """Batch work: requests per dollar."""
    from splitwise_plan.questions.batch.analysis import search_saturated

    with resumable(flags, scenario, to.out, "saturation") as journal:
        with shown_progress(quiet=to.quiet) as progress, workers(flags, to.jobs) as jobs:
            result = search_saturated(scenario, jobs, progress, journal)
        watch.lap("search_s")

        from splitwise_plan.questions.batch.report import report

        to.write(report(scenario, result, watch.timing, files=to.out is not None))
    return exits.OK if result.best is not None else exits.NONE_MEETS
