"""How wide the columns of a sheet are: as their cells need it, within the room there is."""

from __future__ import annotations

from rich.cells import cell_len

from splitwise_plan.report.page import Sheet

GAP = 2
LONGEST_WORD = 20
"""Words of text may be broken beyond this."""


def fitting_columns(sheet: Sheet, room: int) -> tuple[list[int], list[int]]:
    """The columns to show and their widths.

    Optional columns are left out, from the right, until the least widths fit into `room`; where
    even that does not do, the least widths are returned, which are wider.
    """
    shown = list(range(len(sheet.columns)))
    for at in reversed(shown.copy()):
        if _total([_least(sheet, column) for column in shown]) <= room:
            break
        if sheet.columns[at].optional:
            shown.remove(at)
    least = [_least(sheet, column) for column in shown]
    most = [max(map(cell_len, _cells(sheet, column))) for column in shown]
    return shown, _shared(least, most, room - _total(least))


def _shared(least: list[int], most: list[int], spare: int) -> list[int]:
    """Widen columns up to what they need, those that need least first, by equal parts."""
    widths = least.copy()
    waiting = sorted(range(len(widths)), key=lambda at: most[at] - least[at])
    for number, at in enumerate(waiting):
        more = max(0, min(most[at] - least[at], spare // (len(waiting) - number)))
        widths[at] += more
        spare -= more
    return widths


def _least(sheet: Sheet, at: int) -> int:
    """What a column needs: its longest cell, or its longest word where cells may be broken."""
    cells = _cells(sheet, at)
    if sheet.columns[at].whole:
        return max(map(cell_len, cells))
    return min(max(cell_len(word) for cell in cells for word in cell.split() or [""]), LONGEST_WORD)


def _cells(sheet: Sheet, at: int) -> list[str]:
    return [sheet.columns[at].title, *(row[at].text for row in sheet.rows)]


def _total(widths: list[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)
