"""What `docs/reliability.md` names is there, and so is what the mutation tests rest on."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator

import pytest
from reference import ROOT

DOCUMENT = ROOT / "docs" / "reliability.md"
TOOLS = ROOT / "tools"
PACKAGE = ROOT / "src" / "splitwise_plan"


def spans(pattern: str) -> list[str]:
    """What matches in the code of the document."""
    code = re.findall(r"`([^`]+)`", DOCUMENT.read_text(encoding="utf-8"))
    return sorted({found for one in code for found in re.findall(pattern, one)})


def test_every_command_is_there() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    named = spans(r"\bmake ([a-z]+)")
    assert named
    assert set(named) <= set(targets)


def test_every_file_is_there() -> None:
    named = spans(r"\b((?:tools|tests|src)/[\w/]+\.\w+)")
    assert len(named) > 3
    assert [one for one in named if not (ROOT / one).exists()] == []


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(TOOLS))
    yield
    for name in {"mutants", "mutation_targets"} - before:
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("tools")
def test_mutation_targets_are_there() -> None:
    from mutation_targets import TARGETS

    files = {ROOT / test for target in TARGETS for test in target.tests}
    files |= {PACKAGE / target.module for target in TARGETS}
    assert sorted(str(one) for one in files if not one.exists()) == []


@pytest.mark.usefixtures("tools")
def test_explained_mutants_are_there() -> None:
    """An explanation of what has been rewritten since explains nothing."""
    from mutants import mutants_of

    content = tomllib.loads((TOOLS / "mutants_explained.toml").read_text(encoding="utf-8"))
    for one in content["mutant"]:
        source = (PACKAGE / one["module"]).read_text(encoding="utf-8")
        assert one["name"] in {mutant.name for mutant in mutants_of(source)}
        assert one["because"].endswith(".")
