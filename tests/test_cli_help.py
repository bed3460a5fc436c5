from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import run
from reference import ROOT

from splitwise_plan import __version__
from splitwise_plan.cli import (
    catalog,
    check,
    day,
    init,
    pareto,
    profile,
    reproduce,
    robust,
    search,
    sensitivity,
    simulate,
    sweep,
    trace,
)
from splitwise_plan.cli.help import paragraphs
from splitwise_plan.cli.options import Command


def commands() -> Iterator[tuple[tuple[str, ...], Command]]:
    """Every command and how it is called."""
    plan = (search, simulate, pareto, check, robust, day, sensitivity, reproduce)
    for command in (*(module.COMMAND for module in plan), init.COMMAND):
        yield (command.name,), command
    groups = {"catalog": catalog, "profile": profile, "sweep": sweep, "trace": trace}
    for group, module in groups.items():
        for command in module.COMMANDS:
            yield (group, command.name), command


COMMANDS = dict(commands())


@pytest.fixture(autouse=True)
def _at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_shows_an_example_that_works(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path if words == ("init",) else ROOT)
    example = COMMANDS[words].example
    shown = run(*words, "--help")
    assert shown.exit_code == 0
    assert example in " ".join(shown.stdout.split())
    if words == ("profile", "import"):
        pytest.importorskip("aiconfigurator")
    program, *rest = shlex.split(example)
    assert program == "splitwise-plan"
    assert tuple(rest[: len(words)]) == words
    result = run(*rest)
    assert result.exit_code == 0, result.stderr
    assert result.stdout


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_flag_is_explained(words: tuple[str, ...]) -> None:
    shown = run(*words, "--help", COLUMNS="200", TERMINAL_WIDTH="200").stdout
    for flag in COMMANDS[words].flags:
        assert flag.flag in shown
        assert flag.help[:30] in shown


def test_the_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"splitwise-plan {__version__}\n")


@pytest.mark.parametrize("words", [(), ("catalog",), ("profile",), ("sweep",), ("trace",)])
def test_without_a_command_the_help_is_shown(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert "Usage: " in result.output
    assert "error" not in result.output


@pytest.mark.parametrize("words", [(), ("sweep",), *COMMANDS], ids=" ".join)
@pytest.mark.parametrize("width", ["80", "100"])
def test_help_fits_and_names_no_types(words: tuple[str, ...], width: str) -> None:
    shown = run(*words, "--help", COLUMNS=width, TERMINAL_WIDTH=width).stdout
    assert max(map(len, shown.splitlines())) <= int(width)
    assert not re.search(r"<(bool|str|list)", shown)
    assert "[[" not in shown


def test_paragraphs_may_be_broken_anew() -> None:
    assert paragraphs("One\n    two.\n\n    Three\n    four.\n") == "One two.\n\nThree four."
