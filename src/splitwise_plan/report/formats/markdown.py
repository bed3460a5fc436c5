"""A page as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from splitwise_plan.report.page import Page, Sheet, Statement

_SPECIAL = str.maketrans({c: "\\" + c for c in "\\`*_[]<>|#"})


def render(page: Page) -> str:
    """The page: facts as a list, sheets as tables."""
    return "\n".join(_lines(page)) + "\n"


def _lines(page: Page) -> Iterator[str]:
    yield f"# {_escaped(page.title)}"
    yield ""
    yield from _facts(page.top)
    for sheet in page.sheets:
        yield ""
        if sheet.title:
            yield f"## {_escaped(sheet.title)}"
            yield ""
        yield from _table(sheet)
        yield from _below(sheet)
    if page.bottom:
        yield ""
        yield from _facts(page.bottom)


def _below(sheet: Sheet) -> Iterator[str]:
    """The figure of a sheet and its notes."""
    if sheet.image is not None:
        image = sheet.image
        yield ""
        yield f"![{_escaped(image.alt)}]({image.file})"
        yield ""
        yield f"*{_escaped(image.title)}.* {_escaped(image.caption)}".rstrip()
    if sheet.notes:
        yield ""
        yield from (f"- {_escaped(note)}" for note in sheet.notes)


def _facts(facts: Iterable[Statement]) -> Iterator[str]:
    for fact in facts:
        yield f"- **{_escaped(fact.label)}:** {_escaped('; '.join(fact.lines))}"


def _table(sheet: Sheet) -> Iterator[str]:
    yield _row(column.title for column in sheet.columns)
    yield "|" + "|".join("---:" if column.number else "---" for column in sheet.columns) + "|"
    for row in sheet.rows:
        yield _row(cell.text for cell in row)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(_escaped(cell) for cell in cells) + " |"


def _escaped(text: str) -> str:
    """`text` that Markdown shows as it is, on one line."""
    return " ".join(text.split()).translate(_SPECIAL)
