"""A page on a terminal, or piped: as wide as there is room, numbers never cut."""

from __future__ import annotations

import io
import os
import sys
import textwrap
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from splitwise_plan.report.page import Page, Sheet, Statement
from splitwise_plan.report.widths import GAP, Layout, layout, lines

PIPED_WIDTH = 100
LABEL = 12
STYLES = {"": "", "good": "green", "bad": "red", "dim": "dim"}
ASCII = str.maketrans({"✓": "ok", "✗": "MISS", "·": "|", "←": "<-", "µ": "u", "…": "..."})
"""For terminals without these characters."""


def render(page: Page, stream: TextIO | None = None) -> str:
    """The page for `stream` (default: stdout), with colour if that is a terminal.

    What cannot be made as narrow as the terminal is wider, rather than cut.
    """
    terminal = _terminal(stream or sys.stdout)
    room, text = terminal.width, Texts(terminal)
    blocks: list[RenderableType] = [_facts(page.top, room, text)]
    for sheet in page.sheets:
        blocks.append(_table(sheet, room, text))
        blocks += [_note(note, room, text) for note in sheet.notes]
    if page.bottom:
        blocks.append(_facts(page.bottom, room, text))
    written = io.StringIO()
    console = Console(
        file=written,
        force_terminal=terminal.is_terminal,
        color_system=terminal.color_system,  # type: ignore[arg-type]
        no_color=terminal.no_color,
        width=1000,
    )
    for number, block in enumerate(blocks):
        if number:
            console.print()
        console.print(block)
    return "".join(line.rstrip() + "\n" for line in written.getvalue().split("\n")[:-1])


class Texts:
    """Makes rich text, in characters that the terminal has."""

    def __init__(self, console: Console) -> None:
        try:
            "".join(map(chr, ASCII)).encode(console.encoding)
            self.ascii = False
        except (UnicodeEncodeError, LookupError):
            self.ascii = True

    def plain(self, text: str) -> str:
        """`text` without control characters, and in ASCII if need be."""
        printable = text if text.isprintable() else "".join(filter(str.isprintable, text))
        return printable.translate(ASCII) if self.ascii else printable

    def __call__(self, text: str, style: str = "") -> Text:
        """`text` in a style."""
        return Text(self.plain(text), style)


def _terminal(stream: TextIO) -> Console:
    """What `stream` can show; nothing is written to it."""
    width = None if stream.isatty() or os.environ.get("COLUMNS") else PIPED_WIDTH
    return Console(file=stream, width=width)


def _facts(facts: Iterable[Statement], room: int, text: Texts) -> Text:
    """Labels, and sentences broken beside them; command lines are left to the terminal."""
    lines = []
    for fact in facts:
        broken = [
            part
            for line in fact.lines
            for part in ([line] if fact.commands else _broken(line, room - LABEL))
        ]
        for number, line in enumerate(broken):
            label = f"{fact.label if number == 0 else '':<{LABEL}}"
            lines.append(Text.assemble(text(label, "bold"), text(line, STYLES[fact.tone])))
    return Text("\n", no_wrap=True, overflow="ignore").join(lines)


def _note(note: str, room: int, text: Texts) -> Text:
    """A sentence below a table."""
    return Text("\n", no_wrap=True, overflow="ignore").join(
        text(line, "dim") for line in _broken(note, room)
    )


def _broken(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, max(width, 20), break_long_words=False, break_on_hyphens=False)


def _table(sheet: Sheet, room: int, text: Texts) -> Table:
    sheet = _translated(sheet, text)
    fitting = layout(sheet, room)
    table = Table(
        box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold",
        title=sheet.title or None, title_justify="left", title_style="bold",
    )  # fmt: skip
    for at, width, title in zip(
        fitting.shown, fitting.widths, _titles(sheet, fitting), strict=True
    ):
        justify: JustifyMethod = "right" if sheet.columns[at].number else "left"
        table.add_column(Text(title), justify=justify, width=width, no_wrap=True)
    for row in sheet.rows:
        table.add_row(
            *(
                Text("\n".join(lines(row[at].text, width)), STYLES[row[at].tone])
                for at, width in zip(fitting.shown, fitting.widths, strict=True)
            )
        )
    return table


def _titles(sheet: Sheet, fitting: Layout) -> list[str]:
    """Titles as they are broken, their last lines side by side."""
    broken = [
        lines(sheet.columns[at].title, width)
        for at, width in zip(fitting.shown, fitting.widths, strict=True)
    ]
    height = max(map(len, broken), default=0)
    return ["\n".join([""] * (height - len(title)) + title) for title in broken]


def _translated(sheet: Sheet, text: Texts) -> Sheet:
    """The sheet in the characters that it will be shown in, which may be more."""
    columns = tuple(column._replace(title=text.plain(column.title)) for column in sheet.columns)
    rows = tuple(
        tuple(cell._replace(text=text.plain(cell.text)) for cell in row) for row in sheet.rows
    )
    return Sheet(columns, rows, sheet.title)
