"""Run the command line inside the process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from typer.testing import CliRunner, Result

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
from splitwise_plan.cli.main import app
from splitwise_plan.cli.options import Command

SMALL = ("--rate", "2", "--duration", "75", "--horizon", "window")
"""A window of some 150 requests."""
DESIGN = ("--family", "splitwise-hh", "--prompt-machines", "2", "--token-machines", "1")


def run(*words: str, **env: str) -> Result:
    result = CliRunner().invoke(app, list(words), env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def run_json(*words: str) -> dict[str, Any]:
    result = run(*words, "--format", "json")
    assert result.exit_code == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def _commands() -> Iterator[tuple[tuple[str, ...], Command]]:
    plan = (search, simulate, pareto, check, robust, day, sensitivity, reproduce)
    for command in (*(module.COMMAND for module in plan), init.COMMAND):
        yield (command.name,), command
    groups = {"catalog": catalog, "profile": profile, "sweep": sweep, "trace": trace}
    for group, module in groups.items():
        for command in module.COMMANDS:
            yield (group, command.name), command


COMMANDS = dict(_commands())
"""Every command, by the words that call it."""
