"""The example notebook runs from top to bottom, and displays what it promises."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from reference import ROOT

from splitwise_plan.report.formats.notebook import VEGA_LITE_MIME

NOTEBOOKS = sorted(ROOT.glob("examples/**/*.ipynb"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(os.path.abspath, filter(None, sys.path))))
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit it without outputs"
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    ).execute()
    shown = [kind for cell in notebook.cells for kind in kinds(cell)]
    assert "error" not in shown
    assert {"text/html", "image/png", VEGA_LITE_MIME} <= set(shown)


def kinds(cell: Any) -> list[str]:
    """The forms in which the outputs of a cell are displayed."""
    found = []
    for output in cell.get("outputs", []):
        found += list(output.get("data", {})) or [output["output_type"]]
    return found
