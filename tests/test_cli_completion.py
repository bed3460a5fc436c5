"""What a shell is told when it asks: flags, words to choose from, and ids of facts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run
from reference import ROOT

from splitwise_plan.cli.completion import EVERY, ids

VARIABLE = "_SPLITWISE_PLAN_COMPLETE"


def completions(line: str) -> list[str]:
    """What bash would offer for the last word of a line."""
    words = line.split(" ")
    result = run(
        COMP_WORDS=line, COMP_CWORD=str(len(words) - 1), **{VARIABLE: "complete_bash"}
    )  # fmt: skip
    return result.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("splitwise-plan sim", ["simulate"]),
        ("splitwise-plan search --mini", ["--minimize"]),
        ("splitwise-plan search --minimize ", ["cost", "power", "machines"]),
        ("splitwise-plan search --term r", ["reserved"]),
        ("splitwise-plan search --workload c", ["coding", "conversation"]),
        ("splitwise-plan simulate --llm l", ["llama-3.1-70b", "llama2-70b"]),
        ("splitwise-plan simulate --assumptions m", ["measured"]),
        ("splitwise-plan simulate --slo s", ["splitwise"]),
        ("splitwise-plan simulate --prices s", ["splitwisesim"]),
        ("splitwise-plan simulate --family baseline-h", ["baseline-h100"]),
        (
            "splitwise-plan search --families splitwise-hh,base",
            ["splitwise-hh,baseline-a100", "splitwise-hh,baseline-h100"],
        ),
        ("splitwise-plan catalog list wo", ["workloads"]),
        ("splitwise-plan catalog show infiniband-8x4", ["infiniband-8x400"]),
        ("splitwise-plan profile show dgx-a", ["dgx-a100"]),
        ("splitwise-plan profile show dgx-a100 b", ["bloom-176b"]),
        ("splitwise-plan trace describe cod", ["coding"]),
        ("splitwise-plan simulate --rate 7", []),
    ],
)
def test_a_word_is_completed(line: str, expected: list[str]) -> None:
    assert completions(line) == expected


def test_the_users_own_facts_are_completed_too(tmp_path: Path) -> None:
    (tmp_path / "llms").mkdir()
    (tmp_path / "llms" / "ours-7b.toml").write_text("")
    line = f"splitwise-plan simulate --hardware {tmp_path} --llm "
    assert completions(line) == ["bloom-176b", "llama-3.1-70b", "llama2-70b", "ours-7b"]


def test_a_broken_file_completes_nothing_and_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "families.toml").write_text("[broken\n")
    assert ids(["families"], [str(tmp_path)]) == []
    assert "dgx-a100" in ids([EVERY], [str(tmp_path), "nowhere"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_shown(shell: str) -> None:
    """In a process of its own: whether a shell may be named is settled when it starts."""
    named = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [sys.executable, "-m", "splitwise_plan", "--show-completion", shell]
    shown = subprocess.run(command, env=named, capture_output=True, text=True, check=True).stdout
    assert VARIABLE in shown


def test_ids_are_those_of_the_files() -> None:
    names = {path.stem for path in (ROOT / "hardware" / "machines").glob("*.toml")}
    assert set(ids(["machines"], [])) == names
