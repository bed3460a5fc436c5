from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest
from commands import run

from splitwise_plan import __version__
from splitwise_plan.cli import catalog, pareto, profile, reproduce, search, simulate, sweep, trace
from splitwise_plan.cli.options import Command


def commands() -> Iterator[tuple[tuple[str, ...], Command]]:
    """Every command and how it is called."""
    for command in (search.COMMAND, simulate.COMMAND, pareto.COMMAND, reproduce.COMMAND):
        yield (command.name,), command
    groups = {"catalog": catalog, "profile": profile, "sweep": sweep, "trace": trace}
    for group, module in groups.items():
        for command in module.COMMANDS:
            yield (group, command.name), command


COMMANDS = dict(commands())


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_shows_an_example_that_works(words: tuple[str, ...]) -> None:
    example = COMMANDS[words].example
    shown = run(*words, "--help")
    assert shown.exit_code == 0
    assert example in " ".join(shown.stdout.split())
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
