from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from commands import DESIGN, SMALL, run, run_json

from splitwise_plan.sim import warmup


def untimed(text: str) -> dict[str, object]:
    """A document without what differs from run to run."""
    document: dict[str, object] = json.loads(text)
    del document["timing"]
    return document


def test_a_small_run_meets_its_slos_and_says_so() -> None:
    result = run("simulate", *DESIGN, *SMALL)
    assert result.exit_code == 0
    assert "Verdict     meets all nine; tightest is " in result.stdout
    assert "assumptions: measured" in result.stdout


def test_json_is_one_document_and_nothing_else() -> None:
    document = run_json("simulate", *DESIGN, *SMALL)
    assert document["slo"]["verdict"] == "meets"
    assert document["requests"]["arrived"] == document["requests"]["finished"]
    assert document["provenance"]["seeds"] == 1
    assert document["timing"].keys() == {"load_s", "compile_s", "simulate_s"}


def test_the_same_run_gives_the_same_bytes_whatever_the_jobs() -> None:
    words = ("simulate", *DESIGN, *SMALL, "--seeds", "3", "--format", "json")
    one, two = (run(*words, "--jobs", jobs).stdout for jobs in ("1", "2"))
    assert untimed(one) == untimed(two)
    assert list(untimed(one)) == list(untimed(two))


def test_another_seed_gives_another_run() -> None:
    first, second = (run_json("simulate", *DESIGN, *SMALL, "--seed", s) for s in ("1", "2"))
    assert first["latency_s"] != second["latency_s"]


def test_seeds_are_replications() -> None:
    document = run_json("simulate", *DESIGN, *SMALL, "--seeds", "2")
    assert len(document["slo"]["replications"]) == 2
    target = document["slo"]["targets"][0]
    assert target["low"] <= target["value"] <= target["high"]


def test_an_overloaded_design_misses_and_is_no_error() -> None:
    load = ("--rate", "40", "--duration", "20", "--horizon", "window")
    result = run("simulate", *DESIGN, *load, "--format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["slo"]["verdict"] in ("misses", "unstable")


def test_a_baseline_has_one_pool() -> None:
    document = run_json("simulate", "--family", "baseline-h100", "--machines", "3", *SMALL)
    assert document["design"]["prompt_machines"] == 3
    assert document["design"]["token_machines"] == 0
    assert [pool["pool"] for pool in document["pools"]] == ["shared"]


def test_units_may_be_given_with_numbers() -> None:
    plain = run_json("simulate", *DESIGN, *SMALL)
    rate, duration = ("--rate", "120 requests/min"), ("--duration", "1.25 min")
    units = run_json("simulate", *DESIGN, *rate, *duration, "--horizon", "window")
    assert plain["latency_s"] == units["latency_s"]


def test_paper_units_are_reported_beside_watts() -> None:
    words = ("simulate", *DESIGN, *SMALL, "--assumptions", "splitwisesim")
    design = run_json(*words)["design"]
    assert design["provisioned_power_paper_units"] == pytest.approx(132.0)
    assert design["provisioned_power_w"] == 30600.0
    assert "paper units" in run(*words).stdout


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    rows = "".join(f"{i / 2},{100 + i},{1 + i % 7}\n" for i in range(20))
    path.write_text("arrival_s,prompt_tokens,output_tokens\n" + rows)
    return path


def test_a_trace_replays_its_own_times(trace: Path) -> None:
    document = run_json("simulate", *DESIGN, "--trace", str(trace))
    assert document["requests"]["arrived"] == 20
    assert document["scenario"]["arrivals"] == "trace"


def test_a_trace_with_a_rate_gives_its_lengths_only(trace: Path) -> None:
    document = run_json("simulate", *DESIGN, "--trace", str(trace), *SMALL)
    assert document["scenario"]["arrivals"] == "poisson"


def test_one_row_a_request(trace: Path, tmp_path: Path) -> None:
    path = tmp_path / "requests.csv"
    result = run("simulate", *DESIGN, "--trace", str(trace), "--requests-out", str(path))
    assert result.exit_code == 0
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == [
        *("request_id", "arrival_s", "prompt_tokens", "output_tokens"),
        *("ttft_s", "tbt_s", "e2e_s", "prompt_instance", "token_instance"),
    ]
    assert [row["arrival_s"] for row in rows] == [repr(i / 2) for i in range(20)]
    one_token = [row for row in rows if row["output_tokens"] == "1"]
    assert one_token
    assert all(row["tbt_s"] == "" and row["token_instance"] == "" for row in one_token)
    for row in rows:
        if row["tbt_s"]:
            streamed = float(row["tbt_s"]) * (int(row["output_tokens"]) - 1)
            assert float(row["e2e_s"]) - float(row["ttft_s"]) == pytest.approx(streamed)


def test_the_rows_that_were_written_are_a_trace(trace: Path, tmp_path: Path) -> None:
    path = tmp_path / "requests.csv"
    first = run_json("simulate", *DESIGN, "--trace", str(trace), "--requests-out", str(path))
    again = run_json("simulate", *DESIGN, "--trace", str(path))
    assert first["latency_s"] == again["latency_s"]


def test_a_folder_of_results_can_be_run_again(tmp_path: Path) -> None:
    out, again = tmp_path / "a" / "out", tmp_path / "again"
    words = ("simulate", *DESIGN, *SMALL, "--seeds", "2")
    assert run(*words, "--out", str(out)).exit_code == 0
    result = run("simulate", str(out / "scenario.toml"), "--out", str(again))
    assert result.exit_code == 0, result.stderr
    names = {path.name for path in out.iterdir()}
    assert names == {path.name for path in again.iterdir()}
    for name in names - {"result.json"}:
        assert (out / name).read_bytes() == (again / name).read_bytes(), name
    first, second = ((one / "result.json").read_text() for one in (out, again))
    assert untimed(first) == untimed(second)


def test_an_empty_cache_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_cold", lambda **_: True)
    told = "compiling the simulator (once, about 15 s)\n"
    assert run("simulate", *DESIGN, *SMALL).stderr == told
    assert run("simulate", *DESIGN, *SMALL, "--quiet").stderr == ""


def test_slos_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "slo.toml"
    path.write_text("[ttft]\n'p99.9' = { value = 2, unit = 's' }\n")
    words = ("simulate", *DESIGN, *SMALL, "--slo", str(path))
    [target] = run_json(*words)["slo"]["targets"]
    assert (target["percentile"], target["unit"]) == (99.9, "s")
    shown = run(*words).stdout
    assert "one SLO" in shown
    assert "P99.9" in shown


def test_goodput_is_a_target_like_the_others(tmp_path: Path) -> None:
    path = tmp_path / "slo.toml"
    path.write_text(
        "[[attainment]]\nshare = { value = 90, unit = '%' }\n"
        "ttft = { value = 2, unit = 's' }\ntbt = { value = 0.1, unit = 's' }\n"
    )
    words = ("simulate", *DESIGN, *SMALL, "--slo", str(path))
    [target] = run_json(*words)["slo"]["targets"]
    assert (target["metric"], target["percentile"]) == ("goodput", 90.0)
    assert [limit["metric"] for limit in target["joint_limits"]] == ["ttft", "tbt"]
    assert "90 % goodput" in run(*words).stdout


@pytest.mark.parametrize("more", [(), ("--seeds", "2"), ("--stop-when-missed", "--rate", "40")])
def test_a_folder_of_results_has_a_page_with_figures(tmp_path: Path, more: tuple[str, ...]) -> None:
    assert run("simulate", *DESIGN, *SMALL, *more, "--out", str(tmp_path)).exit_code == 0
    written = {path.name for path in tmp_path.iterdir()}
    tables = {"result.json", "scenario.toml", "report.md", "report.html", "requests.csv"}
    figures = {"latencies", "utilisation", "batches"}
    assert written == tables | {f"figure-{n}.{kind}" for n in figures for kind in ("svg", "png")}
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for name in figures:
        assert f'data-figure="{name}"' in page
    assert "measured / limit" in page or "--stop-when-missed" in more
