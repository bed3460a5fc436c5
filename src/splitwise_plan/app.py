"""The command line: `splitwise-plan COMMAND`."""

from __future__ import annotations

from typing import Annotated

import typer

from splitwise_plan import __version__
from splitwise_plan.cli.exits import ExitingGroup
from splitwise_plan.cli.help import HelpfulGroup
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

app = typer.Typer(
    name="splitwise-plan",
    cls=ExitingGroup,
    no_args_is_help=True,
    help="Plan clusters for LLM inference: how many machines of which kind in which pool.",
    epilog="Exit codes: 0 found or done, 1 a fault of ours, 2 bad input, 3 no design meets the "
    "SLOs (check: the plan no longer holds), 4 undecided, 130 interrupted. Every command has "
    "--help with an example; `splitwise-plan init` writes a scenario to start from.",
)

PLAN, FACTS = "Plan", "Facts and data"


def _add_reproduce() -> None:
    """`reproduce` comes out of a package of its own, which is a user of this one."""
    from splitwise_paper.command import COMMAND

    COMMAND.add_to(app, PLAN)


search.COMMAND.add_to(app, PLAN)
simulate.COMMAND.add_to(app, PLAN)
pareto.COMMAND.add_to(app, PLAN)
check.COMMAND.add_to(app, PLAN)
robust.COMMAND.add_to(app, PLAN)
day.COMMAND.add_to(app, PLAN)
sensitivity.COMMAND.add_to(app, PLAN)
_add_reproduce()
app.add_typer(sweep.app, name="sweep", cls=HelpfulGroup, rich_help_panel=PLAN)
init.COMMAND.add_to(app, FACTS)
app.add_typer(trace.app, name="trace", cls=HelpfulGroup, rich_help_panel=FACTS)
app.add_typer(profile.app, name="profile", cls=HelpfulGroup, rich_help_panel=FACTS)
app.add_typer(catalog.app, name="catalog", cls=HelpfulGroup, rich_help_panel=FACTS)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"splitwise-plan {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Options of no command."""


def main() -> None:
    """The entry point."""
    app()
