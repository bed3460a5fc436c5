"""What the paper's clusters, and the best ones of the same budgets, carry: shared by many items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from splitwise_paper.capacity import Best, best_splits, capacities
from splitwise_paper.study import GRID_RPS, Stack, Study, design
from splitwise_plan.facts.design import Design
from splitwise_plan.report.numbers import kilowatts, usd
from splitwise_plan.scenario.scenario import Scenario

Budget = Literal["iso-power", "iso-cost", "cheaper"]
BUDGETS: dict[Budget, dict[str, str]] = {
    "iso-power": {"power_budget": "40xdgx-h100"},
    "iso-cost": {"cost_budget": "40xdgx-h100"},
    "cheaper": {"cost_budget": "32xdgx-h100"},
}
"""Those of Fig. 18, and 20 % less than its cost."""
FIGURES: tuple[Budget, ...] = ("iso-power", "iso-cost")
AT: dict[Budget, str] = {
    "iso-power": "at equal power",
    "iso-cost": "at equal cost",
    "cheaper": "at 20 % lower cost",
}
BASELINES = ("baseline-a100", "baseline-h100")
SPLIT = ("splitwise-aa", "splitwise-hh", "splitwise-ha", "splitwise-hhcap")
Rates = Mapping[str, tuple[float, ...]]
"""By family id, one a seed."""
Change = Callable[[Scenario], Scenario]


def unchanged(scenario: Scenario) -> Scenario:
    """A scenario as it is."""
    return scenario


def paper_designs(study: Study, scenario: Scenario, *key: str) -> dict[str, Design]:
    """The designs of a figure by family id, e.g. of `"fig18", "iso-power"`."""
    families = study.paper.below(*key)
    return {one: design(scenario, one, *study.machines(*key, one)) for one in families}


def throughput(
    study: Study,
    stack: Stack,
    budget: Budget,
    change: Change = unchanged,
    step_rps: float = GRID_RPS,
) -> Rates:
    """What the designs of Fig. 18 carry of conversation; `change`: of the scenario."""
    near: dict[str, float] = {}
    if step_rps < GRID_RPS:
        near = {one: rates[0] for one, rates in throughput(study, stack, budget).items()}
    asked = Asked(("fig18", budget), "conversation", step_rps=step_rps, change=change)
    return carried(study, stack, asked, near)


@dataclass(frozen=True, slots=True)
class Asked:
    """Designs of a figure of the paper, and what they are to carry."""

    figure: tuple[str, ...]
    workload: str
    llm: str | None = None
    step_rps: float = GRID_RPS
    change: Change = unchanged


def carried(
    study: Study, stack: Stack, asked: Asked, near_rps: Mapping[str, float] | None = None
) -> Rates:
    """The largest rates within the SLOs of all designs of a figure.

    `near_rps`: where to begin to look, by family; else at what the paper says of conversation.
    """

    def work() -> Rates:
        keys = {"workload": asked.workload} | ({"llm": asked.llm} if asked.llm else {})
        scenario = asked.change(study.scenario(stack, **keys))
        scenario = replace(scenario, rate_step_rps=asked.step_rps)
        designs = paper_designs(study, scenario, *asked.figure)
        guess = {one: study.paper("fig18", "iso-power", one, "throughput").low for one in designs}
        near = {**guess, **(near_rps or {})}
        rates = [near[one] for one in designs]
        found = capacities(scenario, list(designs.values()), rates, study.jobs)
        return dict(zip(designs, found, strict=True))

    return study.once(("carried", stack.id, asked), work)


def best(study: Study, stack: Stack, budget: Budget, family: str) -> Best:
    """The split of a family that carries most conversation in the budget of 40 DGX-H100."""

    def work() -> Best:
        scenario = budgeted(study, stack, budget, family)
        figure = "iso-cost" if budget == "cheaper" else budget
        near = {family: study.paper("fig18", figure, family, "throughput").low}
        return best_splits(scenario, near, study.jobs)[family]

    return study.once(("best", stack.id, budget, family), work)


def budgeted(study: Study, stack: Stack, budget: Budget, family: str) -> Scenario:
    """The question of `best`."""
    return study.scenario(
        stack, workload="conversation", maximize="throughput", families=[family], **BUDGETS[budget]
    )


def short(family: str) -> str:
    """`Splitwise-HHcap`, of a family of the paper."""
    kind, machines = family.split("-")
    return f"{kind.capitalize()}-{machines.upper().replace('CAP', 'cap')}"


def told(one: Design) -> str:
    """`45P + 25T (70 machines, $1,232/h, 455 kW)`"""
    label = "" if one.family.has_one_pool else f"{one.label}, "
    power = kilowatts(one.provisioned_power_w)
    return f"{label}{one.machines} machines, {usd(one.cost_usd_per_hour)}/h, {power} kW"
