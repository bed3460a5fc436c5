"""Whether a design still does with machines gone.

A design qualifies if it meets the SLOs whole, and so does whatever may be left of it, by the
degraded SLOs if there are any. Each is judged by itself: that more machines never hurt is not
assumed, so neither is it that what survives the loss of two survives that of one. A pool that is
left without a machine is a miss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.outcome import Evaluation, Reduced
from splitwise_plan.scenario.spare import Spare, works
from splitwise_plan.sim.verdict import Verdict


def judge_losses(
    spare: Spare, whole: Evaluation, judge: Callable[[Design], Evaluation]
) -> Evaluation:
    """The verdict on a design that meets the SLOs whole: what is left is judged up to a miss.

    `simulations` then counts the runs that this verdict rests on, shared with others or not.
    """
    reduced: list[Reduced] = []
    simulations = whole.simulations
    for left in spare.losses(whole.design):
        if not works(left):
            reduced.append(Reduced(left.prompt_machines, left.token_machines, "misses"))
            break
        found = judge(left)
        simulations += found.simulations
        reduced.append(
            Reduced(left.prompt_machines, left.token_machines, found.verdict, found.margin)
        )
        if found.verdict not in ("meets", "undecided"):
            break
    verdicts = {one.verdict for one in reduced}
    verdict: Verdict = "meets"
    if verdicts - {"meets"}:
        verdict = "undecided" if verdicts <= {"meets", "undecided"} else "misses"
    return replace(whole, verdict=verdict, reduced=tuple(reduced), simulations=simulations)


def seem_to_do(spare: Spare, design: Design, seems: Callable[[Design], bool]) -> bool:
    """A quick look at all that may be left of a design."""
    return all(works(left) and seems(left) for left in spare.losses(design))
