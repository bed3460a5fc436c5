"""Did you mean: the nearest of the names that would have done."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a fix for the unknown `name`: the nearest known one and the list of all."""
    names = list(known)
    listed = f"known: {', '.join(names)}" if names else "there are none"
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}? {listed}" if near else listed
