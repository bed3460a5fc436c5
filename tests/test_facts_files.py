"""Our files of facts: every number has a unit and a source, every table says where it is from."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reference import PERF_MODEL, ROOT, azure_trace, needs_reference

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.units import dimension_of

FOLDERS = ("hardware", "workloads")
TOMLS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.toml"))
CSVS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.csv"))


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def numbers(value: Any, table: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every number below `value` with the table it stands in."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner, value)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner, table)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value, table


@pytest.mark.parametrize("path", TOMLS, ids=short)
def test_every_number_has_a_unit_and_a_source(path: Path) -> None:
    for number, table in numbers(tomllib.loads(path.read_text(encoding="utf-8")), {}):
        assert "unit" in table, f"{number} has no unit"
        dimension_of(table["unit"])
        assert len(table.get("source", "")) > 10 or table.get("source") == "not capped", number


@pytest.mark.parametrize("path", CSVS, ids=short)
def test_every_table_says_source_units_and_how_it_was_derived(path: Path) -> None:
    header = [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] == "#"]
    for said in ("# source: ", "# units: ", "# derived by: python tools/derive_"):
        assert any(line.startswith(said) for line in header), said
    assert "sha256 " in "".join(header) or "aiconfigurator 0.12.0, vllm 0." in "".join(header)


def test_what_nobody_measured_is_marked_as_assumed() -> None:
    for machine in ("dgx-a100", "dgx-h100", "dgx-h100-cap70"):
        text = (ROOT / f"hardware/machines/{machine}.toml").read_text(encoding="utf-8")
        assert tomllib.loads(text)["non_gpu_power"]["assumed"]
    for name in Catalog().list("profiles"):
        text = (ROOT / f"hardware/profiles/{name}.csv").read_text(encoding="utf-8")
        measured = name in ("dgx-a100__bloom-176b", "dgx-a100__llama2-70b")
        assert ("# assumed: prompt_power" in text) == (not measured)
        assert ("x 1.3 and" in text) == name.startswith("dgx-h100-cap70__")


@pytest.mark.parametrize("path", CSVS, ids=short)
def test_tables_are_compact(path: Path) -> None:
    assert path.stat().st_size < 40_000


@needs_reference
@pytest.mark.parametrize(
    "arguments",
    [
        ("profiles", PERF_MODEL),
        ("validation", PERF_MODEL),
        ("lengths", "coding", azure_trace("coding")),
        ("lengths", "conversation", azure_trace("conversation")),
    ],
    ids=["profiles", "validation", "coding", "conversation"],
)
def test_the_raw_data_gives_the_same_bytes(arguments: tuple[Any, ...], tmp_path: Path) -> None:
    tool = ROOT / "tools" / "derive_facts.py"
    command = [sys.executable, str(tool), "--out", str(tmp_path), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(command, check=True, env=environment, timeout=60)
    derived = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert derived
    for path in derived:
        assert path.read_bytes() == (ROOT / path.relative_to(tmp_path)).read_bytes()
