"""The answer of a search, and why nothing better works."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from splitwise_plan.planner.length_check import LengthCheck
from splitwise_plan.planner.nearest import nearest
from splitwise_plan.planner.outcome import Certificate, Details, FamilyResult, SearchResult
from splitwise_plan.planner.space import designs, objective
from splitwise_plan.report import wording
from splitwise_plan.report.formats.jsonfmt import status
from splitwise_plan.report.front import score
from splitwise_plan.report.numbers import count, in_words, significant, usd
from splitwise_plan.report.page import Statement
from splitwise_plan.scenario.scenario import Scenario

TIES_SHOWN = 4


def answer(
    scenario: Scenario, result: SearchResult, length: LengthCheck | None = None
) -> Statement:
    """The best design and how it meets the SLOs; or the nearest, and what it misses.

    `length`: one that does not hold in longer windows is nothing to be glad of.
    """
    best = result.best.best if result.best else None
    if best is not None:
        first, second = _design(scenario, best)
        rate = result.best.rate_rps if result.best else None
        first = f"{rate:,g} requests/s with {first}" if rate else first
        holds = length is None or length.doubled.verdict == "meets"
        return Statement("Answer", (first, second), "good" if holds else "bad")
    undecided = any(status(family) == "undecided" for family in result.families)
    where = _families(result)
    if undecided:
        told = f"undecided: no design of {where} is sure to meet the SLOs, but some may"
    else:
        told = f"no design of {where} meets the SLOs"
    closest = nearest(result)
    lines = () if closest is None else _design(scenario, closest)
    if scenario.maximize is not None:
        step = scenario.rate_step_rps
        told += f" at {step:,g} requests/s, the smallest rate looked at (--rate-step)"
    near = [f"closest: {lines[0]}", *lines[1:]] if lines else [_all_excluded(result)]
    return Statement("Answer", (told, *near), "bad")


def _all_excluded(result: SearchResult) -> str:
    """Why there is not even a closest design."""
    if not any(family.certificate.space for family in result.families):
        return "none fits into the budget"
    return "none has the capacity: allow more machines"


def proof(scenario: Scenario, result: SearchResult) -> tuple[str, ...]:
    """How many better designs there are, and what became of those that were looked at."""
    certificates = [family.certificate for family in result.families]
    best = result.best
    if best is None or best.best is None:
        space = sum(certificate.space for certificate in certificates)
        first = f"all {count(space, 'design')} looked at, {_seeds(scenario, certificates)}"
    else:
        beyond = _none_beyond if scenario.maximize else _none_better
        first = f"{beyond(scenario, result, best)}, {_seeds(scenario, certificates)}"
    if best is None or not best.certificate.exact:
        if not all(certificate.exact for certificate in certificates):
            first = _best_found(scenario, certificates)
    lines = [first, _looked_at(certificates)]
    if any(_is_bound(result, family) for family in result.families):
        lines.append(_not_proven(scenario))
    return (*lines, _ties(best)) if best is not None and best.ties else tuple(lines)


def bound_sign(scenario: Scenario, result: SearchResult, family: FamilyResult) -> str:
    """`≤ `, `≥ ` before what was found of a family that was not gone through: it may be better."""
    if not _is_bound(result, family):
        return ""
    return "≥ " if scenario.maximize else "≤ "


def _is_bound(result: SearchResult, family: FamilyResult) -> bool:
    """Whether the answer is proven, and this family's own best is not."""
    proven = result.best is not None and result.best.certificate.exact
    return proven and family.best is not None and not family.certificate.exact


def _not_proven(scenario: Scenario) -> str:
    sign = "≥" if scenario.maximize else "≤"
    return f"{sign} marks the best found of other families (--method exhaustive proves those too)"


def _best_found(scenario: Scenario, certificates: Sequence[Certificate]) -> str:
    """`best found, not proven: 312 of 10,710 designs seen, …`"""
    space = sum(certificate.space for certificate in certificates)
    seen = sum(certificate.seen or 0 for certificate in certificates)
    ways = "proposed by Optuna and by a local search around the best of them"
    return (
        f"best found, not proven: {seen:,} of {count(space, 'design')} seen, {ways}, "
        f"{_seeds(scenario, certificates)}"
    )


def _none_beyond(scenario: Scenario, result: SearchResult, best: FamilyResult) -> str:
    """`at 139 requests/s no design of 3 that use up the budget meets them`"""
    rate = (best.rate_rps or 0.0) + scenario.rate_step_rps
    space = sum(family.certificate.space for family in result.families)
    sure = any(family.certificate.better_undecided for family in result.families)
    meets = "is sure to meet them" if sure else "meets them"
    told = f"at {rate:,g} requests/s none of {count(space, 'design')} in the budget {meets}"
    highest = [family.rate_high_rps for family in result.families if family.best is not None]
    sure_from = max((high for high in highest if high is not None), default=None)
    if sure_from is None or None in highest or sure_from <= rate:
        return told
    return f"{told}, and at {sure_from:,g} all miss for certain"


def _none_better(scenario: Scenario, result: SearchResult, best: FamilyResult) -> str:
    """`none of 4,100 designs under $1,064/h meets them`"""
    level = score(scenario, best)
    better = sum(
        objective(scenario, design) < level
        for family in result.families
        for design in designs(family.space)
    )
    if better == 0:
        return f"no design is {_below(scenario, level)}"
    which = "the one design" if better == 1 else f"none of {better:,} designs"
    not_one = " does not meet them" if better == 1 else " meets them"
    open_ = [design for family in result.families for design in family.certificate.undecided]
    if any(objective(scenario, design) < level for design in open_):
        not_one = " is not sure to meet them" if better == 1 else " is sure to meet them"
    return f"{which} {_below(scenario, level)}{not_one}"


def _seeds(scenario: Scenario, certificates: Sequence[Certificate]) -> str:
    """`on 3 seeds of 120 s and more where it is close`; in the steady state one run may decide."""
    if scenario.arrivals.process == "trace":
        return "on this trace"
    seeds = 1
    if scenario.horizon == "window":
        seeds = max(certificate.seeds for certificate in certificates)
    return f"on {wording.runs(scenario, seeds)} and more where it is close"


def _looked_at(certificates: Sequence[Certificate]) -> str:
    """`311 simulated (25 too close to call), 97 excluded (74 capacity, 23 memory)`"""
    excluded: Counter[str] = Counter()
    for certificate in certificates:
        excluded.update(certificate.better_excluded)
    simulated = sum(certificate.better_simulated for certificate in certificates)
    undecided = sum(certificate.better_undecided for certificate in certificates)
    by_bound = ", ".join(f"{number:,} {name}" for name, number in excluded.items() if number)
    number = in_words(len(certificates))
    many = len(certificates) > 1
    where = f"{number} families: " if many else ""
    close = f" ({undecided:,} too close to call)" if undecided else ""
    bounds = f" ({by_bound})" if by_bound else ""
    return f"{where}{simulated:,} simulated{close}, {excluded.total():,} excluded{bounds}"


def _below(scenario: Scenario, level: float) -> str:
    """`under $1,064/h`"""
    if scenario.minimize == "cost":
        return f"under {usd(level)}/h"
    if scenario.minimize == "machines":
        return f"of fewer than {count(round(level), 'machine')}"
    if scenario.assumptions.power_accounting == "paper":
        return f"under {level:,.1f} paper units"
    return f"under {significant(level / 1e3)} kW"


def _ties(family: FamilyResult) -> str:
    labels = [design.label for design in family.ties[:TIES_SHOWN]]
    more = len(family.ties) - len(labels)
    told = ", ".join(labels) + (f" and {more:,} more" if more else "")
    return f"{count(len(family.ties), 'tie')}: {told}"


def _design(scenario: Scenario, details: Details) -> tuple[str, ...]:
    evaluation = details.evaluation
    told = (
        wording.design_line(scenario, evaluation.design),
        wording.verdict(scenario, evaluation),
    )
    few = wording.too_few_words(scenario, details)
    return (*told, few) if few and evaluation.verdict == "undecided" else told


def _families(result: SearchResult) -> str:
    if len(result.families) == 1:
        return result.families[0].family.name
    return f"the {in_words(len(result.families))} families"
