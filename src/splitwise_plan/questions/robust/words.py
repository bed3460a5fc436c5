"""The sentences and tables of a plan for several loads."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from math import isfinite

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.outcome import Evaluation, best_of
from splitwise_plan.questions.robust.analysis import FamilyRegret, RobustResult
from splitwise_plan.questions.robust.growth_horizon import RunOut
from splitwise_plan.report import estimates, wording
from splitwise_plan.report.numbers import NONE, in_words, percent, significant, usd
from splitwise_plan.report.page import Cell, Column, Sheet, Statement, words
from splitwise_plan.report.proof import answer, proof
from splitwise_plan.scenario.loads.schema import Load

CLEAR = 0.005
"""Regrets below this are none."""


def question(result: RobustResult) -> str:
    """`coding at 70 requests/s · … · three loads: x1, x1.2, spike`"""
    names = ", ".join(load.name for load in result.loads.loads)
    number = len(result.loads.loads)
    loads = f"{in_words(number)} load{'' if number == 1 else 's'}: {names}"
    return f"{wording.question(result.loads.base, objective=True)} · {loads}"


def answers(result: RobustResult) -> Iterator[Statement]:
    """The plan, its proof, and what the loads by themselves would do with."""
    if result.loads.choose == "regret":
        yield _regret_answer(result)
    base = result.loads.base
    told = answer(base, result.joint)
    label = "Answer" if result.loads.choose == "least" else "One design"
    served = result.answer
    if served is None:
        yield Statement(label, (*told.lines, *_hopeless(result)), told.tone)
    else:
        margins = [(one.margin, load.name) for one, load in _by_load(result, served.evaluations)]
        least = f"under every load, of which {min(margins)[1]} is the hardest, it "
        yield Statement(label, (told.lines[0], least + told.lines[1]), told.tone)
    yield Statement("Proof", proof(base, result.joint)[:2])


def _by_load(
    result: RobustResult, evaluations: tuple[Evaluation, ...]
) -> list[tuple[Evaluation, Load]]:
    return list(zip(evaluations, result.loads.loads, strict=True))


def _hopeless(result: RobustResult) -> tuple[str, ...]:
    """The loads that no design serves even alone."""
    names = [
        load.name
        for load, alone in zip(result.loads.loads, result.alone, strict=True)
        if best_of(alone) is None
    ]
    return (f"not even alone: {', '.join(names)}",) if names else ()


def _regret_answer(result: RobustResult) -> Statement:
    found = result.least_regret
    if found is None:
        return Statement("Answer", ("no family has a design for every load",), "bad")
    at_worst = f"never more than {percent(found.worst)} over the best of all"
    if found.worst < CLEAR:
        at_worst = "the best under every load"
    sizes = ", ".join(
        f"{load.name} {design.label}"
        for load, design in zip(result.loads.loads, found.designs, strict=True)
        if design is not None
    )
    first = f"{found.family.name}, its counts following the load: {at_worst}"
    return Statement("Answer", (first, sizes), "good")


def load_sheet(result: RobustResult) -> Sheet:
    """A row a load: its own best design, and how the answer does under it."""
    columns = (
        words("load"),
        words("requests", optional=2),
        words("its own best"),
        Column("$/h"),
        Column("answer costs"),
        words("the answer's tightest SLO", optional=1),
    )
    rows = []
    for at, load in enumerate(result.loads.loads):
        own, over = best_of(result.alone[at]), result.regret(at)
        answer_ = result.answer
        rows.append(
            (
                Cell(load.name),
                Cell(_requests(load)),
                Cell(design_name(own) if own else "none", "" if own else "bad"),
                Cell(f"{own.cost_usd_per_hour:,.0f}" if own else NONE),
                Cell(NONE if over is None else _over(over)),
                Cell(NONE if answer_ is None else _tightest(answer_.evaluations[at])),
            )
        )
    return Sheet(columns, tuple(rows))


def _requests(load: Load) -> str:
    llm = load.scenario.llm.name
    return f"{wording.load(load.scenario, duration=False)}, {llm}"


def _over(share: float) -> str:
    return "as much" if share < CLEAR else percent(share, sign=True)


def _tightest(evaluation: Evaluation) -> str:
    binds = wording.tightest(evaluation)
    if binds is None:
        return NONE
    return f"{wording.target_name(binds.target)} {' of '.join(estimates.beside(binds))}"


def served_sheet(result: RobustResult) -> Sheet:
    """A row a design that is best for some load, or for all: where it meets, where it breaks."""
    columns = [words("design"), Column("$/h")]
    columns += [words(f"under {load.name}") for load in result.loads.loads]
    rows = []
    for served in result.served:
        cells = [_standing(one) for one in served.evaluations]
        cost = Cell(f"{served.design.cost_usd_per_hour:,.0f}")
        rows.append((Cell(design_name(served.design)), cost, *cells))
    return Sheet(tuple(columns), tuple(rows), "Where the best for one load breaks")


def _standing(evaluation: Evaluation) -> Cell:
    if evaluation.verdict == "meets":
        return Cell("meets", "good")
    binds = wording.tightest(evaluation)
    told = wording.short_verdict(evaluation)
    if binds is not None and isfinite(binds.mean):
        ratio = significant(binds.mean / binds.target.limit)
        name = "" if evaluation.verdict == "misses" else f" by {wording.target_name(binds.target)}"
        told += f"{name}, {ratio} of its limit"
    return Cell(told, "" if evaluation.verdict == "undecided" else "bad")


def regret_sheet(result: RobustResult) -> Sheet:
    """A row a family: its best design under each load, and how far from the best at worst."""
    columns = [words("family"), Column("regret")]
    columns += [words(load.name) for load in result.loads.loads]
    rows = [_regret_row(result, one) for one in result.regrets]
    return Sheet(tuple(columns), tuple(rows), "Families, their counts following the load")


def _regret_row(result: RobustResult, one: FamilyRegret) -> tuple[Cell, ...]:
    first = one is result.least_regret
    return (
        Cell(one.family.name, "good" if first else ""),
        Cell(percent(one.worst) if isfinite(one.worst) else NONE),
        *(
            Cell(f"{design.label}, {usd(design.cost_usd_per_hour)}/h" if design else "none")
            for design in one.designs
        ),
    )


def run_out_sheet(result: RobustResult) -> Sheet:
    """A row a design: its capacity, and when the growing load is there."""
    columns = (
        words("design"),
        Column("$/h"),
        Column("serves, requests/s"),
        Column("fails from"),
        words("runs out"),
    )
    growth = result.loads.growth
    title = f"Growth of {growth.text} from {growth.start.isoformat()}" if growth else ""
    rows = [
        (
            Cell(design_name(one.design)),
            Cell(f"{one.design.cost_usd_per_hour:,.0f}"),
            Cell(_rate(one.low_rps)),
            Cell(_rate(one.high_rps)),
            Cell(run_out_words(result, one)),
        )
        for one in result.run_outs
    ]
    return Sheet(columns, tuple(rows), title)


def run_out_words(result: RobustResult, one: RunOut) -> str:
    """`2027-10-02 (by 2028-01-20 for certain)`"""
    rate = result.loads.base.arrivals.rate_rps or 0.0
    if one.low_rps < rate * (1.0 - 1e-9):
        return "too small today"
    if one.first is None:
        return "not in this century"
    if one.last is None or one.last <= one.first:
        return _day(one.first)
    return f"{_day(one.first)} (by {_day(one.last)} for certain)"


def growth_fact(result: RobustResult) -> Statement:
    """When the answer runs out."""
    growth, served = result.loads.growth, result.answer
    if growth is None or served is None:
        raise ValueError("needs a growth and an answer")
    one = result.run_outs[0]
    told = run_out_words(result, one)
    capacity = f"serves up to {_rate(one.low_rps)} requests/s of the scenario's own load"
    return Statement("Runs out", (f"{told}, at {growth.text}: {capacity}",))


def _rate(rate_rps: float | None) -> str:
    return NONE if rate_rps is None else f"{round(rate_rps, 6):,g}"


def _day(of: date) -> str:
    return of.isoformat()


def design_name(design: Design) -> str:
    """`Splitwise-HH 23P + 8T`"""
    return f"{design.family.name} {design.label}"
