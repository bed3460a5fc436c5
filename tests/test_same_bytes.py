"""The same question gives the same bytes, from whatever folder it is asked and wherever it lies."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import run

OWN = Path(__file__).parents[1] / "examples" / "own-facts"
SMALL = ("--family", "splitwise-hh", "--prompt-machines", "2:3", "--token-machines", "1:2")


def results(*words: str, out: Path) -> dict[str, Any]:
    """Files of results by name, but for how long things took."""
    code = run(*words, "--out", str(out)).exit_code
    assert code in (0, 3), words
    files: dict[str, Any] = {path.name: path.read_bytes() for path in out.iterdir()}
    document = json.loads(files.pop("result.json"))
    del document["timing"]
    return files | {"result": document}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The example with files of its own: a trace, SLOs and a machine."""
    return Path(shutil.copytree(OWN, tmp_path / "home" / "own-facts"))


def test_from_any_folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    inside = results("search", "scenario.toml", *SMALL, out=tmp_path / "inside")
    monkeypatch.chdir(tmp_path)
    outside = results("search", "home/own-facts/scenario.toml", *SMALL, out=tmp_path / "outside")
    assert inside == outside
    resolved = results("search", "outside/scenario.toml", out=tmp_path / "resolved")
    assert resolved == outside


def test_as_flags(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("simulate", "--family", "splitwise-hh", "--prompt-machines", "3",
             "--token-machines", "1")  # fmt: skip
    found = []
    for number, folder in enumerate((home, tmp_path, home / "facts")):
        monkeypatch.chdir(folder)
        files = {"--trace": "requests.csv", "--slo": "contract.toml", "--hardware": "facts"}
        words = [
            word
            for flag, name in files.items()
            for word in (flag, os.path.relpath(home / name, folder))
        ]
        found.append(results(*asked, *words, out=tmp_path / f"out-{number}"))
    assert found[0] == found[1] == found[2]


def test_wherever_the_files_lie(home: Path, tmp_path: Path) -> None:
    """All but the scenario that can be run again, which has to say where they are."""
    here = results("search", str(home / "scenario.toml"), *SMALL, out=tmp_path / "here")
    moved = Path(shutil.move(home, tmp_path / "elsewhere" / "own-facts"))
    there = results("search", str(moved / "scenario.toml"), *SMALL, out=tmp_path / "there")
    assert here.pop("scenario.toml") != there.pop("scenario.toml")
    assert here == there
    for content in there.values():
        assert str(tmp_path).encode() not in (
            content if isinstance(content, bytes) else json.dumps(content).encode()
        )
    names = [source["path"] for source in there["result"]["provenance"]["sources"]]
    assert {"requests.csv", "contract.toml"} <= set(names)
    assert any(name.startswith("facts/") for name in names)
