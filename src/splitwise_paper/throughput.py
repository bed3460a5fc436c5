"""Fig. 18: what the clusters of equal power and of equal cost carry."""

from __future__ import annotations

from splitwise_paper import figures
from splitwise_paper.capacity import tightest
from splitwise_paper.designs import (
    AT,
    FIGURES,
    Budget,
    best,
    paper_designs,
    short,
    throughput,
    told,
)
from splitwise_paper.finding import Finding, Line, Tolerance, Value, ratio, value
from splitwise_paper.study import GRID_RPS, SPLITWISESIM, Stack, Study
from splitwise_plan.report.wording import target_name

STEP = Tolerance(step=GRID_RPS)
RATIO = Tolerance(share=0.08)
RATIOS: tuple[tuple[str, Budget, str, str], ...] = (
    ("aa_over_baseline_a100", "iso-power", "splitwise-aa", "baseline-a100"),
    ("ha_over_baseline_h100", "iso-power", "splitwise-ha", "baseline-h100"),
    ("hhcap_over_baseline_h100", "iso-power", "splitwise-hhcap", "baseline-h100"),
    ("aa_over_baseline_h100_iso_cost", "iso-cost", "splitwise-aa", "baseline-h100"),
)
"""Key of the paper's number, its designs' budget, and the families above and below."""


def fig18(study: Study) -> Finding:
    """The paper's designs, and the best splits of the same machines where those fall short."""
    lines: list[Line] = []
    groups: dict[str, list[Line]] = {}
    for budget in FIGURES:
        carried = {stack.id: throughput(study, stack, budget) for stack in study.stacks}
        scenario = study.scenario(study.stacks[0], workload="conversation")
        for family, one in paper_designs(study, scenario, "fig18", budget).items():
            quoted = study.paper("fig18", budget, family, "throughput")
            ours = {name: value(rates[family]) for name, rates in carried.items()}
            what = f"{AT[budget]}: {one.family.name}, {told(one)}"
            line = Line(what, "rps", quoted, ours, STEP)
            line = _explained(study, line, budget, family)
            lines.append(line)
            groups.setdefault(f"{AT[budget].capitalize()}", []).append(
                _named(line, one.family.name)
            )
    lines += [_ratio(study, *each) for each in RATIOS]
    lines += [_best_ratio(study, *each) for each in RATIOS]
    notes = (
        "Conversation, BLOOM-176B. The largest rate of the 10-rps grid at which all nine SLOs are "
        "met. Cost and power are ours (Table I prices, rated watts); the paper's "
        "own accounting (2.21 : 4.76 and 24.8 : 44) is what makes 70 DGX-A100 equal to 40 "
        "DGX-H100 in power.",
    )
    caption = "The designs of the paper's legends. Thin lines: least and most of the seeds."
    figure = figures.bars("fig18", "Throughput within the nine SLOs", caption, groups, study.stacks)
    return Finding(tuple(lines), figure, notes)


def _named(line: Line, name: str) -> Line:
    return Line(name, line.unit, line.paper, line.ours, line.within)


def _explained(study: Study, line: Line, budget: Budget, family: str) -> Line:
    """The line with the reason, looked for, where the paper's simulator's rules do not give it."""
    stack = SPLITWISESIM
    if line.same(stack.id) is not False or line.paper is None:
        return line
    return Line(line.what, line.unit, line.paper, line.ours, line.within,
                _other_split(study, stack, budget, family))  # fmt: skip


def _other_split(study: Study, stack: Stack, budget: Budget, family: str) -> str:
    """Which SLO the paper's split misses, and what the best split of the same machines carries."""
    scenario = study.scenario(stack, workload="conversation")
    theirs = paper_designs(study, scenario, "fig18", budget)[family]
    claimed = study.paper("fig18", budget, family, "throughput").low
    slo = tightest(scenario, theirs, claimed)
    found = best(study, stack, budget, family)
    shown = found.designs[0]
    if shown is None:
        return "no split of these machines carries anything"
    rates = ", ".join(f"{rate:g}" for rate in found.rates_rps)
    return (
        f"at {claimed:g} rps the paper's {theirs.label} has {target_name(slo.target)} at "
        f"{slo.value:.2f}x of {slo.target.limit:g}x. Another split of as many machines, "
        f"{shown.label}, carries more: the best of all splits reach {rates} rps (one number a "
        "seed). The split is what does not reproduce, not the throughput of the machines"
    )


def _ratio(study: Study, key: str, budget: Budget, above: str, below: str) -> Line:
    ours: dict[str, Value | None] = {}
    for stack in study.stacks:
        carried = throughput(study, stack, budget)
        ours[stack.id] = ratio(carried[above], carried[below])
    what = f"{AT[budget]}, the paper's splits: {short(above)} over {short(below)}"
    why = "as the throughput above: the paper's split, not its machines"
    return Line(what, "x", study.paper("fig18", "ratios", key), ours, RATIO, why)


def _best_ratio(study: Study, key: str, budget: Budget, above: str, below: str) -> Line:
    ours: dict[str, Value | None] = {}
    for stack in study.stacks:
        rates = [best(study, stack, budget, one).rates_rps for one in (above, below)]
        ours[stack.id] = ratio(*rates)
    what = f"{AT[budget]}, the best splits: {short(above)} over {short(below)}"
    why = "the grid of 10 rps is too coarse for a ratio of two such numbers"
    return Line(what, "x", study.paper("fig18", "ratios", key), ours, RATIO, why)
