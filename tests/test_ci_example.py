"""The CI example works as far as it can here: its workflow's steps, and its shell script."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from junit_schema import faults

ROOT = Path(__file__).parents[1]
EXAMPLE = Path("examples/ci")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of the example, and a `splitwise-plan` that is this one."""
    shutil.copytree(ROOT / EXAMPLE, tmp_path / EXAMPLE)
    command = tmp_path / "bin" / "splitwise-plan"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m splitwise_plan "$@"\n')
    command.chmod(0o755)
    return tmp_path


def call(checkout: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(checkout / "bin"), os.environ["PATH"]])
    known = {k: v for k, v in os.environ.items() if not k.startswith("GITHUB_")}
    return subprocess.run(
        words,
        cwd=checkout,
        env={**known, "PATH": path, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **env},
        capture_output=True,
        text=True,
        check=False,
    )


def workflow() -> dict[Any, Any]:
    text = (ROOT / EXAMPLE / "capacity-plan.yml").read_text(encoding="utf-8")
    content: dict[Any, Any] = yaml.safe_load(text)
    return content


def run_workflow(checkout: Path, rate: str = "") -> subprocess.CompletedProcess[str]:
    """Run the steps that have a command, but for the one that installs, as the runner does."""
    content = workflow()
    steps = [step for step in content["jobs"]["check"]["steps"] if "run" in step]
    assert [step["name"] for step in steps] == ["Install", "Check the plan"]
    env = {**content["env"], "RATE": rate, "GITHUB_ACTIONS": "true"}
    env["GITHUB_STEP_SUMMARY"] = str(checkout / "summary.md")
    shell = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c")
    return call(checkout, *shell, steps[1]["run"], **env)


def test_the_workflow_is_one() -> None:
    content = workflow()
    assert set(content[True]) == {"push", "pull_request", "schedule", "workflow_dispatch"}
    assert content["permissions"] == {"contents": "read"}
    [job] = content["jobs"].values()
    assert all(("uses" in step) != ("run" in step) for step in job["steps"])
    kept = job["steps"][-1]["with"]["path"].split()
    report = content["env"]["REPORT"]
    assert kept == [report, f"{report}.xml"]
    assert (ROOT / content["env"]["PLAN"]).is_file()


def test_the_workflow_passes_and_keeps_its_report(checkout: Path) -> None:
    done = run_workflow(checkout)
    assert done.returncode == 0, done.stderr
    assert "::error" not in done.stderr
    assert (checkout / "summary.md").read_text(encoding="utf-8").startswith("# Plan check")
    assert faults(ElementTree.parse(checkout / "capacity-plan.xml").getroot()) == []
    assert (checkout / "capacity-plan" / "report.md").is_file()


@pytest.mark.verify
def test_the_workflow_fails_when_too_many_requests_come(checkout: Path) -> None:
    done = run_workflow(checkout, rate="30")
    assert done.returncode == 3
    assert "::error file=examples/ci/plan.toml,title=TBT P90::" in done.stderr


@pytest.mark.verify
def test_the_script_keeps_a_report_of_each_plan(checkout: Path) -> None:
    script = str(EXAMPLE / "check.sh")
    done = call(checkout, "sh", script)
    assert (done.returncode, done.stdout) == (0, "examples/ci/plan.toml: holds\n")
    assert faults(ElementTree.parse(checkout / "reports" / "plan.xml").getroot()) == []
    plan = checkout / EXAMPLE / "plan.toml"
    strict = plan.read_text(encoding="utf-8").replace("value = 0.0,", "value = 90.0,")
    plan.with_name("strict.toml").write_text(strict, encoding="utf-8")
    (checkout / "broken.toml").write_text("schema = 1\n", encoding="utf-8")
    done = call(checkout, "sh", script, "broken.toml", f"{EXAMPLE}/strict.toml", REPORTS="kept")
    assert done.returncode == 2
    assert done.stdout.splitlines() == [
        "broken.toml: not checked",
        "examples/ci/strict.toml: no longer holds, see kept/strict.md",
    ]
    assert (checkout / "kept" / "strict.md").read_text(encoding="utf-8").startswith("# Plan check")


@pytest.mark.parametrize(
    ("codes", "worst"),
    [("0 0", 0), ("0 4", 4), ("4 3", 3), ("3 4", 3), ("2 3 0", 2), ("3 2", 2), ("130 4", 130)],
)
def test_the_order_of_exit_codes(checkout: Path, codes: str, worst: int) -> None:
    """With a command in its place that exits with the code that its plan is called."""
    (checkout / "bin" / "splitwise-plan").write_text('#!/bin/sh\nexit "$2"\n')
    done = call(checkout, "sh", str(EXAMPLE / "check.sh"), *codes.split())
    assert done.returncode == worst
