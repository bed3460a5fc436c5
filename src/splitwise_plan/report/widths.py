"""How wide the columns of a sheet are: as their cells need it, within the room there is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.cells import cell_len

from splitwise_plan.report.page import Sheet

GAP = 2
LONGEST_WORD = 20
"""Words of text may be broken beyond this."""

_WORD = re.compile(r"\S+(?: \+ \S+| s(?!\S))*")
"""What stays on one line: a sum such as `22P + 20T`, and seconds, too."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns to show, and their widths."""

    shown: list[int]
    widths: list[int]


def layout(sheet: Sheet, room: int) -> Layout:
    """Columns that fit into `room`.

    Where they do not, titles are broken between words, then optional columns are left out one by
    one; where even that does not do, the least widths are returned, which are wider.
    """
    shown = list(range(len(sheet.columns)))
    while True:
        for broken in (False, True):
            least = [_least(sheet, at, broken=broken) for at in shown]
            spare = room - _total(least)
            if spare >= 0:
                return Layout(shown, _shared(least, _most(sheet, shown, least), spare))
        left_out = max(shown, key=lambda at: (sheet.columns[at].optional, at))
        if not sheet.columns[left_out].optional:
            return Layout(shown, least)
        shown.remove(left_out)


def lines(text: str, width: int) -> list[str]:
    """Text as it is where it fits, or else broken between words; longer words are cut."""
    if cell_len(text) <= width:
        return [text]
    found: list[str] = [""]
    for word in _WORD.findall(text):
        joined = f"{found[-1]} {word}".lstrip()
        if cell_len(joined) <= width:
            found[-1] = joined
            continue
        found += [word[at : at + width] for at in range(0, len(word), width)]
    return found if found[0] else found[1:]


def _shared(least: list[int], most: list[int], spare: int) -> list[int]:
    """Widen columns up to what they need, those that need least first, by equal parts."""
    widths = least.copy()
    waiting = sorted(range(len(widths)), key=lambda at: most[at] - least[at])
    for number, at in enumerate(waiting):
        more = max(0, min(most[at] - least[at], spare // (len(waiting) - number)))
        widths[at] += more
        spare -= more
    return widths


def _least(sheet: Sheet, at: int, *, broken: bool) -> int:
    """What a column needs: its longest cell, or its longest word where cells may be broken."""
    column = sheet.columns[at]
    cells = [row[at].text for row in sheet.rows]
    if column.whole:
        title = _longest_word([column.title]) if broken else cell_len(column.title)
        return max([title, *map(cell_len, cells)])
    return min(_longest_word([column.title, *cells]), LONGEST_WORD)


def _longest_word(texts: list[str]) -> int:
    return max((cell_len(word) for text in texts for word in _WORD.findall(text)), default=0)


def _most(sheet: Sheet, shown: list[int], least: list[int]) -> list[int]:
    """Up to where more room is of use: for text; a column of numbers has what it needs."""
    return [
        width
        if sheet.columns[at].whole
        else max(map(cell_len, [sheet.columns[at].title, *(row[at].text for row in sheet.rows)]))
        for at, width in zip(shown, least, strict=True)
    ]


def _total(widths: list[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)
