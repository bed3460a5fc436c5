"""A reproduction in every format: the page, a document, rows, and files ready for documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from splitwise_paper.finding import Finding, Item, Line
from splitwise_paper.sheets import Results, sheet, summary
from splitwise_paper.study import MEASURED, SPLITWISESIM, TODAY, Effort, Study
from splitwise_plan import __version__
from splitwise_plan.report.figures.files import svg
from splitwise_plan.report.files import Writer, text_writer
from splitwise_plan.report.formats import csvfmt, jsonfmt, markdown
from splitwise_plan.report.numbers import count
from splitwise_plan.report.page import Page, Statement
from splitwise_plan.report.provenance import file_lines, source_document
from splitwise_plan.report.report import Report
from splitwise_plan.versions import versions

SCHEMA = "splitwise-plan/reproduction/1"
PAPER = "Patel et al., Splitwise, ISCA 2024"
PAGE, TABLE = "reproduction.md", "reproduction.csv"


def report(
    study: Study, results: Results, timing: Mapping[str, float], *, files: bool = False
) -> Report:
    """The report of a study; `files`: with the Markdown page, the CSV table and the figures."""
    page = _page(study, results, figures=False)
    rows = list(_rows(study, results))
    made: dict[str, Writer] = {}
    if files:
        told = markdown.render(_page(study, results, figures=True)) + "\n" + _stamp(study, results)
        made = {PAGE: text_writer(told), TABLE: text_writer(csvfmt.text(rows))}
        made |= {_file(item): text_writer(svg(found.figure)) for item, found in results}
    return Report(page, _document(study, results, timing), rows, made)


def _file(item: Item) -> str:
    return f"figures/{item.id}.svg"


def _page(study: Study, results: Results, *, figures: bool) -> Page:
    sheets = [
        sheet(item, found, study.stacks, _file(item) if figures else "") for item, found in results
    ]
    several = [found for _, found in results if not found.answers]
    head = [summary(results, study.stacks)] if len(several) > 1 else []
    asked = (
        f"does the simulator give the results of the paper ({PAPER}), and do they survive the "
        "measured token times?"
    )
    top = (
        Statement("Question", (asked,)),
        Statement("Answer", tuple(_answers(study, results))),
        Statement(
            "Columns", tuple(f"{one.id}: {one.about}" for one in (*study.stacks, *study.further))
        ),
        Statement("Read", tuple(_how_to_read(study.effort))),
    )  # fmt: skip
    return Page("The paper, reproduced", top, (*head, *sheets))


def _answers(study: Study, results: Results) -> Iterator[str]:
    """What a planner wants to know first."""
    stacks = {stack.id for stack in study.stacks}
    for basis, how in (
        ("measured", "measured on machines"),
        ("splitwisesim", "got from its simulator"),
    ):
        if basis in stacks:
            each = [found.compared(basis) for item, found in results if item.basis == basis]
            compared, same = (sum(column) for column in zip(*each, strict=True)) if each else (0, 0)
            if compared:
                numbers = f"of {compared} numbers that the paper {how}"
                yield f"{numbers}, {same} are the same under {basis}"
    for item, found in results:
        if item.id == "conclusions":
            for stack in found.answers[0].held:
                yield _conclusions(found, stack)
    total = [len(found.missed(item.basis)) for item, found in results if item.basis in stacks]
    if sum(total):
        yield "what is not the same is marked, with the reason that was found"


def _conclusions(found: Finding, stack: str) -> str:
    verdicts = [answer.held[stack].verdict for answer in found.answers]
    parts = {name: verdicts.count(name) for name in ("holds", "in part", "does not hold")}
    fallen = [
        answer.sentence.name
        for answer in found.answers
        if answer.held[stack].verdict == "does not hold"
    ]
    told = f" ({'; '.join(fallen)})" if fallen else ""
    return (
        f"of {count(len(verdicts), 'conclusion')}, {parts['holds']} hold under {stack}, "
        f"{parts['in part']} in part and {parts['does not hold']} not{told}"
    )


def _how_to_read(effort: Effort) -> Iterator[str]:
    yield "✓ and ✗: the same as the paper's within the tolerance of the last column, or not"
    yield (
        f"under {SPLITWISESIM.id}, as in the paper, what was simulated is a window of "
        f"{effort.long_s:g} s ({effort.short_s:g} s where the paper's is) that begins with an "
        f"empty cluster: means over {count(effort.seeds, 'seed')} (lists of requests), with the "
        "least and the most of them in brackets"
    )
    yield (
        f"under {MEASURED.id}, and on the stack of {TODAY.id}, it is the steady state: the largest "
        "rate is one number, as far as one long run tells, and designs are judged as `search` "
        "judges them"
    )
    yield (
        "rps: requests/s; 25P + 15T: prompt and token machines; x: a factor; of latencies, "
        "that over the same request alone on a DGX-A100"
    )
    yield "numbers of the paper are printed in it unless marked: pixel (measured in a figure), " \
          "inferred (from other numbers) or computed; the sources are in paper/*.toml"  # fmt: skip


def _stamp(study: Study, results: Results) -> str:
    """What is needed to make the page again."""
    effort = study.effort
    lines = [
        f"Made by splitwise-plan {__version__}: {_command(study, results)} (seed 0, "
        f"{count(effort.seeds, 'repetition')}).",
        *file_lines("Files of splitwise-plan:", study.sources),
    ]
    return "\n".join(lines) + "\n"


def _command(study: Study, results: Results) -> str:
    from splitwise_paper.registry import ITEMS
    from splitwise_paper.study import FULL, QUICK, STACKS

    ids = [item.id for item, _ in results]
    words = ["splitwise-plan", "reproduce", *(["all"] if len(ids) == len(ITEMS) else ids)]
    if study.stacks != STACKS:
        words += ["--assumptions", *(stack.id for stack in study.stacks)]
    usual = FULL
    if study.effort.long_s == QUICK.long_s:
        words.append("--quick")
        usual = QUICK
    if study.effort.seeds != usual.seeds:
        words += ["--seeds", str(study.effort.seeds)]
    return f"`{' '.join(words)}`"


def _rows(study: Study, results: Results) -> Iterator[Sequence[csvfmt.Value]]:
    """A header, and a row for each quantity or sentence of an item and stack."""
    yield (
        *("item", "what", "unit", "paper_low", "paper_high", "paper_source", "paper_read"),
        *("assumptions", "ours_mean", "ours_low", "ours_high"),
        *("tolerance_share", "tolerance_step", "same", "verdict", "told"),
    )
    for item, found in results:
        for answer in found.answers:
            one = answer.sentence
            for name, held in answer.held.items():
                yield (
                    *(item.id, one.says, None, None, None, one.source, None, name),
                    *(None, None, None, None, None, None, held.verdict, held.told),
                )
        for line in found.lines:
            for stack in study.stacks:
                yield (item.id, *_cells(line, stack.id))


def _cells(line: Line, stack: str) -> Sequence[csvfmt.Value]:
    paper, ours, within = line.paper, line.ours.get(stack), line.within
    theirs = (paper.low, paper.high, paper.source, paper.read) if paper else (None,) * 4
    numbers = (ours.mean, ours.low, ours.high) if ours else (None,) * 3
    limits = (within.share, within.step) if within else (None,) * 2
    return (line.what, line.unit, *theirs, stack, *numbers, *limits, line.same(stack), None, None)


def _document(study: Study, results: Results, timing: Mapping[str, float]) -> jsonfmt.Json:
    made_with = versions()
    return {
        "schema": SCHEMA,
        "provenance": {
            "version": made_with.pop("splitwise_plan"),
            **made_with,
            "seed": 0,
            "effort": asdict(study.effort),
            "sources": [source_document(source) for source in study.sources],
        },
        "assumptions": [stack.id for stack in study.stacks],
        "items": [_item(study, item, found) for item, found in results],
        "timing": dict(timing),
    }


def _item(study: Study, item: Item, found: Finding) -> jsonfmt.Json:
    return {
        "id": item.id,
        "title": item.title,
        "basis": item.basis,
        "lines": [_line(study, line) for line in found.lines],
        "sentences": [
            {
                "name": answer.sentence.name,
                "says": answer.sentence.says,
                "source": answer.sentence.source,
                "ours": {name: held._asdict() for name, held in answer.held.items()},
            }
            for answer in found.answers
        ],
        "notes": list(found.notes),
    }


def _line(study: Study, line: Line) -> jsonfmt.Json:
    missed = any(line.same(stack.id) is False for stack in study.stacks)
    return {
        "what": line.what,
        "unit": line.unit,
        "paper": asdict(line.paper) if line.paper else None,
        "tolerance": asdict(line.within) if line.within else None,
        "ours": {name: asdict(value) if value else None for name, value in line.ours.items()},
        "same": {stack.id: line.same(stack.id) for stack in study.stacks},
        "why": line.why if missed else "",
    }
