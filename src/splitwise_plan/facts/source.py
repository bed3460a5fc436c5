"""Where a fact came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FactSource:
    """A file a fact came from.

    `path`: ours below our folder, in a folder of the user's below that, of other files the name:
    reports say the same wherever files are, and the sha256 decides. `location`: where it was read.
    """

    path: str
    sha256: str
    location: Path | None = field(default=None, compare=False)
    kind: str = ""
    """`machines`, `links`, …; empty for files outside a folder of facts: a trace, a contract."""
    id: str = ""
    own: bool = False
    """Whether it is the user's, not one of ours."""
    hides: str = ""
    """The file of the same kind and id, ours or the user's, that it comes before."""
