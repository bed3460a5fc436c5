"""The house keeps its walls: who may import what, read from the source of every module."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import splitwise_paper
import splitwise_plan

PACKAGE, PAPER = "splitwise_plan", "splitwise_paper"
HOMES = [Path(str(package.__file__)).parent for package in (splitwise_plan, splitwise_paper)]
SOURCES = HOMES[0].parent
FILES = [path for home in HOMES for path in sorted(home.rglob("*.py"))]
MAX_LINES = 400

STOREYS = ("questions", "cli", "report", "planner", "sim", "models", "scenario", "facts")
"""From the top down; `app` and `api` are above all, and what is in no storey (`errors`, `units`)
is below. `data` and the paper are wings of the top storey, as every question is."""

APP = f"{PACKAGE}.app"
TOP = (PACKAGE, f"{PACKAGE}.__main__", f"{PACKAGE}.api", APP)
KERNEL = f"{PACKAGE}.sim.kernel"
ONLY_IN = {
    "numba": (KERNEL,),
    "joblib": (f"{PACKAGE}.planner.driver",),
    "optuna": (f"{PACKAGE}.planner.study",),
    "typer": (
        *(APP, f"{PACKAGE}.cli", f"{PACKAGE}.questions.sweep.command"),
        *(f"{PACKAGE}.data.{name}.command" for name in ("catalog", "profile", "trace")),
    ),
    "rich": (f"{PACKAGE}.cli", f"{PACKAGE}.report"),
    "pyarrow": (f"{PACKAGE}.facts.traces.parquet_rows", f"{PACKAGE}.data.trace.files"),
    "pandas": (f"{PACKAGE}.report.formats.frames",),
    "vl_convert": (f"{PACKAGE}.report.figures",),
    "aiconfigurator": (f"{PACKAGE}.facts.traces.aiconfigurator",),
}
"""Where a library may be imported, tests aside."""

COMMANDS = ("command", "flags", "keeping")
"""How modules of a question's command are called, and how their names end."""
ANALYSES = {
    "questions.search": ("diagnosis", "resilience"),
    "questions.pareto": ("analysis",),
    "questions.robust": ("analysis", "growth_horizon"),
    "questions.day": ("analysis", "periods"),
    "questions.sensitivity": ("analysis", "challengers", "knobs", "money", "thresholds"),
    "questions.batch": ("analysis",),
    "questions.check": ("analysis", "changes", "differences", "load_changes", "slo_changes"),
    "data.trace": ("generation",),
    "data.profile": ("calibration",),
    "data.init": ("starter_files",),
}
"""What answers a question or makes its data; the rest of a question, commands aside, reports it.
`simulate` and `sweep` ask the planner alone, whose sweeps several questions share."""

HANDED_OVER = {
    (f"{PACKAGE}.questions.search.command", f"{PACKAGE}.questions.batch.command"),
}
"""Doors between questions: `search` without SLOs, by requests per dollar, is the question `batch`.
No analysis is used by another question: what they share is in the planner."""

Import = tuple[str, bool]
"""Imported module, and whether the import runs with its module rather than inside a function."""


def modules() -> dict[str, ast.Module]:
    """Every module of the packages by its dotted name."""
    return {
        ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__"): (
            ast.parse(path.read_text(encoding="utf-8"))
        )
        for path in FILES
    }


MODULES = modules()


def imports_of(name: str) -> list[Import]:
    """What a module imports; from a package, its modules by their full name."""
    return list(_imports(MODULES[name], at_start=True))


def _imports(node: ast.AST, *, at_start: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, at_start) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "relative import"
            for alias in child.names:
                inside = f"{child.module}.{alias.name}"
                yield (inside if inside in MODULES else str(child.module)), at_start
        elif not _is_type_checking(child):
            deferred = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, at_start=at_start and not deferred)


def _is_type_checking(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def storey(name: str) -> int:
    """-1 is the top, commands and functions alike; the ground is below all storeys."""
    if name in TOP:
        return -1
    if wing(name):
        return 0
    below = name.split(".")[1]
    return STOREYS.index(below) if below in STOREYS else len(STOREYS)


def wing(name: str) -> str:
    """The question or the like that a module of the top storey belongs to; else nothing."""
    if is_in(name, PAPER):
        return PAPER
    parts = name.split(".")[1:3]
    return ".".join(parts) if len(parts) > 1 and parts[0] in ("questions", "data") else ""


def part(name: str) -> int:
    """Inside a wing: 0 its command, 1 its report, 2 its analysis."""
    last = name.rsplit(".", 1)[-1]
    if last in COMMANDS or last.endswith("_command"):
        return 0
    return 2 if last in ANALYSES.get(wing(name), ()) else 1


def is_ours(name: str) -> bool:
    return is_in(name, PACKAGE) or is_in(name, PAPER)


def is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def imports_of_ours(name: str) -> set[str]:
    """Modules of ours that a module imports, wherever in it."""
    ours = {imported for imported, _ in imports_of(name) if is_ours(imported)}
    return ours - {name, PACKAGE, PAPER}


@pytest.mark.parametrize("name", MODULES)
def test_imports_go_down(name: str) -> None:
    for imported in imports_of_ours(name):
        assert storey(imported) >= storey(name), f"{name} imports {imported}"


@pytest.mark.parametrize("name", [name for name in MODULES if wing(name)])
def test_no_question_asks_another(name: str) -> None:
    others = {one for one in imports_of_ours(name) if wing(one) not in ("", wing(name))}
    assert {(name, one) for one in others} <= HANDED_OVER


@pytest.mark.parametrize("name", [name for name in MODULES if wing(name) in ANALYSES])
def test_a_command_shows_a_report_which_tells_an_analysis(name: str) -> None:
    for imported in imports_of_ours(name):
        if wing(imported) == wing(name):
            assert part(imported) >= part(name), f"{name} imports {imported}"
        elif part(name) > 0:
            assert not is_in(imported, f"{PACKAGE}.cli"), f"{name} imports {imported}"
        if part(name) == 2:
            assert not is_in(imported, f"{PACKAGE}.report"), f"{name} imports {imported}"


def test_analyses_are_there() -> None:
    named = {f"{PACKAGE}.{place}.{name}" for place, names in ANALYSES.items() for name in names}
    assert named <= set(MODULES)
    assert {name for pair in HANDED_OVER for name in pair} <= set(MODULES)


def test_only_the_app_knows_of_the_paper() -> None:
    knowing = {name for name in MODULES if any(wing(i) == PAPER for i in imports_of_ours(name))}
    assert {name for name in knowing if not is_in(name, PAPER)} == {APP}
    at_start = [imported for imported, at_start in imports_of(APP) if at_start]
    assert not any(is_in(imported, PAPER) for imported in at_start)


@pytest.mark.parametrize("name", MODULES)
def test_libraries_stay_where_they_belong(name: str) -> None:
    for imported, _ in imports_of(name):
        places = ONLY_IN.get(imported.split(".")[0])
        if places is not None:
            assert any(is_in(name, place) for place in places), f"{name} imports {imported}"


@pytest.mark.parametrize("name", [name for name in MODULES if is_in(name, KERNEL)])
def test_the_kernel_imports_nothing_of_ours_but_itself(name: str) -> None:
    allowed = {"__future__", "math", "typing", "numba", "numpy", "numpy.typing"}
    for imported, _ in imports_of(name):
        assert is_in(imported, KERNEL) or imported in allowed, f"{name} imports {imported}"


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {name: imports_of_ours(name) for name in MODULES}
    TopologicalSorter(graph).prepare()  # raises CycleError with the cycle


Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@pytest.mark.parametrize("name", MODULES)
def test_public_names_are_documented(name: str) -> None:
    module = MODULES[name]
    assert ast.get_docstring(module) or not module.body, "the module"
    if not is_in(name, KERNEL):
        bare = [node.name for node in public(module) if not ast.get_docstring(node)]
        assert not bare


def public(module: ast.Module) -> Iterator[Documented]:
    """Public classes and functions; methods may speak for themselves."""
    for node in module.body:
        if isinstance(node, Documented) and not node.name.startswith("_"):
            yield node


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_modules_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def loaded_by(statement: str) -> set[str]:
    """Top-level modules in memory after a statement in a process of its own."""
    script = f"import sys; {statement}; print(*(m.split('.')[0] for m in list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


HEAVY = {"numba", "pandas", "optuna", "scipy", "pydantic", "joblib", "numpy", "rich", "typer"}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded_by(f"import {PACKAGE}") & HEAVY


def test_importing_the_commands_loads_no_simulator() -> None:
    """What `--help` needs."""
    assert not loaded_by(f"import {APP}") & (HEAVY - {"rich", "typer"})
