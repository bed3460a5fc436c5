"""What is interrupted keeps what was finished, and goes on to what it would have come to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import interrupted
import pytest
from commands import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sampled_searches import question, told

from splitwise_plan.errors import InputError
from splitwise_plan.planner.capacity import maximize_rate
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.figure_data import figure_data
from splitwise_plan.planner.journal import Journal
from splitwise_plan.questions.pareto.analysis import pareto

RANGES = ("--prompt-machines", "1:5", "--token-machines", "1:3")
LOAD = ("--rate", "8", "--duration", "20", "--horizon", "window")
RATES = ("--rate-step", "2", "--duration", "75", "--horizon", "window")
COMMANDS = {
    "search": ("search", "--family", "splitwise-hh", *RANGES, *LOAD),
    "rate": (
        *("search", "--family", "splitwise-hh", *RATES),
        *("--maximize", "throughput", "--cost-budget", "4xdgx-h100"),
    ),
    "batch": (
        *("search", "--family", "splitwise-hh", *RATES[2:]),
        *("--maximize", "throughput_per_cost", "--cost-budget", "5xdgx-h100"),
    ),
    "map": ("sweep", "map", *RANGES, *LOAD),
    "load": ("sweep", "load", "--designs", "3+1,4+1", "--rates", "4:8:1", *RATES[2:]),
    "pareto": (
        *("pareto", "--family", "splitwise-hh", *RATES),
        *("--prompt-machines", "1:3", "--token-machines", "1:2"),
    ),
    "robust": ("robust", "--family", "splitwise-hh", *RANGES, *LOAD, "--loads", "x1,x0.8"),
    "day": (
        *("day", "--family", "splitwise-hh", "--rate", "4", "--amplitude", "0.2"),
        *("--duration", "45", "--horizon", "window"),
    ),
    "sensitivity": ("sensitivity", "--family", "splitwise-hh", *RANGES, *LOAD),
}


def interrupt(
    kind: signal.Signals, after: int, *words: str, jobs: int
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, interrupted.__file__, kind.name, str(after), *words, "--jobs", str(jobs)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )


def results(folder: Path) -> dict[str, Any]:
    """Every file of a folder of results by name, but for how long things took."""
    files: dict[str, Any] = {path.name: path.read_bytes() for path in folder.iterdir()}
    document = json.loads(files.pop("result.json"))
    simulations = document.pop("timing").get("simulations")
    return files | {"result": document, "simulations": simulations}


def names(journal: Path) -> Counter[str]:
    """What is written down, and how often."""
    content = journal.read_text("utf-8")
    lines = content[: content.rfind("\n") + 1].splitlines()[1:]
    return Counter(name for name, _, _ in map(json.loads, lines))


SLOW = [
    pytest.param(name, kind, 1 + (kind == signal.SIGKILL), marks=pytest.mark.verify)
    for name in COMMANDS
    for kind in (signal.SIGINT, signal.SIGKILL)
]


@pytest.mark.parametrize(
    ("name", "kind", "jobs"), [("map", signal.SIGINT, 2), ("search", signal.SIGKILL, 2), *SLOW]
)
def test_an_interrupted_run_goes_on_to_the_same_bytes(
    name: str, kind: signal.Signals, jobs: int, tmp_path: Path
) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert run(*COMMANDS[name], "--out", str(whole)).exit_code == 0
    words = (*COMMANDS[name], "--out", str(out))
    stopped = interrupt(kind, 3, *words, jobs=jobs)
    if kind == signal.SIGINT:
        assert stopped.returncode == 130, stopped.stderr
        assert "--resume goes on from it" in stopped.stderr
        assert "Traceback" not in stopped.stderr
    else:
        assert stopped.returncode == -signal.SIGKILL
    assert stopped.stdout == ""
    assert [path.name for path in out.iterdir()] == ["run.journal"]
    assert set(names(out / "run.journal").values()) == {1}
    assert run(*words, "--resume", "--jobs", "1").exit_code == 0
    assert results(out) == results(whole)


def small(**keys: Any) -> Any:
    ranges = {"machines": "1:6", "prompt_machines": "1:5", "token_machines": "1:3"}
    families = {"families": ["baseline-h100", "splitwise-hh"]}
    return question(**{**families, **ranges, "rate": 7, **keys})


def kept(path: Path, jobs: Jobs) -> list[str]:
    """Results of everything that keeps a journal, one after the other."""
    scenario = small()
    budget = {"maximize": "throughput", "cost_budget": "4xdgx-h100", "rate": None}
    told_: list[str] = []
    with Journal(path, "all", resume=True) as journal:
        found = search(scenario, jobs, journal=journal)
        told_ += [told(found), repr(figure_data(scenario, found, jobs, journal=journal))]
        told_.append(told(maximize_rate(small(**budget), jobs, journal=journal)))
        front = replace(small(prompt_machines="1:2", machines="1:2"), rate_step_rps=2.0)
        told_.append(told(pareto(front, jobs, "exhaustive", journal=journal)))
    return told_


def test_what_is_written_down_is_not_worked_out_again_and_is_the_same_to_the_bit(
    tmp_path: Path,
) -> None:
    journal = tmp_path / "journal"
    first = kept(journal, 1)
    before = journal.read_bytes()
    assert set(names(journal).values()) == {1}
    assert kept(journal, 2) == first
    assert journal.read_bytes() == before


def test_any_part_of_a_journal_will_do(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    scenario = small()
    with Journal(whole, "q", resume=False) as journal:
        expected = told(search(scenario, 1, journal=journal))
    content = whole.read_bytes()
    for end in range(0, len(content), len(content) // 7):
        part = tmp_path / f"part-{end}"
        part.write_bytes(content[:end])
        with Journal(part, "q", resume=True) as journal:
            assert told(search(scenario, 1, journal=journal)) == expected
        assert part.read_bytes() == content


def test_a_journal_of_another_question_is_refused(tmp_path: Path) -> None:
    words = (*COMMANDS["map"], "--out", str(tmp_path))
    interrupt(signal.SIGINT, 1, *words, jobs=1)
    other = run(*words, "--seed", "7", "--resume")
    assert other.exit_code == 2
    assert "run.journal: was kept for another question" in other.stderr
    assert run(*words, "--seed", "7").exit_code == 0


@pytest.mark.parametrize("content", ["hello\n", "[1]\n[2]\n", '{"a": 1}\n["b"]\n', "\xff\n"])
def test_what_is_no_journal_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.journal"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(InputError):
        Journal(path, "q", resume=True)
    assert path.read_text(encoding="latin-1") == content


@pytest.fixture(scope="module")
def journal_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("kept") / "journal"
    with Journal(path, "q", resume=False) as journal:
        search(small(), 1, journal=journal)
    return path.read_bytes()


@given(data=st.data())
@settings(max_examples=200, suppress_health_check=list(HealthCheck))
def test_a_damaged_result_is_told_and_never_taken_for_another(
    data: st.DataObject, journal_bytes: bytes, tmp_path: Path
) -> None:
    """Bytes changed, lost or put in, anywhere behind the first line."""
    lines = journal_bytes.splitlines(keepends=True)
    at = data.draw(st.integers(1, len(lines) - 1))
    damaged = bytearray(lines[at])
    place = data.draw(st.integers(0, len(damaged) - 2))
    put = data.draw(st.sampled_from([b"", b"0", b"9", b"null", b"[", b"}", b'"', b"\xff", b" x"]))
    cut = data.draw(st.integers(0, 30))
    damaged[place : min(place + cut, len(damaged) - 1)] = put
    path = tmp_path / "journal"
    path.write_bytes(b"".join([*lines[:at], bytes(damaged), *lines[at + 1 :]]))
    if damaged == lines[at]:
        return
    with pytest.raises(InputError) as caught:
        Journal(path, "q", resume=True)
    [problem] = caught.value.problems
    assert (problem.line, problem.what) == (at + 1, "is a damaged result")


def test_a_journal_of_an_earlier_format_is_refused(journal_bytes: bytes, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(journal_bytes.replace(b',"format":3', b"", 1))
    with pytest.raises(InputError, match="another question, or by another version"):
        Journal(path, "q", resume=True)


@pytest.mark.parametrize("name", COMMANDS)
def test_without_a_folder_there_is_nothing_to_go_on_from(name: str) -> None:
    result = run(*COMMANDS[name], "--resume")
    assert result.exit_code == 2
    assert "--resume: nothing is kept without --out" in result.stderr
