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

import splitwise_plan

PACKAGE = "splitwise_plan"
HOME = Path(splitwise_plan.__file__).parent
MAX_LINES = 400

STOREYS = ("cli", "reproduction", "report", "search", "sim", "models", "facts")
"""From the top down; what is in no storey (`errors`, `units`) is below all."""

KERNEL = f"{PACKAGE}.sim.kernel"
ONLY_IN = {
    "numba": (KERNEL,),
    "joblib": (f"{PACKAGE}.search.driver",),
    "optuna": (f"{PACKAGE}.search.study",),
    "typer": (f"{PACKAGE}.cli",),
    "rich": (f"{PACKAGE}.cli", f"{PACKAGE}.report"),
    "pyarrow": (
        f"{PACKAGE}.facts.importers.parquet_rows",
        f"{PACKAGE}.report.trace_files",
    ),
    "pandas": (f"{PACKAGE}.report.frames",),
    "vl_convert": (f"{PACKAGE}.report.figures",),
    "aiconfigurator": (f"{PACKAGE}.facts.importers.aiconfigurator",),
}
"""Where a library may be imported, tests aside."""

Import = tuple[str, bool]
"""Imported module, and whether the import runs with its module rather than inside a function."""


def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(HOME.rglob("*.py")):
        parts = (PACKAGE, *path.relative_to(HOME).with_suffix("").parts)
        name = ".".join(parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


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
    """0 is the top, commands and functions alike; the ground is below all storeys."""
    parts = name.split(".")
    if len(parts) < 2 or parts[1] in ("__main__", "api"):
        return 0
    return STOREYS.index(parts[1]) if parts[1] in STOREYS else len(STOREYS)


def is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(PACKAGE + ".")


def is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


@pytest.mark.parametrize("name", MODULES)
def test_imports_go_down(name: str) -> None:
    for imported, _ in imports_of(name):
        if is_ours(imported) and imported != PACKAGE:
            assert storey(imported) >= storey(name), f"{name} imports {imported}"


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
    graph = {
        name: {imported for imported, _ in imports_of(name) if is_ours(imported)} - {name}
        for name in MODULES
    }
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


@pytest.mark.parametrize("path", sorted(HOME.rglob("*.py")), ids=lambda path: path.stem)
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
    assert not loaded_by(f"import {PACKAGE}.cli.main") & (HEAVY - {"rich", "typer"})
