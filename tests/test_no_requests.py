"""Loads so small that none of a run's requests is drawn, or none counts: undecided, not a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run, run_json

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.sampling import requests_for

LOAD = ("--rate", "0.5", "--duration", "2.1", "--horizon", "window", "--seeds", "1", "--seed", "1")
RANGES = ("--family", "splitwise-hh", "--prompt-machines", "1:2", "--token-machines", "1")
ONE = ("--family", "splitwise-hh", "--prompt-machines", "1", "--token-machines", "1")

QUIET_START = "rate = 1\nduration = 20\nwarm_up = 19.99\nseeds = 1\nhorizon = 'window'\n"
FAILING = "[failures]\nmtbf = 5\nmttr = 5\nmaintenance = { for = 5 }\n"


def test_nothing_is_drawn_of_this_load() -> None:
    keys = {
        "rate": 0.5,
        "duration": 2.1,
        "horizon": "window",
        "seeds": 1,
        "seed": 1,
        "families": ["splitwise-hh"],
    }
    assert len(requests_for(load_scenario(Catalog(), None, keys), 0)) == 0


@pytest.mark.parametrize(
    "words",
    [
        ("search", *RANGES, *LOAD),
        ("sweep", "map", *RANGES, *LOAD),
        ("sweep", "load", "--designs", "1+1", "--rates", "0.5", *LOAD[2:]),
        ("robust", *RANGES, *LOAD, "--loads", "x1,x1.1"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_commands_say_undecided(words: tuple[str, ...], tmp_path: Path) -> None:
    result = run(*words, "--out", str(tmp_path / "out"))
    assert result.exit_code == 4, result.output
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize("text", [QUIET_START, QUIET_START + FAILING], ids=["warm-up", "failing"])
def test_a_window_without_requests(text: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    told = run_json("simulate", str(path), *ONE)
    assert told["slo"]["verdict"] == "undecided"
    assert run("search", str(path), *RANGES).exit_code == 4


@pytest.mark.parametrize("text", ["", FAILING], ids=["whole", "failing"])
def test_a_design_without_requests_idles(text: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    told = run_json("simulate", str(path), *ONE, *LOAD)
    assert told["slo"]["verdict"] == "undecided"
    assert told["requests"] == {"arrived": 0, "finished": 0, "unfinished": 0, "rejected": 0}
    assert all(pool["utilisation"] == 0.0 for pool in told["pools"])
