"""After an edit of the facts a check says what going through every design says, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan_edits import EDITS, EXIT_CODES
from plans import World, brute_force, copied
from selection import few

FEW = ("traffic +30 %", "price +25 %", "TTFT P99 halved", "profile 10 % slower")


@pytest.mark.parametrize("name", few(EDITS, FEW))
def test_a_check_says_what_brute_force_says(planned: World, name: str, tmp_path: Path) -> None:
    change, subject = EDITS[name]
    world = copied(planned, tmp_path)
    change(world)
    code, told = world.check()
    truth = brute_force(world.today(), told["plan"]["design"])
    assert code == truth.exit_code == EXIT_CODES.get(name, 0)
    assert told["outcome"] == {0: "holds", 3: "fails", 4: "undecided"}[code]
    assert truth.planned is not None
    assert told["slo"]["verdict"] == truth.planned.verdict
    assert told["best"]["savings"] == pytest.approx(truth.savings, abs=1e-12)
    blamed = {one["subject"] for one in told["changes"] if one["blamed"]}
    assert blamed == ({subject} if code else set())
    assert {one["subject"] for one in told["changes"]} >= ({subject} if subject else set())
