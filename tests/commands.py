"""Run the command line inside the process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from typer.testing import CliRunner, Result

from splitwise_paper import command as reproduce
from splitwise_plan.app import app
from splitwise_plan.cli.options import Command
from splitwise_plan.data.catalog import command as catalog
from splitwise_plan.data.init import command as init
from splitwise_plan.data.profile import command as profile
from splitwise_plan.data.trace import command as trace
from splitwise_plan.questions.check import command as check
from splitwise_plan.questions.day import command as day
from splitwise_plan.questions.pareto import command as pareto
from splitwise_plan.questions.robust import command as robust
from splitwise_plan.questions.search import command as search
from splitwise_plan.questions.sensitivity import command as sensitivity
from splitwise_plan.questions.simulate import command as simulate
from splitwise_plan.questions.sweep import command as sweep

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
