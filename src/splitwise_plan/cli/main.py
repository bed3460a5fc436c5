"""The command line: `splitwise-plan COMMAND`."""

from __future__ import annotations

from typing import Annotated

import typer

from splitwise_plan import __version__
from splitwise_plan.cli import catalog, pareto, profile, reproduce, search, simulate, sweep, trace
from splitwise_plan.cli.exits import ExitingGroup

app = typer.Typer(
    name="splitwise-plan",
    cls=ExitingGroup,
    add_completion=False,
    no_args_is_help=True,
    help="Plan clusters for LLM inference: how many machines of which kind in which pool.",
    epilog="Exit codes: 0 found, 2 bad input, 3 no design meets the SLOs, 4 undecided.",
)

search.COMMAND.add_to(app)
simulate.COMMAND.add_to(app)
pareto.COMMAND.add_to(app)
reproduce.COMMAND.add_to(app)
app.add_typer(sweep.app, name="sweep")
app.add_typer(trace.app, name="trace")
app.add_typer(profile.app, name="profile")
app.add_typer(catalog.app, name="catalog")


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
