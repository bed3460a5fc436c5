"""The commands `robust`, `sensitivity` and `day`: formats, exit codes, folders, what is refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from commands import run, run_json
from selection import few

from splitwise_plan.cli import exits

SMALL = ("--rate", "3", "--duration", "50", "--horizon", "window", "--families", "splitwise-hh")
RANGES = ("--prompt-machines", "1:4", "--token-machines", "1:3")
COMMANDS = {
    "robust": ("robust", *SMALL, *RANGES, "--loads", "x1,x1.5"),
    "sensitivity": ("sensitivity", *SMALL, *RANGES),
    "day": ("day", *SMALL, *RANGES, "--duration", "160"),  # a night's requests are few
}
FILES = {"robust": "designs.csv", "sensitivity": "thresholds.csv", "day": "day.csv"}
FIGURES = {"robust": "loads", "sensitivity": "tornado", "day": "day"}


@pytest.mark.parametrize("name", few(COMMANDS, ["robust"]))
def test_formats_tell_the_same(name: str) -> None:
    words = COMMANDS[name]
    document = run_json(*words)
    assert document["schema"] == f"splitwise-plan/{name}/1"
    best = document["best"]["design"]
    label = f"{best['prompt_machines']} prompt + {best['token_machines']} token"
    for format_ in ("table", "markdown"):
        told = run(*words, "--format", format_)
        assert told.exit_code == exits.OK
        assert label in " ".join(told.stdout.split())
    rows = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv").stdout)))
    parts = {"robust": "winners", "sensitivity": "thresholds", "day": "parts"}[name]
    count = len(document[parts]) * (2 if name == "robust" else 1)
    assert len(rows) == count


@pytest.mark.parametrize("name", few(COMMANDS, ["robust", "sensitivity"]))
def test_a_folder_gives_the_same_again(name: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert run(*COMMANDS[name], "--out", str(first)).exit_code == exits.OK
    figure = FIGURES[name]
    expected = {"result.json", FILES[name], "scenario.toml", "report.md", "report.html"}
    expected |= {f"figure-{figure}.svg", f"figure-{figure}.png"}
    assert {one.name for one in first.iterdir()} == expected
    page = (first / "report.html").read_text(encoding="utf-8")
    assert "http://" not in page.replace("http://www.w3.org", "")
    again = run(name, str(first / "scenario.toml"), "--jobs", "1", "--out", str(second))
    assert again.exit_code == exits.OK
    for path in first.iterdir():
        other = second / path.name
        if path.name != "result.json":
            assert path.read_bytes() == other.read_bytes(), path.name
    assert untimed(first) == untimed(second)


def untimed(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    del document["timing"]
    return document


@pytest.mark.parametrize("name", COMMANDS)
def test_no_design_is_told_by_the_exit_code(name: str) -> None:
    words = [one if one != "3" else "90" for one in COMMANDS[name]]
    result = run(*words)
    assert result.exit_code == exits.NONE_MEETS
    assert "meets the SLOs" in " ".join(result.stdout.split())


def test_regret_serves_what_one_design_cannot() -> None:
    """The loads together need more than there is; each by itself does not."""
    document = run_json(*COMMANDS["robust"], "--choose", "regret")
    assert document["choose"] == "regret"
    assert [one["family"] for one in document["regrets"]] == ["splitwise-hh"]
    assert document["regrets"][0]["regret"] == 0


def test_growth_is_told_as_a_day() -> None:
    words = (*COMMANDS["robust"], "--growth", "100%/year", "--from", "2026-01-01")
    growth = run_json(*words)["growth"]
    assert growth["from"] == "2026-01-01"
    best = growth["run_outs"][0]
    assert best["capacity_rps"] >= 3 - 1e-9
    assert best["date"] >= "2026-01-01"
    assert best["date"] in run(*words).stdout


def test_savings_are_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = run(*COMMANDS["sensitivity"], "--savings", "0.1", "--out", str(out))
    assert untimed(out)["savings"] == 0.1
    assert "better by 10 %" in " ".join(told.stdout.split())


BAD = {
    "unknown load": (("robust", "--loads", "x1,spik"), "--loads: unknown load 'spik'"),
    "a load of nothing": (("robust", "--loads", "x0"), "rate must be above 0"),
    "growth alone": (("robust", "--growth", "3 %/year"), "--from: is missing beside --growth"),
    "a day alone": (("robust", "--from", "2026-01-01"), "--growth: is missing beside --from"),
    "no growth": (
        ("robust", "--growth", "fast", "--from", "2026-01-01"),
        "--growth: 'fast' is no growth",
    ),
    "no day": (("robust", "--growth", "3 %/year", "--from", "soon"), "--from: 'soon' is no day"),
    "choose": (("robust", "--choose", "most"), "--choose: choose must be 'least' or 'regret'"),
    "a rate to be searched": (("robust", "budget.toml"), "loads are given, not looked for"),
    "sampled": (("robust", "--method", "optuna"), "gone through, not sampled"),
    "too large": (
        ("robust", "--prompt-machines", "1:300", "--token-machines", "1:300"),
        "too large to be gone through",
    ),
    "a load of the file": (("robust", "loads.toml"), "loads.toml:4: unknown workload 'codin'"),
    "a winner": (("sensitivity", "--winner", "pool"), "--winner: 'pool' is not known"),
    "savings": (("sensitivity", "--savings", "2"), "--savings: must be a share of 0 to 1"),
    "no rate to shake": (("sensitivity", "budget.toml"), "the rate is given here"),
    "amplitude": (("day", "--amplitude", "1.5"), "--amplitude: must be a share of 0 to 1"),
    "no day at all": (("day", "spike.toml"), "a day needs a rate, and arrivals"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_and_nothing_is_written(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "budget.toml": "maximize = 'throughput'\npower_budget = '40xdgx-h100'\n",
        "loads.toml": "rate = 5\n[[loads]]\nname = 'a'\nworkload = 'codin'\n",
        "spike.toml": "rate = 5\narrivals = 'spike'\nspike = { start = 10, length = 10 }\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    words, told = BAD[case]
    result = run(*words, "--out", "out")
    assert result.exit_code == exits.BAD_INPUT
    assert told in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(files)


def test_everything_wrong_is_told_at_once() -> None:
    result = run("robust", "--rate", "fast", "--llm", "bloom", "--choose", "most")
    lines = result.stderr.splitlines()
    assert {line.split(":")[0] for line in lines[1:]} == {"--rate", "--llm", "--choose"}
