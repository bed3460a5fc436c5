"""Fig. 16: latency against load of the iso-power designs, both workloads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from splitwise_paper import figures
from splitwise_paper.designs import Asked, Rates, carried, paper_designs
from splitwise_paper.figures import Axis, Panel, Series
from splitwise_paper.finding import Finding, Line, value
from splitwise_paper.study import GRID_RPS, Stack, Study
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.driver import in_order
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.sweep import at_rate
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Row
from splitwise_plan.sim.metrics import latencies, values_at

WORKLOADS = ("coding", "conversation")
PERCENTILE = 90.0
BEYOND = 2
"""Steps of the grid drawn beyond what a design carries."""
FIRST_RPS = 20.0
ABOVE = 2.0
"""Axes end at so many times the limit."""


def fig16(study: Study) -> Finding:
    """What each design carries, and its latencies on the way there."""
    lines, panels = [], []
    carries = {
        (stack.id, workload): _carried(study, stack, workload)
        for stack in study.stacks
        for workload in WORKLOADS
    }
    for workload in WORKLOADS:
        key = _key(workload)
        designs = paper_designs(study, study.scenario(study.stacks[0], workload=workload), *key)
        for family, one in designs.items():
            ours = {s.id: value(carries[s.id, workload][family]) for s in study.stacks}
            quoted = None
            if workload == "conversation":
                quoted = study.paper("fig18", "iso-power", family, "throughput")
            label = "" if one.family.has_one_pool else f" {one.label}"
            what = f"{workload}, {one.family.name}{label}"
            lines.append(Line(what, "rps", quoted, ours))
    for stack in study.stacks:
        for workload in WORKLOADS:
            panels += _panels(study, stack, workload, carries[stack.id, workload])
    families = {
        space.family.name: style.FAMILY_COLOURS[space.family.id]
        for space in study.scenario(study.stacks[0]).spaces
    }
    notes = (
        "The table has the largest rate of the 10-rps grid that meets all nine SLOs, as in Fig. "
        "18; the paper prints none for coding. The figure has the 90th percentiles of the first "
        f"seed, up to {BEYOND} steps beyond that rate.",
    )
    figure = figures.curves(
        "fig16", "Latency against load, iso-power designs, BLOOM-176B",
        "P90 of the slowdown; dashed red: the SLO. Axes end at twice the SLO.", panels,
        Series(families),
    )  # fmt: skip
    return Finding(tuple(lines), figure, notes)


def _key(workload: str) -> tuple[str, ...]:
    return ("coding_designs",) if workload == "coding" else ("fig18", "iso-power")


def _carried(study: Study, stack: Stack, workload: str) -> Rates:
    return carried(study, stack, Asked(_key(workload), workload))


def _panels(study: Study, stack: Stack, workload: str, carries: Rates) -> list[Panel]:
    scenario = study.scenario(stack, workload=workload)
    targets = [one for one in scenario.slos.targets if one.percentile == PERCENTILE]
    rows: dict[SLOTarget, list[Row]] = {target: [] for target in targets}
    designs = paper_designs(study, scenario, *_key(workload))
    last = {family: carries[family][0] + BEYOND * GRID_RPS for family in designs}
    step = study.effort.rate_step_rps
    rate = FIRST_RPS
    while rate <= max(last.values()):
        some = [one for family, one in designs.items() if rate <= last[family]]
        evaluator = Evaluator(at_rate(scenario, rate), 1)
        found = in_order(partial(_slowdowns, evaluator, targets), some, study.jobs)
        for one, slowdowns in zip(some, found, strict=True):
            for target, slowdown in zip(targets, slowdowns, strict=True):
                rows[target].append({"x": rate, "y": slowdown, "series": one.family.name})
        rate += step
    return [
        Panel(
            f"{target.metric.upper()}, {workload}, {stack.id}", Axis("requests/s"),
            Axis("P90 slowdown", domain=(0.0, ABOVE * target.limit)), of, limits=(target.limit,),
        )
        for target, of in rows.items()
    ]  # fmt: skip


def _slowdowns(evaluator: Evaluator, targets: Sequence[SLOTarget], one: Design) -> list[float]:
    simulator = evaluator.simulator(0)
    found = latencies(simulator, simulator.run(one))
    values = values_at(found, targets)
    return [min(one, 4 * ABOVE * of.limit) for one, of in zip(values, targets, strict=True)]
