"""What the paper's text would have given where its simulator does something else."""

from __future__ import annotations

from dataclasses import replace

from splitwise_paper import figures
from splitwise_paper.designs import SPLIT, throughput, unchanged
from splitwise_paper.finding import Finding, Line, value
from splitwise_paper.study import Study
from splitwise_plan.scenario.scenario import Scenario

STEP_RPS = 2.0
"""Finer than the paper's grid, to see what a rule moves."""


def pending_tokens(scenario: Scenario) -> Scenario:
    """The token machine with the fewest pending tokens, rather than the least booked memory."""
    return replace(scenario, scheduler=replace(scenario.scheduler, token_end="pending_tokens"))


def drained(scenario: Scenario) -> Scenario:
    """Mixed machines return as soon as no work of the other kind is theirs."""
    return replace(scenario, scheduler=replace(scenario.scheduler, mixed_return="drained"))


def layerwise(scenario: Scenario) -> Scenario:
    """KV caches move layer by layer, over the machines' own links."""
    rules = replace(scenario.assumptions, kv_transfer="layerwise", kv_bandwidth_bytes_per_s=None)
    return replace(scenario, assumptions=rules)


def serialized(scenario: Scenario) -> Scenario:
    """KV caches move after the prompt, over the machines' own links."""
    rules = replace(scenario.assumptions, kv_transfer="serialized", kv_bandwidth_bytes_per_s=None)
    return replace(scenario, assumptions=rules)


def text(scenario: Scenario) -> Scenario:
    """All that the text says."""
    return pending_tokens(drained(layerwise(scenario)))


CHANGES = {
    "as it is": unchanged,
    "token machine by pending tokens": pending_tokens,
    "mixed machines return when drained": drained,
    "KV caches layer by layer": layerwise,
    "KV caches after the prompt": serialized,
    "all of the text": text,
}


def options(study: Study) -> Finding:
    """Throughput of the split designs of Fig. 18a under the rules of the paper's text."""
    lines, groups = [], {}
    names = {space.family.id: space.family.name for space in study.scenario(study.stacks[0]).spaces}
    for family in SPLIT:
        quoted = study.paper("fig18", "iso-power", family, "throughput")
        of = []
        for what, change in CHANGES.items():
            ours = {
                stack.id: value(throughput(study, stack, "iso-power", change, STEP_RPS)[family])
                for stack in study.stacks
            }
            of.append(Line(what, "rps", quoted, ours))
            lines.append(Line(f"{names[family]}: {what}", "rps", quoted, ours))
        groups[names[family]] = of
    notes = tuple(_told(study, stack.id, lines) for stack in study.stacks)
    figure = figures.bars(
        "options", "Rules of the text instead of those of the simulator",
        "Throughput of the split designs of Fig. 18a.", groups, study.stacks,
    )  # fmt: skip
    return Finding(tuple(lines), figure, notes)


def _told(study: Study, stack: str, lines: list[Line]) -> str:
    """How far the rules move what a design carries."""
    size = len(CHANGES)
    moved = []
    for at, (what, _) in enumerate(CHANGES.items()):
        if at == 0:
            continue
        changes = []
        for family in range(len(SPLIT)):
            own, other = (lines[family * size + k].ours[stack] for k in (0, at))
            if own is not None and other is not None:
                changes.append(other.mean - own.mean)
        moved.append(f"{what}: {_span(changes)}")
    return f"Under {stack} the four designs change by, in rps: {'; '.join(moved)}."


def _span(changes: list[float]) -> str:
    low, high = min(changes), max(changes)
    if max(abs(low), abs(high)) < 0.05:
        return "nothing"
    return f"{low:+.1f}" if low == high else f"{low:+.1f} to {high:+.1f}"
