"""Plans made on a trace that replays its own times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run
from reference import azure_trace, needs_reference

from splitwise_plan.facts.catalog import Catalog

ROOT = Path(__file__).parents[1]
SPACE = ("--families", "splitwise-hh", "--prompt-machines", "1:20", "--token-machines", "1:2")
MINUTES_10 = 600.0


def write_trace(source: Path, target: Path, *, faster: float = 1.0) -> Path:
    """The first ten minutes of a trace, or what ten minutes hold when it comes faster."""
    requests = Catalog().requests(source)
    arrival_s = requests.arrival_s / faster
    kept = arrival_s < MINUTES_10
    columns = (arrival_s[kept], requests.prompt_tokens[kept], requests.output_tokens[kept])
    header = "arrival_s,prompt_tokens,output_tokens"
    np.savetxt(target, np.column_stack(columns), "%.6f,%d,%d", header=header, comments="")
    return target


def check(plan: Path, *words: str) -> tuple[int, dict[str, Any]]:
    told = run("check", str(plan), *words, "--format", "json")
    return told.exit_code, json.loads(told.stdout)


@needs_reference
def test_a_plan_made_on_the_reference_trace_passes(tmp_path: Path) -> None:
    trace = write_trace(azure_trace("coding"), tmp_path / "today.csv")
    plan = tmp_path / "plan.toml"
    made = run("search", "--trace", str(trace), *SPACE, "--save-plan", str(plan))
    assert made.exit_code == 0, made.output
    code, told = check(plan)
    assert (code, told["changes"], told["warnings"]) == (0, [], [])
    write_trace(azure_trace("coding"), trace, faster=1.3)
    code, told = check(plan)
    [change] = told["changes"]
    assert (change["kind"], change["subject"]) == ("traffic", "trace")
    assert code == 3
    assert change["blamed"]


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan on the trace of our example, kept beside it."""
    folder = tmp_path_factory.mktemp("replayed")
    trace = folder / "requests.csv"
    trace.write_bytes((ROOT / "examples/own-facts/requests.csv").read_bytes())
    plan = folder / "plan.toml"
    words = ("--families", "splitwise-hh", "--prompt-machines", "1:6", "--token-machines", "1:6")
    slo = ROOT / "examples/own-facts/contract.toml"
    made = run(
        *("search", "--trace", str(trace), *words, "--slo", str(slo)), "--save-plan", str(plan)
    )
    assert made.exit_code == 0, made.output
    return plan


def test_a_trace_is_kept_whole(replayed: Path) -> None:
    code, told = check(replayed)
    assert (code, told["changes"], told["warnings"]) == (0, [], [])


def test_another_trace(replayed: Path, tmp_path: Path) -> None:
    """A file named on the command line replaces the plan's, seeds and all."""
    trace = replayed.parent / "requests.csv"
    light = tmp_path / "light.csv"
    lines = trace.read_text(encoding="utf-8").splitlines()
    light.write_text("\n".join([lines[0], *lines[1::3]]) + "\n", encoding="utf-8")
    code, told = check(replayed, "--trace", str(light))
    [change] = told["changes"]
    assert change["subject"] == "trace"
    assert {"name": "requests", "before": 1010, "after": 337, "unit": ""} in change["differences"]
    assert (code, change["blamed"], told["best"]["outcome"]) == (3, True, "fails")


def test_a_plan_of_a_rate_may_be_asked_about_a_trace(planned: Any) -> None:
    trace = ROOT / "examples/own-facts/requests.csv"
    code, told = check(planned.plan, "--trace", str(trace))
    assert code == 3
    assert told["changes"][0]["subject"] == "trace"


def test_a_trace_that_is_gone_is_bad_input(replayed: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_bytes(replayed.read_bytes())
    told = run("check", str(plan))
    assert told.exit_code == 2
    assert "no such file" in told.stderr
