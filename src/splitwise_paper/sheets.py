"""Findings as tables: the summary, sentences, and ours beside theirs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from splitwise_paper.claims import Verdict
from splitwise_paper.finding import Finding, Item, Line, Tolerance, Value
from splitwise_paper.quoted import Quoted
from splitwise_paper.study import Stack
from splitwise_plan.report.numbers import significant
from splitwise_plan.report.page import Cell, Column, Image, Sheet, Tone, words

Results = Sequence[tuple[Item, Finding]]

NONE, SAME, OTHER = "-", "✓", "✗"
TONES: dict[Verdict, Tone] = {"holds": "good", "in part": "", "does not hold": "bad"}
BASIS = {"measured": "measured", "splitwisesim": "simulated"}
"""How the paper came to its numbers, by the stack that should give them."""


def summary(results: Results, stacks: Sequence[Stack]) -> Sheet:
    """A row an item: how many of the paper's numbers are the same, and why others are not."""
    columns = (
        words("item"),
        words("about"),
        words("the paper"),
        *(Column(f"same, {stack.id}") for stack in stacks),
        words("why not"),
    )
    rows = tuple(_summary_row(item, found, stacks) for item, found in results if not found.answers)
    return Sheet(columns, rows, "What reproduces")


def _summary_row(item: Item, found: Finding, stacks: Sequence[Stack]) -> tuple[Cell, ...]:
    same = []
    for stack in stacks:
        compared, good = found.compared(stack.id)
        tone: Tone = "" if stack.id != item.basis else "good" if good == compared else "bad"
        same.append(Cell(f"{good} of {compared}" if compared else NONE, tone))
    gap = item.gap if found.missed(item.basis) else ""
    if not any(found.compared(stack.id)[0] for stack in stacks):
        gap = "no numbers are printed to compare with"
    return (Cell(item.title), Cell(item.about), Cell(BASIS[item.basis]), *same, Cell(gap))


def sheet(item: Item, found: Finding, stacks: Sequence[Stack], image: str = "") -> Sheet:
    """The table of an item. `image`: the file of its figure, if there is one."""
    shown = found.figure
    drawn = Image(image, shown.title, shown.caption, shown.alt) if image else None
    columns, rows = _answers(found) if found.answers else _lines(found, stacks)
    reasons = _reasons(item, found, stacks)
    title = f"{item.title}: {item.about}"
    return Sheet(columns, rows, title, (*reasons, *found.notes), drawn)


def _answers(found: Finding) -> tuple[tuple[Column, ...], tuple[tuple[Cell, ...], ...]]:
    stacks = list(found.answers[0].held)
    columns = (words(""), words("the paper says"), *(words(stack) for stack in stacks))
    rows = []
    for answer in found.answers:
        sentence = answer.sentence
        cells = [Cell(sentence.name), Cell(f"{sentence.says} ({sentence.source})")]
        for stack in stacks:
            held = answer.held[stack]
            cells.append(Cell(f"{held.verdict}: {held.told}", TONES[held.verdict]))
        rows.append(tuple(cells))
    return columns, tuple(rows)


def _lines(
    found: Finding, stacks: Sequence[Stack]
) -> tuple[tuple[Column, ...], tuple[tuple[Cell, ...], ...]]:
    columns = (
        words("what"),
        Column("unit", number=False),
        Column("paper"),
        *(Column(stack.id) for stack in stacks),
        Column("same within"),
    )
    rows = tuple(
        (
            Cell(line.what),
            Cell(line.unit),
            Cell(quoted_text(line)),
            *(_ours(line, stack.id) for stack in stacks),
            Cell(tolerance_text(line)),
        )
        for line in found.lines
    )
    return columns, rows


def _ours(line: Line, stack: str) -> Cell:
    same = line.same(stack)
    told = value_text(line.ours.get(stack), line.digits)
    if same is None:
        return Cell(told)
    return Cell(f"{told} {SAME if same else OTHER}", "good" if same else "bad")


def _reasons(item: Item, found: Finding, stacks: Sequence[Stack]) -> list[str]:
    """Why what differs differs, that of the stack that should give the paper's numbers first."""
    told: dict[tuple[str, str], list[str]] = {}
    for stack in sorted(stacks, key=lambda stack: stack.id != item.basis):
        for why, whats in found.reasons(stack.id, item).items():
            told.setdefault((_listed(whats), why), []).append(stack.id)
    return [
        f"{OTHER} under {' and '.join(names)}: {whats}: {why}."
        for (whats, why), names in told.items()
    ]


def _listed(whats: list[str]) -> str:
    most = 3
    shown = "; ".join(whats[:most])
    return shown if len(whats) <= most else f"{shown}; and {len(whats) - most} more"


def value_text(value: Value | None, digits: int = 3) -> str:
    """`133 (130 to 140)`: the mean, and the range of the seeds where they differ."""
    if value is None:
        return NONE
    mean, low, high = (_number(one, digits) for one in (value.mean, value.low, value.high))
    return mean if low == high else f"{mean} ({low} to {high})"


def quoted_text(line: Line) -> str:
    """`120 (inferred)`, `2.15 to 2.4`"""
    paper: Quoted | None = line.paper
    if paper is None:
        return NONE
    told = f"{paper.low:,.10g}" if paper.low == paper.high else f"{paper.low:g} to {paper.high:g}"
    return told if paper.read == "printed" else f"{told} ({paper.read})"


def tolerance_text(line: Line) -> str:
    """`8 %`, `10 rps`"""
    within: Tolerance | None = line.within
    if within is None or line.paper is None:
        return NONE
    share = f"{100 * within.share:g} %" if within.share else ""
    step = f"{within.step:g} {'points' if line.unit == '%' else line.unit}" if within.step else ""
    return " + ".join(part for part in (share, step) if part)


def _number(number: float, digits: int) -> str:
    told = significant(number, digits)
    if "." in told and math.isfinite(number):
        told = told.rstrip("0").rstrip(".")
    return told
