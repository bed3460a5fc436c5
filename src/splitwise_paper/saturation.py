"""Batch jobs: requests a second for a dollar an hour where there are no SLOs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splitwise_paper import figures
from splitwise_paper.designs import paper_designs
from splitwise_paper.finding import Finding, Line, Tolerance, Value, value
from splitwise_paper.machines import A100
from splitwise_paper.study import Stack, Study
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.driver import in_order
from splitwise_plan.planner.evaluate import Evaluator

OFFERED_RPS = 200.0
"""At least; doubled until no design finishes as much as that."""
SATURATED = 0.9
"""Share of what is offered: a design that finishes more is not saturated."""
DURATION_S, FILLING_S = 300.0, 100.0
"""Counted from when all batches are full to the end of arrivals."""
NEAR = Tolerance(share=0.08)
CLAIMS = {
    "baseline-a100": "a100",
    "splitwise-aa": "a100",
    "baseline-h100": "h100",
    "splitwise-hh": "h100",
}


def batch(study: Study) -> Finding:
    """The iso-power designs of Fig. 18a, conversation, offered more than they can do."""
    lines = []
    found = {stack.id: saturated(study, stack) for stack in study.stacks}
    names = {space.family.id: space.family.name for space in study.scenario(study.stacks[0]).spaces}
    for family in study.paper.below("fig18", "iso-power"):
        key = CLAIMS.get(family)
        quoted = study.paper("batch", key) if key else None
        ours = {name: of[family] for name, of in found.items()}
        lines.append(Line(names[family], "rps/(USD/h)", quoted, ours, NEAR))
    notes = (
        f"Offered {OFFERED_RPS:g} requests/s, more than any finishes; counted are requests "
        "finished between second "
        f"{FILLING_S:g} and second {DURATION_S:g}. The paper's dollars are per GPU-hour ($2.21 and "
        "$4.76), though it buys machines of eight: for a machine's price all numbers are eight "
        "times smaller.",
    )
    figure = figures.bars(
        "batch", "Requests a second for a dollar an hour", "At saturation, without SLOs.",
        {"Iso-power designs": lines}, study.stacks,
    )  # fmt: skip
    return Finding(tuple(lines), figure, notes)


def saturated(study: Study, stack: Stack) -> dict[str, Value]:
    """Requests/s finished per dollar of the paper's price, by family."""

    def work() -> dict[str, Value]:
        offered = OFFERED_RPS
        while True:
            finished = _finished_rps(study, stack, offered)
            if max(max(rates) for rates in finished.values()) < SATURATED * offered:
                break
            offered *= 2
        designs = paper_designs(study, study.scenario(stack), "fig18", "iso-power")
        return {
            family: value(rate / _price(study, designs[family]) for rate in rates)
            for family, rates in finished.items()
        }

    return study.once(("saturated", stack.id), work)


def _finished_rps(study: Study, stack: Stack, offered_rps: float) -> dict[str, list[float]]:
    """By family, a number a seed."""
    asked = study.scenario(stack, workload="conversation", horizon="window")
    arrivals = replace(asked.arrivals, duration_s=DURATION_S, rate_rps=offered_rps)
    scenario = replace(asked, arrivals=arrivals)
    evaluator = Evaluator(scenario, scenario.seeds)
    designs = paper_designs(study, scenario, "fig18", "iso-power")
    runs = [(one, seed) for one in designs.values() for seed in range(scenario.seeds)]

    def rate(each: tuple[Design, int]) -> float:
        one, seed = each
        finished_s = evaluator.simulator(seed).run(one).requests.last_token_s
        counted = (finished_s > FILLING_S) & (finished_s <= DURATION_S)
        return np.count_nonzero(counted) / (DURATION_S - FILLING_S)

    rates = list(in_order(rate, runs, study.jobs))
    size = scenario.seeds
    return {family: rates[at * size : (at + 1) * size] for at, family in enumerate(designs)}


def _price(study: Study, one: Design) -> float:
    """Dollars an hour, counted as the paper does: a GPU's for each machine."""
    counts = (one.prompt_machines, one.token_machines)
    return sum(
        machines * study.paper("batch", "price_a100" if machine.id == A100 else "price_h100").low
        for machine, machines in zip(one.family.machines, counts, strict=False)
    )
