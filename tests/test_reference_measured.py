"""The assumption set `measured` against runs of a second, independent implementation of it."""

from __future__ import annotations

import pytest
from reference import needs_reference
from reference_runs import CHOSEN, assert_agrees, references

WITHIN = 1e-6


@needs_reference
@pytest.mark.parametrize("run", CHOSEN)
def test_run(run: str) -> None:
    assert_agrees(references("measured")[run], WITHIN)


@needs_reference
@pytest.mark.verify
@pytest.mark.parametrize("run", references("measured"))
def test_every_run(run: str) -> None:
    assert_agrees(references("measured")[run], WITHIN)
