"""Small runs come to what the table beside says; a run cut short is cut at the right moment."""

from __future__ import annotations

import csv

import kernel_goldens
import numpy as np
import pytest
from kernel_goldens import COLUMNS, TABLE, worlds
from test_early_stop import assert_same_verdict
from worlds import World

with TABLE.open(encoding="utf-8", newline="") as stream:
    EXPECTED = {row["run"]: row for row in csv.DictReader(stream)}


@pytest.mark.parametrize("world", worlds(), ids=str)
def test_a_run_comes_to_what_it_came_to(world: World) -> None:
    _, *found = kernel_goldens.row(world)
    expected = [float(EXPECTED[str(world)][name]) for name in COLUMNS[1:]]
    assert found == pytest.approx(expected, rel=1e-9, abs=2e-6)


def test_every_row_is_played() -> None:
    assert list(EXPECTED) == [str(world) for world in worlds()]


def test_the_table_has_what_it_is_for() -> None:
    """Runs that stop for want of memory, that move machines, and that wait for transfers."""
    columns = {
        name: np.array([float(row[name]) for row in EXPECTED.values()]) for name in COLUMNS[1:]
    }
    assert len(set(columns["stop"])) > 1
    assert np.sum(columns["pool_moves"] > 0) > 8
    assert np.sum(columns["transfers_s"] > 0) > 20


def test_same_verdict_with_early_stop_on_some() -> None:
    """The first of the many of `test_early_stop`."""
    assert any(assert_same_verdict(seed) for seed in range(12))
