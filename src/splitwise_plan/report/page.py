"""What a report says, before it is a table on a terminal or Markdown in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Tone = Literal["", "good", "bad", "dim"]


class Cell(NamedTuple):
    """A text and how it is meant."""

    text: str
    tone: Tone = ""


class Column(NamedTuple):
    """`number`: to the right. `whole`: cells are never broken.

    `optional`: left out where it does not fit, the highest first; 0: never.
    """

    title: str
    number: bool = True
    whole: bool = True
    optional: int = 0


def words(title: str, *, optional: int = 0) -> Column:
    """A column of text, which may be broken between words."""
    return Column(title, number=False, whole=False, optional=optional)


class Image(NamedTuple):
    """A figure in a file beside the page; `alt`: what one sees."""

    file: str
    title: str
    caption: str
    alt: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table. Every row has one cell a column. `notes`: sentences below it."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    image: Image | None = None


class Statement(NamedTuple):
    """A sentence or more, with a word that says what it is about. `commands`: not to be broken."""

    label: str
    lines: tuple[str, ...]
    tone: Tone = ""
    commands: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """`top`, then the sheets, then `bottom`."""

    title: str
    top: tuple[Statement, ...]
    sheets: tuple[Sheet, ...]
    bottom: tuple[Statement, ...] = ()


def plain(*texts: str) -> tuple[Cell, ...]:
    """A row of cells without tone."""
    return tuple(Cell(text) for text in texts)
