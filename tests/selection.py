"""Which of many like cases `make test` runs; `make verify` runs the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def few(cases: Iterable[Any], quick: Collection[Any]) -> list[Any]:
    """All cases, those that are not among the quick ones marked `verify`."""
    every = list(cases)
    missing = [one for one in quick if one not in every]
    assert not missing, f"no such case: {missing}"
    return [
        one if one in quick else pytest.param(*_values(one), marks=pytest.mark.verify)
        for one in every
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
