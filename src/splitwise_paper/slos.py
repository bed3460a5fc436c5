"""Table VI: the nine SLOs, and where a design stands that is loaded as far as they allow."""

from __future__ import annotations

import numpy as np

from splitwise_paper import figures
from splitwise_paper.designs import paper_designs, throughput
from splitwise_paper.finding import Finding, Line, Tolerance, Value, value
from splitwise_paper.study import Stack, Study
from splitwise_plan.facts.slo import METRICS
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.sweep import at_rate
from splitwise_plan.report.wording import target_name

EXACT = Tolerance(share=1e-6)
FAMILY = "splitwise-hh"


def table6(study: Study) -> Finding:
    """The limits, and the slowdowns of Splitwise-HH of Fig. 18a at its own throughput."""
    limits, reached = [], []
    slowdowns = {stack.id: _slowdowns(study, stack) for stack in study.stacks}
    slos = study.scenario(study.stacks[0]).slos
    for at, target in enumerate(slos.targets):
        quoted = study.paper("table6", target.metric, f"p{target.percentile:g}")
        same: dict[str, Value | None] = {
            stack.id: value(study.scenario(stack).slos.targets[at].limit) for stack in study.stacks
        }
        limits.append(Line(f"limit, {target_name(target)}", "x", quoted, same, EXACT))
        ours: dict[str, Value | None] = {name: of[at] for name, of in slowdowns.items()}
        reached.append(Line(f"reached, {target_name(target)}", "x", None, ours))
    rates = ", ".join(
        f"{np.mean(throughput(study, stack, 'iso-power')[FAMILY]):g} rps under {stack.id}"
        for stack in study.stacks
    )
    notes = (
        "Slowdown against the same request alone on a DGX-A100. All nine must hold. reached: "
        f"Splitwise-HH 25P + 15T, conversation, at the largest rate of the grid that it carries "
        f"({rates}).",
    )
    groups = {
        metric.upper(): [
            Line(target_name(target), "x", limit.paper, line.ours)
            for limit, line, target in zip(limits, reached, slos.targets, strict=True)
            if target.metric == metric
        ]
        for metric in METRICS
    }
    figure = figures.bars(
        "table6", "The nine SLOs", "Ink: the limit. Colours: what Splitwise-HH reaches at its "
        "throughput.", groups, study.stacks, 3,
    )  # fmt: skip
    return Finding((*limits, *reached), figure, notes)


def _slowdowns(study: Study, stack: Stack) -> list[Value]:
    """Of each SLO, over the seeds."""
    scenario = study.scenario(stack, workload="conversation")
    one = paper_designs(study, scenario, "fig18", "iso-power")[FAMILY]
    rate = min(throughput(study, stack, "iso-power")[FAMILY])
    evaluator = Evaluator(at_rate(scenario, rate), scenario.seeds)
    done = evaluator.detail(one, scenario.seeds, study.jobs).evaluation.replications
    rows = zip(*(replication.results for replication in done), strict=True)
    return [value(result.value for result in row) for row in rows]
