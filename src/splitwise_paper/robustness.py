"""Fig. 20: clusters built for one workload, or one LLM, that serve another."""

from __future__ import annotations

from splitwise_paper import figures
from splitwise_paper.designs import SPLIT, Asked, Rates, carried, short, throughput
from splitwise_paper.finding import Finding, Line, Tolerance, Value, value
from splitwise_paper.study import Stack, Study

STEP_RPS = 2.0
"""Finer than the paper's grid, whose step is 7 % of these rates: a setback of one step."""
POINTS = Tolerance(step=4.0)
"""Percentage points."""
LLAMA = "llama2-70b"
SETBACK = ("splitwise-ha", "splitwise-hhcap")


def fig20(study: Study) -> Finding:
    """Conversation on clusters built for coding; Llama2-70B on clusters built for BLOOM-176B."""
    lines: list[Line] = []
    setbacks = {stack.id: setback(study, stack) for stack in study.stacks}
    rates = {stack.id: _both(study, stack) for stack in study.stacks}
    for family in SPLIT:
        key = "setback" if family in SETBACK else "no_setback"
        ours = {name: found[family] for name, found in setbacks.items()}
        what = f"conversation on coding clusters: {short(family)}"
        lines.append(
            Line(
                what,
                "%",
                study.paper("fig20", key),
                ours,
                POINTS,
                _why(*(of[family] for of in rates[study.stacks[0].id])),
            )
        )
    groups = {"Throughput lost or gained": list(lines)}
    llama = {stack.id: _llama(study, stack) for stack in study.stacks}
    more = [
        Line(f"Llama2-70B on BLOOM-176B clusters: {short(family)}", "rps", None,
             {name: value(rates[family]) for name, rates in llama.items()})
        for family in study.paper.below("fig18", "iso-power")
    ]  # fmt: skip
    groups["Llama2-70B on clusters built for BLOOM-176B"] = more
    notes = (
        "Conversation on the iso-power clusters built for coding (Fig. 20a), against those built "
        f"for conversation (Fig. 18a), on a grid of {STEP_RPS:g} rps. The paper prints no "
        "throughput for Llama2-70B (Fig. 20b has 100 to 250 rps on its axis).",
    )
    figure = figures.bars(
        "fig20", "Clusters that serve what they were not built for",
        "Thin lines: least and most of the seeds.", groups, study.stacks,
    )  # fmt: skip
    return Finding((*lines, *more), figure, notes)


def setback(study: Study, stack: Stack) -> dict[str, Value]:
    """Per cent of its throughput that each family loses (negative), seed by seed."""
    own, other = _both(study, stack)
    return {
        family: value(
            100 * (theirs / ours - 1) if ours else 0.0
            for theirs, ours in zip(other[family], own[family], strict=True)
        )
        for family in SPLIT
    }


def _both(study: Study, stack: Stack) -> tuple[Rates, Rates]:
    """What clusters built for conversation, and those built for coding, carry of conversation."""
    near = {family: rates[0] for family, rates in throughput(study, stack, "iso-power").items()}
    asked = [
        Asked(figure, "conversation", step_rps=STEP_RPS)
        for figure in (("fig18", "iso-power"), ("coding_designs",))
    ]
    own, other = (carried(study, stack, one, near) for one in asked)
    return own, other


def _llama(study: Study, stack: Stack) -> Rates:
    return carried(study, stack, Asked(("fig18", "iso-power"), "conversation", LLAMA))


def _why(own: tuple[float, ...], other: tuple[float, ...]) -> str:
    told = [", ".join(f"{rate:g}" for rate in rates) for rates in (own, other)]
    return (
        f"built for conversation it carries {told[0]} rps, built for coding {told[1]} rps (one "
        "number a seed)"
    )
