from __future__ import annotations

import re
import shlex
from functools import cache

import pytest
from commands import COMMANDS, run
from reference import ROOT

from splitwise_plan import __version__
from splitwise_plan.cli.help import paragraphs
from splitwise_plan.cli.options import Flag

WIDTH = 80
GROUPS = [("catalog",), ("profile",), ("sweep",), ("trace",)]
NARROWEST = 30
"""Characters that an explanation has in a line, at the least."""


@cache
def help_of(*words: str) -> str:
    """What --help shows on the narrowest terminal that is common."""
    shown = run(*words, "--help", COLUMNS=str(WIDTH), TERMINAL_WIDTH=str(WIDTH))
    assert shown.exit_code == 0
    return shown.stdout


@pytest.fixture(autouse=True)
def _at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_shows_an_example_of_the_command(words: tuple[str, ...]) -> None:
    """`test_peer_faults` runs it."""
    example = COMMANDS[words].example
    assert example in " ".join(help_of(*words).split())
    program, *rest = shlex.split(example)
    assert program == "splitwise-plan"
    assert tuple(rest[: len(words)]) == words


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_flag_is_explained_in_full(words: tuple[str, ...]) -> None:
    """Its name and its metavar whole in one line, all of its text, and room for that."""
    shown = help_of(*words)
    for flag in COMMANDS[words].flags:
        told, room = explained(shown, flag)
        assert flag.help in told
        assert room >= NARROWEST, flag.flag


def explained(shown: str, flag: Flag) -> tuple[str, int]:
    """What a help says of a flag, and the characters that it has for that in a line."""
    name = () if flag.positional else (flag.flag,)
    metavar = (flag.metavar,) if flag.metavar else ()
    begins = r"│ [* ] +" if flag.positional else "│ "
    row = re.compile(begins + " +".join(map(re.escape, (*name, *metavar))) + r" {2,}(?=\S)")
    lines = shown.splitlines()
    found = [(at, one.end()) for at, line in enumerate(lines) if (one := row.match(line))]
    assert len(found) == 1, (flag.flag, flag.metavar)
    at, column = found[0]
    told = [lines[at][column:]]
    for line in lines[at + 1 :]:
        if not line.startswith("│" + " " * (column - 1)):
            break
        told.append(line[column:])
    return " ".join(" ".join(told).replace("│", " ").split()), WIDTH - len(" │") - column


def test_the_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"splitwise-plan {__version__}\n")


@pytest.mark.parametrize("words", [(), *GROUPS])
def test_without_a_command_the_help_is_shown(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert "Usage: " in result.output
    assert "error" not in result.output


@pytest.mark.parametrize("words", [(), *GROUPS, *COMMANDS], ids=" ".join)
def test_help_fits_and_names_no_types(words: tuple[str, ...]) -> None:
    shown = help_of(*words)
    assert max(map(len, shown.splitlines())) <= WIDTH
    assert not re.search(r"<(bool|str|list)", shown)
    assert "[[" not in shown


def test_paragraphs_may_be_broken_anew() -> None:
    assert paragraphs("One\n    two.\n\n    Three\n    four.\n") == "One two.\n\nThree four."
