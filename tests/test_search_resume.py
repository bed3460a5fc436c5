"""A search that is killed goes on where it was, and comes to the same result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import sampled_searches
from sampled_searches import answer, told

KILL_AFTER = 25
"""Results in the journal when the process is killed, of 90."""


def written(journal: Path) -> Counter[int]:
    """How often each trial's evaluation was written."""
    lines = journal.read_text(encoding="utf-8").splitlines()
    return Counter(
        log["trial_id"]
        for log in map(json.loads, lines)
        if "evaluation" in log.get("user_attr", ())
    )


def designs(journal: Path) -> Counter[str]:
    """How often each design was evaluated."""
    logs = map(json.loads, journal.read_text(encoding="utf-8").splitlines())
    begun = [log["user_attrs"]["design"] for log in logs if log.get("user_attrs")]
    return Counter(begun[trial] for trial in written(journal).elements())


def start(journal: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, sampled_searches.__file__, str(journal)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
    )


def kill_in_the_middle(journal: Path) -> None:
    process = start(journal)
    while len(written_so_far(journal)) < KILL_AFTER:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def written_so_far(journal: Path) -> list[str]:
    """Lines with a result, the last of which may not be whole yet."""
    if not journal.exists():
        return []
    return [line for line in journal.read_text("utf-8").splitlines() if '"evaluation"' in line]


def test_a_killed_search_goes_on_to_the_same_result(tmp_path: Path) -> None:
    journal = tmp_path / "journal.log"
    kill_in_the_middle(journal)
    before = designs(journal)
    resumed = answer(str(journal))
    after = designs(journal)
    assert KILL_AFTER <= len(before) < len(after)
    assert set(after.values()) == {1}, "a design was simulated twice"
    assert told(resumed) == told(answer(None))


def test_a_finished_search_is_not_simulated_again(tmp_path: Path) -> None:
    journal = tmp_path / "journal.log"
    first = answer(str(journal))
    before = designs(journal)
    assert told(answer(str(journal), jobs=2)) == told(first)
    assert designs(journal) == before
