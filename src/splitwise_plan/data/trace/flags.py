"""How a trace is to be read: the flags of the commands that take one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splitwise_plan.cli.options import Flag, Flags

if TYPE_CHECKING:
    from splitwise_plan.facts.traces.cells import Names
    from splitwise_plan.facts.traces.recognise import ReadAs

READING = "Reading"
FROM = Flag("from_", "FORMAT", "Its format, if it is not recognised.", panel=READING)
ALL_COLUMNS = "arrival=A,prompt=P,output=O"
COLUMNS = Flag(
    "columns",
    "KEY=NAME,…",
    f"The columns of a table of your own, CSV or Parquet: {ALL_COLUMNS}.",
    panel=READING,
)
TIME_UNIT = Flag("time_unit", "s|ms|us|ns", "Unit of arrivals that are numbers.", panel=READING)
DROP_BAD = Flag(
    "drop_bad_rows",
    "",
    "Leave out rows that cannot be used, and count them.",
    kind=bool,
    default=False,
    panel=READING,
)
SORT = Flag(
    "sort", "", "Sort by arrival what is not in order.", kind=bool, default=False, panel=READING
)
FLAGS = (FROM, COLUMNS, TIME_UNIT, DROP_BAD, SORT)
COLUMN_KEYS = ("arrival", "prompt", "output")


def read_as(flags: Flags) -> ReadAs:
    """What the flags say; what is wrong with them is added to their problems."""
    from splitwise_plan.facts.traces.clock import NUMBERS
    from splitwise_plan.facts.traces.formats.registry import IDS, PLAIN
    from splitwise_plan.facts.traces.recognise import ReadAs

    format_ = flags.choice("from_", IDS) if flags["from_"] is not None else None
    unit = flags.choice("time_unit", NUMBERS) if flags["time_unit"] is not None else None
    columns = _columns(flags)
    if format_ == PLAIN and flags["columns"] is None:
        flags.refuse("columns", "is missing: what are its columns called?", ALL_COLUMNS)
    if format_ not in (None, PLAIN) and flags["columns"] is not None:
        flags.refuse("columns", f"has no effect: {format_} has columns of its own", "drop one")
    return ReadAs(
        None if format_ == PLAIN else format_,
        columns,
        unit,  # type: ignore[arg-type]
        bool(flags["drop_bad_rows"]),
        bool(flags["sort"]),
    )


def given(flags: Flags) -> list[str]:
    """Names of the flags that were given."""
    return [flag.name for flag in FLAGS if flags[flag.name]]


def _columns(flags: Flags) -> Names | None:
    from splitwise_plan.facts.traces.cells import Names
    from splitwise_plan.suggest import did_you_mean

    text: str | None = flags["columns"]
    if text is None:
        return None
    found: dict[str, str] = {}
    for part in text.split(","):
        key, equals, name = (piece.strip() for piece in part.partition("="))
        if key not in COLUMN_KEYS:
            flags.refuse("columns", f"{key!r} is no column", did_you_mean(key, COLUMN_KEYS))
        elif not equals or not name:
            flags.refuse("columns", f"{key} has no name", f"e.g. {key}=my_column")
        elif key in found:
            flags.refuse("columns", f"{key} is given twice", "keep one")
        found[key] = name
    missing = [key for key in COLUMN_KEYS if key not in found]
    if missing:
        flags.refuse("columns", f"{', '.join(missing)} is missing", f"needs {ALL_COLUMNS}")
        return None
    return Names(*(found[key] for key in COLUMN_KEYS))
