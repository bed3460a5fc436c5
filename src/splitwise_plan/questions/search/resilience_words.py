"""What spare machines are good for and what they cost, in words, as a table and for JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.outcome import SearchResult
from splitwise_plan.planner.space import objective
from splitwise_plan.questions.search.resilience import Loss, Resilience
from splitwise_plan.report.numbers import NONE, count, kilowatts, percent, usd
from splitwise_plan.report.page import Cell, Column, Sheet, Statement, words
from splitwise_plan.scenario.scenario import Scenario


def resilience_fact(scenario: Scenario, result: SearchResult, found: Resilience) -> Statement:
    """What the spare costs, and how many cheaper designs fail for want of it alone."""
    lines = [_cost(scenario, found)]
    short = sum(family.certificate.better_without_spare for family in result.families)
    if short:
        would = "would do were no machine ever gone"
        lines.append(f"{count(short, 'design')} simulated and passed over {would}")
    return Statement("Spare", tuple(lines))


def resilience_sheet(scenario: Scenario, found: Resilience) -> Sheet:
    """A row for each number of machines gone."""
    asked = scenario.arrivals.process != "trace"
    columns = [Column("gone"), words("worst left"), Column("machines")]
    columns += [Column("up to requests/s")] if asked else []
    rows = tuple(_row(one, rate=asked) for one in found.losses)
    return Sheet((*columns, words("verdict")), rows, "With machines gone")


def resilience_document(found: Resilience, scenario: Scenario) -> dict[str, Any]:
    """For JSON."""
    spare, bare = scenario.spare, found.bare
    return {
        "machines": spare.machines if spare else 0,
        "of": spare.of if spare else None,
        "degraded_slo": Path(spare.slos.id).name if spare and spare.slos else None,
        "with_machines_gone": [
            {
                "gone": one.gone,
                "prompt_machines": one.left.prompt_machines,
                "token_machines": one.left.token_machines,
                "largest_rate_rps": one.rate_rps,
                "verdict": one.verdict,
            }
            for one in found.losses
        ],
        "without_spare": None if bare is None else _design(bare, found),
    }


def _design(bare: Design, found: Resilience) -> dict[str, Any]:
    return {
        "family": bare.family.id,
        "prompt_machines": bare.prompt_machines,
        "token_machines": bare.token_machines,
        "cost_usd_per_hour": bare.cost_usd_per_hour,
        "provisioned_power_w": bare.provisioned_power_w,
        "rate_rps": found.bare_rate_rps,
    }


def _row(loss: Loss, *, rate: bool) -> tuple[Cell, ...]:
    largest = NONE if loss.rate_rps is None else f"{loss.rate_rps:,g}"
    return (
        Cell(f"{loss.gone}"),
        Cell(loss.left.label),
        Cell(f"{loss.left.machines:,}"),
        *([Cell(largest)] if rate else []),
        Cell(loss.verdict, "good" if loss.verdict == "meets" else "bad"),
    )


def _cost(scenario: Scenario, found: Resilience) -> str:
    """`costs $38/h, +3.2 %: without it 23P + 8T of Splitwise-HH would do`"""
    bare, own = found.bare, found.design
    if bare is None:
        return "nothing would do without it either"
    name = f"{bare.label} of {bare.family.name}"
    if scenario.maximize is not None:
        if found.bare_rate_rps is None:
            return f"without it {name} would do"
        return f"without it {name} would carry {found.bare_rate_rps:,g} requests/s"
    before, after = objective(scenario, bare), objective(scenario, own)
    if before == after:
        return f"costs nothing: without it {name} would be the best, as dear"
    more = {
        "cost": f"{usd(after - before)}/h",
        "power": f"{kilowatts(own.provisioned_power_w - bare.provisioned_power_w)} kW",
        "machines": count(own.machines - bare.machines, "machine"),
    }[scenario.minimize]
    return f"costs {more}, {percent(after / before - 1, sign=True)}: without it {name} would do"
