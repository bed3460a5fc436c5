"""`splitwise-plan catalog`: the facts that are known, and where each comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import typer

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.completion import EVERY, THE_KINDS
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.errors import InputError, Problem, raise_if_any

if TYPE_CHECKING:
    from splitwise_plan.data.catalog.report import FactFile
    from splitwise_plan.facts.catalog import Catalog

app = typer.Typer(help="Machines, LLMs, workloads and other facts.", no_args_is_help=True)

KIND = Flag(
    "kind", "KIND", "One kind of fact (default: all).", positional=True, values=(THE_KINDS,)
)
ID = Flag(
    "id",
    "ID",
    "A machine, LLM, workload, …, by its id.",
    kind=str,
    positional=True,
    values=(EVERY,),
)


def list_(flags: Flags) -> int:
    """List the ids of all facts, or of one kind."""
    from splitwise_plan.data.catalog.report import index
    from splitwise_plan.facts import catalog as facts
    from splitwise_plan.suggest import did_you_mean

    to = output.Output.of(flags)
    kinds = list(get_args(facts.Kind))
    asked = flags["kind"]
    if asked is not None and asked not in kinds:
        flags.refuse("kind", f"unknown kind {asked!r}", did_you_mean(asked, kinds))
    catalog = question.catalog(flags)
    raise_if_any(flags.problems)
    to.write(index({kind: catalog.list(kind) for kind in ([asked] if asked else kinds)}))
    return exits.OK


def show(flags: Flags) -> int:
    """Show every fact of a file, with its unit and source."""
    from splitwise_plan.data.catalog import report as facts_sheet
    from splitwise_plan.suggest import did_you_mean

    to = output.Output.of(flags)
    catalog = question.catalog(flags)
    raise_if_any(flags.problems)
    name: str = flags["id"]
    found = _find(catalog, name)
    if not found:
        known = sorted({name for names in _all_ids(catalog).values() for name in names})
        raise InputError([Problem("ID", f"nothing is called {name!r}", did_you_mean(name, known))])
    to.write(facts_sheet.show(name, found))
    return exits.OK


def _all_ids(catalog: Catalog) -> dict[str, list[str]]:
    from splitwise_plan.facts.catalog import Kind

    return {kind: catalog.list(kind) for kind in get_args(Kind)}


def _find(catalog: Catalog, name: str) -> list[FactFile]:
    """The files of every kind that have this id."""
    from splitwise_plan.data.catalog.report import FactFile, entries_of, entries_of_csv
    from splitwise_plan.facts.files import FactFiles

    files = FactFiles(catalog.folders)
    found = []
    path: Path | None
    for kind, names in _all_ids(catalog).items():
        if name not in names:
            continue
        if kind == "families":
            paths = files.family_files()
            path = next(one for one in paths if name in files.read_toml(one).data)
            table = {name: files.read_toml(path).data[name]}
        elif kind in ("profiles", "lengths"):
            path = files.find(kind, name, ".csv")
            table = {}
        else:
            path = files.find(kind, name)
            table = files.read_toml(path).data if path else {}
        if path is not None:
            text, hidden = files.read_text(path), files.hidden_by(path)
            entries = entries_of(table, text) if table else entries_of_csv(text)
            hides = files.shown(hidden) if hidden else ""
            found.append(FactFile(kind, files.shown(path), tuple(entries), hides))
    return found


LIST = Command(
    "list", list_, (KIND, f.HARDWARE, f.FORMAT, f.DEBUG), "splitwise-plan catalog list machines"
)
SHOW = Command(
    "show", show, (ID, f.HARDWARE, f.FORMAT, f.DEBUG), "splitwise-plan catalog show dgx-h100"
)
COMMANDS = (LIST, SHOW)
for command in COMMANDS:
    command.add_to(app)
