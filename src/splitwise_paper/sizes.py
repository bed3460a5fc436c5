"""Fig. 19: the fewest dollars or watts that carry 70 requests/s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from splitwise_paper import figures
from splitwise_paper.designs import BASELINES, SPLIT, paper_designs, short
from splitwise_paper.finding import Finding, Line, Tolerance, Value, value
from splitwise_paper.quoted import Quoted
from splitwise_paper.study import SPLITWISESIM, Stack, Study
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.space import provisioned_power
from splitwise_plan.report.numbers import count, measured
from splitwise_plan.report.wording import target_name
from splitwise_plan.scenario.scenario import Scenario

Objective = Literal["power", "cost"]
OBJECTIVES: tuple[Objective, ...] = ("power", "cost")
RATE_RPS = 70.0
MIXED = ("splitwise-ha", "splitwise-hhcap")
"""Families of two prices or powers: for the others least cost is least power."""
SEED_BUDGET = 4
TWO = Tolerance(step=2.0)
POINTS = Tolerance(step=2.0)
"""Percentage points."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The best design of each family, by seed if of windows; None where none was found."""

    designs: Mapping[str, tuple[Design | None, ...]]


def fig19(study: Study) -> Finding:
    """Machines of the best designs, and what they save against Baseline-H100."""
    lines: list[Line] = []
    groups: dict[str, list[Line]] = {}
    scenario = _scenario(study, study.stacks[0])
    for objective in OBJECTIVES:
        theirs = paper_designs(study, scenario, "fig19", objective)
        found = {stack.id: sizes(study, stack, objective) for stack in study.stacks}
        for family, one in theirs.items():
            ours = {name: _machines(of.designs[family]) for name, of in found.items()}
            source = f"Fig. 19{'a' if objective == 'power' else 'b'}: {one.label}"
            size = float(one.machines)
            quoted = Quoted(size, size, "machines", source, "printed")
            what = f"least {objective}: {one.family.name}"
            line = Line(what, "machines", quoted, ours, TWO)
            if line.same(SPLITWISESIM.id) is False:
                best = found[SPLITWISESIM.id].designs[family]
                line = replace(line, why=_why(study, objective, one, best))
            lines.append(line)
            groups.setdefault(f"Least {objective}", []).append(line)
    lines += [
        _saving(study, "aa_cost", "cost", "splitwise-aa"),
        _saving(study, "hhcap_power", "power", "splitwise-hhcap"),
    ]
    notes = (
        "Conversation at 70 requests/s, BLOOM-176B; every design of each family that could be "
        f"better was simulated or excluded: under {SPLITWISESIM.id} for each seed by itself, on a "
        f"trace of {study.effort.short_s:g} s, else in the steady state, as `search` judges.",
        *(_paper_splits(study, stack) for stack in study.stacks),
    )
    figure = figures.bars(
        "fig19", "Machines for 70 requests/s, conversation",
        "Thin lines: least and most of the seeds.", groups, study.stacks,
    )  # fmt: skip
    return Finding(tuple(lines), figure, notes)


def sizes(study: Study, stack: Stack, objective: Objective) -> Sizes:
    """The best designs: of windows for each seed by itself, as the paper's search had one trace."""
    if objective == "power":
        cost = sizes(study, stack, "cost").designs
        mixed = _searched(study, stack, "power", MIXED)
        return Sizes({**cost, **mixed})
    return Sizes(_searched(study, stack, "cost", (*BASELINES, *SPLIT)))


def _searched(
    study: Study, stack: Stack, objective: Objective, families: tuple[str, ...]
) -> Mapping[str, tuple[Design | None, ...]]:
    def work() -> Mapping[str, tuple[Design | None, ...]]:
        results = []
        for keys in _lists_of_requests(study, stack):
            scenario = study.scenario(
                stack, workload="conversation", rate=RATE_RPS, duration=study.effort.short_s,
                minimize=objective, families=list(families), **keys,
            )  # fmt: skip
            found = search(scenario, study.jobs)
            results.append(
                {
                    one.family.id: one.best.evaluation.design if one.best else None
                    for one in found.families
                }
            )
        return {family: tuple(one[family] for one in results) for family in families}

    return study.once(("sizes", stack.id, objective, families), work)


def _lists_of_requests(study: Study, stack: Stack) -> list[dict[str, int]]:
    """Keys of each search: one a seed, or one that takes as many runs as its verdicts need."""
    seeds = study.effort.seeds
    if study.scenario(stack).horizon == "steady":
        return [{"max_seeds": SEED_BUDGET * seeds}]
    return [{"seeds": 1, "max_seeds": 1, "seed": seed} for seed in range(seeds)]


def saving(study: Study, stack: Stack, objective: Objective, family: str) -> Value:
    """Per cent more (less: negative) than Baseline-H100, seed by seed."""
    found = sizes(study, stack, objective).designs
    scenario = _scenario(study, stack)

    pairs = zip(found[family], found["baseline-h100"], strict=True)
    return value(
        100 * (_total(scenario, objective, one) / _total(scenario, objective, base) - 1)
        for one, base in pairs
    )


def _total(scenario: Scenario, objective: Objective, one: Design | None) -> float:
    """$/h, or power in the accounting of the assumptions."""
    if one is None:
        return float("nan")
    return one.cost_usd_per_hour if objective == "cost" else provisioned_power(scenario, one)


def _saving(study: Study, key: str, objective: Objective, family: str) -> Line:
    ours: dict[str, Value | None] = {
        stack.id: saving(study, stack, objective, family) for stack in study.stacks
    }
    what = f"{objective} of {short(family)} against Baseline-H100"
    prompt, token = study.machines("fig19", objective, family)
    why = (
        f"the paper's {prompt}P + {token}T does not meet the SLOs on our traces; the best that do "
        f"are {', '.join(one.label for one in _found(study, objective, family) if one)}"
    )
    return Line(what, "%", study.paper("fig19", "claims", key), ours, POINTS, why)


def _found(study: Study, objective: Objective, family: str) -> tuple[Design | None, ...]:
    return sizes(study, study.stacks[0], objective).designs[family]


def _scenario(study: Study, stack: Stack) -> Scenario:
    return study.scenario(
        stack, workload="conversation", rate=RATE_RPS, duration=study.effort.short_s
    )


def _machines(designs: tuple[Design | None, ...]) -> Value | None:
    if None in designs:
        return None
    return value(float(one.machines) for one in designs if one is not None)


def _why(study: Study, objective: Objective, theirs: Design, ours: Sequence[Design | None]) -> str:
    """What became of the paper's design, and what the best ones need instead."""
    scenario = _scenario(study, SPLITWISESIM)
    labels = ", ".join(one.label if one else "none" for one in ours)
    need = value(
        100 * (_total(scenario, objective, one) / _total(scenario, objective, theirs) - 1)
        for one in ours
    )
    than = "less" if need.mean < 0 else "more"
    return (
        f"the paper's {theirs.label} does not meet the SLOs on our traces (see the notes). The "
        f"best of each seed are {labels}: {abs(need.mean):.1f} % {than} {objective} than it"
    )


def _paper_splits(study: Study, stack: Stack) -> str:
    """Whether, or on how many of the seeds, the designs of the paper's legends meet the SLOs."""
    evaluator = Evaluator(_scenario(study, stack))
    in_steady_state = evaluator.scenario.horizon == "steady"
    told = []
    for objective in OBJECTIVES:
        for one in paper_designs(study, evaluator.scenario, "fig19", objective).values():
            if objective == "cost" and one.family.id not in MIXED:
                continue
            judged = evaluator.detail(one, study.effort.seeds, study.jobs).evaluation
            tight = max(judged.estimates, key=lambda e: e.mean / e.target.limit)
            verdict = judged.verdict if in_steady_state else f"on {judged.met}"
            told.append(
                f"{one.family.name} {one.label} {verdict} ({target_name(tight.target)} at "
                f"{measured(tight.mean, tight.target.unit)} of {tight.target.limit:g}x)"
            )
    asked = f"meet the SLOs on so many of {count(study.effort.seeds, 'seed')}"
    if in_steady_state:
        asked = f"are judged so, on {count(study.effort.seeds, 'long run')} of the steady state"
    return f"Under {stack.id} the paper's own designs {asked}: {', '.join(told)}."
