from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from commands import SMALL, run

SPACE = ("--prompt-machines", "1:3", "--token-machines", "1:2")
MAP = ("sweep", "map", *SPACE, *SMALL)
WINDOW = ("--duration", "150", "--horizon", "window")
LOAD = ("sweep", "load", "--designs", "2+1,3+1", "--rates", "1:3:1", *WINDOW)


def test_the_map_on_a_terminal_of_80_columns() -> None:
    result = run(*MAP, COLUMNS="80")
    assert result.exit_code == 0, result.stderr
    assert "least cost: Splitwise-HH" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "down: prompt machines, across: token machines" in result.stdout
    grid = [line.split() for line in result.stdout.splitlines() if line[:1] in ("1", "2", "3")]
    assert [line[0] for line in grid] == ["3", "2", "1"]
    assert "".join(line[1] for line in grid).count("@") == 1


def test_the_whole_map_of_the_paper_fits_80_columns() -> None:
    result = run("sweep", "map", "--prompt-machines", "1:2", "--token-machines", "1:75",
                 "--rate", "1", *WINDOW, COLUMNS="80")  # fmt: skip
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "T 61 to 75" in result.stdout


def test_the_map_as_json() -> None:
    document = json.loads(run(*MAP, "--format", "json").stdout)
    assert document["schema"] == "splitwise-plan/sweep/1"
    assert document["kind"] == "map"
    assert len(document["designs"]) == 6
    assert document["optima"].keys() == {"cost", "power", "machines"}
    best = document["optima"]["cost"][0]
    [cell] = [one for one in document["designs"] if one["design"] == best]
    assert cell["verdict"] == "meets"
    assert "cost" in cell["optimum_of"]
    assert len(cell["targets"]) == 9


def test_the_map_as_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(run(*MAP, "--format", "csv").stdout)))
    assert len(rows) == 6
    assert rows[0].keys() >= {"verdict", "optimum_of", "rate_rps", "tbt_p50_slowdown"}
    assert any("cost" in row["optimum_of"] for row in rows)


def test_a_baseline_has_a_line_of_sizes() -> None:
    result = run("sweep", "map", "--family", "baseline-h100", "--machines", "1:12", *SMALL)
    assert result.exit_code == 0, result.stderr
    assert "0 1 2 3 4 5 6 7 8 9" in result.stdout


def test_a_map_that_nothing_meets_is_exit_code_3() -> None:
    result = run("sweep", "map", *SPACE, "--rate", "60", "--duration", "20", "--horizon", "window")
    assert result.exit_code == 3
    assert "0 of 6 designs meet the SLOs" in result.stdout


def test_a_load_sweep() -> None:
    result = run(*LOAD, COLUMNS="80")
    assert result.exit_code == 0, result.stderr
    assert "Splitwise-HH 2P + 1T meets the SLOs up to" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    document = json.loads(run(*LOAD, "--format", "json").stdout)
    assert (document["kind"], document["rates_rps"]) == ("load", [1.0, 2.0, 3.0])
    assert [len(one["points"]) for one in document["designs"]] == [3, 3]
    point = document["designs"][0]["points"][0]
    assert point.keys() >= {"rate_rps", "verdict", "latency_s", "slowdown", "targets", "pools"}
    rows = list(csv.DictReader(io.StringIO(run(*LOAD, "--format", "csv").stdout)))
    assert len(rows) == 6
    assert rows[0]["ttft_p99_s"]


def test_designs_of_several_families() -> None:
    words = ("sweep", "load", "--rates", "2", *WINDOW, "--format", "json")
    document = json.loads(run(*words, "--designs", "2+1,baseline-h100:3").stdout)
    families = [one["design"]["family"] for one in document["designs"]]
    assert families == ["splitwise-hh", "baseline-h100"]


@pytest.mark.parametrize("format_", ["table", "markdown"])
def test_results_do_not_depend_on_jobs(format_: str) -> None:
    for words in (MAP, LOAD):
        texts = [run(*words, "--format", format_, "--jobs", jobs).stdout for jobs in ("1", "2")]
        assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("words", "csv_name", "figure"), [(MAP, "map.csv", "map"), (LOAD, "load.csv", "load")]
)
def test_a_folder_of_results(
    words: tuple[str, ...], csv_name: str, figure: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = run(*words, "--out", str(out))
    assert result.exit_code == 0, result.stderr
    assert sorted(path.name for path in out.iterdir()) == sorted(
        [
            *(csv_name, f"figure-{figure}.png", f"figure-{figure}.svg"),
            *("report.html", "report.md", "result.json", "scenario.toml"),
        ]
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("load", "--designs", "2+1"), "--rates: is missing"),
        (("load", "--rates", "5"), "--designs: is missing"),
        (("load", "--rates", "9:1:1", "--designs", "2+1"), "--rates: '9:1:1' holds no rate"),
        (("load", "--rates", "0,5", "--designs", "2+1"), "not above 0"),
        (("load", "--rates", "1:9", "--designs", "2+1"), "not a range of rates"),
        (("load", "--rates", "nan", "--designs", "2+1"), "not above 0"),
        (("load", "--rates", "1:1e9:1e-3", "--designs", "2+1"), "more than 1,000 rates"),
        (("load", "--rates", "5", "--designs", "2"), "2: splitwise-hh has two pools"),
        (("load", "--rates", "5", "--designs", "2+0"), "a pool without machines"),
        (("load", "--rates", "5", "--designs", "x"), "'x' is not a design"),
        (("load", "--rates", "5", "--designs", "nope:2+1"), "nope"),
        (("map", "--family", "splitwise-hh,splitwise-ha"), "a map is of one family"),
    ],
)
def test_what_is_wrong_is_told(words: tuple[str, ...], told: str) -> None:
    result = run("sweep", *words)
    assert result.exit_code == 2
    assert told in result.stderr
