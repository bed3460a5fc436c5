"""Faults seen in other planners and simulators, one test each: they must not happen here."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import DESIGN, SMALL, run, run_json
from reference import ROOT

OURS = "arrival_s,prompt_tokens,output_tokens\n"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def refused(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    return result.stderr


@pytest.mark.parametrize("command", ["search", "simulate", "trace"])
def test_no_answer_on_zero_rows_read(command: str) -> None:
    trace = write("t.csv", OURS)
    failed = "Timestamp,Request tokens,Response tokens\n1,5,0\n"
    for name in (trace, write("failed.csv", failed)):
        words = {
            "search": ("search", "--families", "splitwise-hh", "--trace", name),
            "simulate": ("simulate", *DESIGN, "--trace", name),
            "trace": ("trace", "import", name, "--to", "y.csv"),
        }[command]
        told = refused(*words)
        assert "has no requests" in told or "none of its requests can be used" in told


def test_a_timestamp_is_not_a_row_number() -> None:
    trace = write("t.csv", OURS + "0,10,5\n7.5,10,5\n8,10,5\n")
    run("simulate", *DESIGN, "--trace", trace, "--requests-out", "r.csv")
    rows = [line.split(",") for line in Path("r.csv").read_text().splitlines()[1:]]
    assert [float(row[1]) for row in rows] == [0, 7.5, 8]
    numbered = write("n.csv", OURS + "".join(f"{at},10,5\n" for at in range(50)))
    assert "is it a row number" in run("simulate", *DESIGN, "--trace", numbered).stdout


@pytest.mark.parametrize("cells", ["1,,5", "1,10,", "1,10", "1,x,5", "1,10,nan"])
def test_token_counts_are_not_defaulted(cells: str) -> None:
    trace = write("t.csv", OURS + "0,10,5\n" + cells + "\n")
    assert "t.csv:3: " in refused("simulate", *DESIGN, "--trace", trace)


def test_an_arrival_at_0_is_an_arrival() -> None:
    trace = write("t.csv", OURS + "0,10,5\n")
    found = run_json("simulate", *DESIGN, "--trace", trace)
    assert found["requests"] == {"arrived": 1, "finished": 1, "unfinished": 0, "rejected": 0}
    assert run("trace", "describe", trace).exit_code == 0


def test_0_output_tokens_give_no_time() -> None:
    trace = write("t.csv", OURS + "0,10,0\n")
    assert "t.csv:2: output_tokens 0 is below 1" in refused("simulate", *DESIGN, "--trace", trace)


def test_an_unprofiled_machine_is_not_taken_for_another(tmp_path: Path) -> None:
    lines = (ROOT / "hardware" / "machines" / "dgx-h100.toml").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("profile"))
    (tmp_path / "machines").mkdir()
    (tmp_path / "machines" / "dgx-b300.toml").write_text(text)
    family = (
        'name = "Mine"\nprompt_machine = "dgx-b300"\n'
        'prompt_machines = { low = 1, high = 9, unit = "machines", source = "test" }\n'
    )
    (tmp_path / "families.toml").write_text(f"[mine]\n{family}")
    words = ("simulate", "--family", "mine", "--machines", "2", "--hardware", str(tmp_path))
    assert "there is no profile of bloom-176b on dgx-b300" in refused(*words, *SMALL)


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", *DESIGN, "--machines", "4"),
        ("simulate", *DESIGN, "--trace-speed", "2"),
        ("simulate", *DESIGN, "--trace-window", "busiest 1 min"),
        ("simulate", *DESIGN, "--trace", "t.csv", "--rate", "3", "--trace-speed", "2"),
        ("simulate", *DESIGN, "--trace", "t.csv", "--seed", "3"),
        ("search", "--power-budget", "40 kW"),
        ("trace", "describe", "coding", "--time-unit", "ms"),
        ("trace", "import", "t.csv", "--from", "csv"),
        ("trace", "generate", "--rate", "3", "--burstiness", "4"),
    ],
    ids=" ".join,
)
def test_no_flag_is_ignored(words: tuple[str, ...]) -> None:
    write("t.csv", OURS + "0,10,5\n")
    assert "--" in refused(*words)


@pytest.mark.parametrize("unit", ["USD/GPU/h", "USD/h/GPU", "USD"])
def test_a_price_of_a_gpu_is_not_that_of_a_machine(unit: str, tmp_path: Path) -> None:
    text = (ROOT / "hardware" / "machines" / "dgx-h100.toml").read_text()
    (tmp_path / "machines").mkdir()
    assert 'unit = "USD/h"' in text
    changed = text.replace('unit = "USD/h"', f'unit = "{unit}"')
    (tmp_path / "machines" / "dgx-h100.toml").write_text(changed)
    told = refused("simulate", *DESIGN, *SMALL, "--hardware", str(tmp_path))
    assert f"cost unit '{unit}' is not one of price; use 'USD/h'" in told


def test_a_replayed_trace_is_not_resampled() -> None:
    rows = [(0.25, 10, 5), (0.25, 700, 1), (3.0, 30, 9), (60.125, 11, 2)]
    trace = write("t.csv", OURS + "".join(f"{a},{p},{o}\n" for a, p, o in rows))
    for speed, words in ((1.0, ()), (2.0, ("--trace-speed", "2"))):
        run("simulate", *DESIGN, "--trace", trace, *words, "--requests-out", "r.csv")
        cells = [line.split(",")[1:4] for line in Path("r.csv").read_text().splitlines()[1:]]
        found = [(float(arrival) * speed, int(p), int(o)) for arrival, p, o in cells]
        assert found == rows


def test_an_unsolved_search_is_not_a_solved_one() -> None:
    words = ("--families", "splitwise-hh", "--prompt-machines", "1", "--token-machines", "1")
    load = ("--rate", "60", "--duration", "10", "--horizon", "window")
    result = run("search", *words, *load, "--format", "json")
    assert result.exit_code == 3
    assert '"best": null' in result.stdout
