"""Tables as plain text."""

from __future__ import annotations

from collections.abc import Iterable

Row = tuple[str, ...]


def show(title: str, columns: Row, rows: Iterable[Row]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    print(f"\n{title}", flush=True)
    lines = [columns, *rows]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        cells[0] = line[0].ljust(widths[0])
        print("  " + "   ".join(cells))


def rate(per_s: float) -> str:
    """Requests a second."""
    return f"{per_s:,.0f}"


def seconds(value: float) -> str:
    """A duration."""
    return f"{value:.2f} s" if value < 100 else f"{value:.0f} s"


def times(ratio: float) -> str:
    """How many times as fast."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2f}"
