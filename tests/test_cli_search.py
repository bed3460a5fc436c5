from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pytest
from commands import SMALL, run, run_json

HH = ("--families", "splitwise-hh", "--prompt-machines", "1:3", "--token-machines", "1:2")


def test_the_best_design_and_its_certificate() -> None:
    document = run_json("search", *HH, *SMALL)
    best = document["best"]
    assert best["slo"]["verdict"] == "meets"
    [family] = document["families"]
    assert family["status"] == "meets"
    assert family["best"] == best
    certificate = family["certificate"]
    assert certificate["space"] == 6
    better = certificate["better_simulated"] + certificate["better_excluded"]
    assert better < certificate["space"]


def test_the_first_screen_leads_on() -> None:
    result = run("search", *HH, *SMALL)
    assert result.exit_code == 0
    labels = [line.split()[0] for line in result.stdout.splitlines() if line[:1].strip()]
    assert labels == [
        *("Question", "Answer", "Proof", "Length", "Cost"),
        *("family", "Splitwise-HH", "Next"),
    ]
    command = next(line for line in result.stdout.splitlines() if line.startswith("Next"))
    words = shlex.split(command.removeprefix("Next").strip())
    assert words[:2] == ["splitwise-plan", "simulate"]
    again = run_json(*words[1:])
    best = run_json("search", *HH, *SMALL)["best"]
    assert again["design"] == best["design"]
    assert again["latency_s"] == best["latency_s"]


def test_families_may_be_given_either_way() -> None:
    commas = run_json("search", "--families", "splitwise-hh,splitwise-aa", *HH[2:], *SMALL)
    flags = ("--family", "splitwise-hh", "--family", "splitwise-aa")
    repeated = run_json("search", *flags, *HH[2:], *SMALL)
    assert [family["family"] for family in commas["families"]] == ["splitwise-hh", "splitwise-aa"]
    assert commas["best"] == repeated["best"]


@pytest.mark.parametrize("minimize", ["cost", "power", "machines"])
def test_objectives(minimize: str) -> None:
    document = run_json("search", *HH, *SMALL, "--minimize", minimize)
    assert document["objective"]["minimize"] == minimize


def test_no_design_that_meets_the_slos_is_exit_code_3() -> None:
    result = run("search", *HH, "--rate", "40", "--duration", "20", "--horizon", "window")
    assert result.exit_code == 3
    assert "no design of Splitwise-HH meets the SLOs" in result.stdout
    document = json.loads(run("search", *HH, "--rate", "40", "--format", "json").stdout)
    assert document["best"] is None
    assert document["families"][0]["status"] in ("misses", "unstable")


def test_results_do_not_depend_on_jobs() -> None:
    documents = [run_json("search", *HH, *SMALL, "--jobs", jobs) for jobs in ("1", "2")]
    for document in documents:
        del document["timing"]
    assert documents[0] == documents[1]


def test_a_folder_of_results_can_be_run_again(tmp_path: Path) -> None:
    out, again = tmp_path / "out", tmp_path / "again"
    first = run("search", *HH, *SMALL, "--out", str(out))
    assert f"the report is {out}/report.html" in first.stdout
    names = {"designs.csv", "report.md", "report.html", "result.json", "scenario.toml"}
    names |= {"requests.csv", "requests_summary.csv"}
    written = {path.name for path in out.iterdir()}
    assert names < written
    assert written - names == {path.name for path in out.glob("figure-*.[sp][vn]g")}
    assert run("search", str(out / "scenario.toml"), "--out", str(again)).exit_code == 0
    for name in names - {"result.json"}:
        assert (out / name).read_bytes() == (again / name).read_bytes(), name


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_folder_tells_how_requests_fared(tmp_path: Path) -> None:
    families = ("--families", "splitwise-hh,baseline-h100", "--machines", "1:6")
    run("search", *families, *HH[2:], *SMALL, "--out", str(tmp_path))
    document = json.loads((tmp_path / "result.json").read_text())
    summary = rows(tmp_path / "requests_summary.csv")
    assert len(summary) == 2 * 3 * 2
    for family in document["families"]:
        of = [row for row in summary if row["family"] == family["family"]]
        best = family["best"]
        for row in of:
            known = best["latency_s" if row["unit"] == "s" else "slowdown"][row["metric"]]
            for name in ("mean", "p50", "p90", "p99"):
                assert float(row[name]) == pytest.approx(known[name], rel=1e-12)
            assert int(row["arrived"]) == best["requests"]["arrived"]
            quantiles = [float(value) for name, value in row.items() if name[1:2].isdigit()]
            assert quantiles == sorted(quantiles)
    single = rows(tmp_path / "requests.csv")
    design = document["best"]["design"]
    simulated = tmp_path / "simulated.csv"
    assert design["family"] == "splitwise-hh"
    pools = ("prompt_machines", "token_machines")
    size = [f"--{name.replace('_', '-')}={design[name]}" for name in pools]
    words = ("simulate", "--family", "splitwise-hh", *size, *SMALL)
    assert run(*words, "--requests-out", str(simulated)).exit_code == 0
    assert rows(simulated) == single


@pytest.mark.parametrize("format_", ["csv", "markdown"])
def test_other_formats(format_: str) -> None:
    result = run("search", *HH, *SMALL, "--format", format_)
    assert result.exit_code == 0
    assert "splitwise-hh" in result.stdout.lower()


def test_nothing_but_results_on_stdout_and_nothing_on_stderr() -> None:
    result = run("search", *HH, *SMALL, "--format", "json")
    json.loads(result.stdout)
    assert result.stderr == ""


def test_the_largest_rate_within_a_budget() -> None:
    goal = ("--maximize", "throughput", "--cost-budget", "3xdgx-h100")
    window = ("--duration", "150", "--horizon", "window")
    words = ("search", "--families", "splitwise-hh", *window, *goal)
    document = run_json(*words)
    [family] = document["families"]
    assert family["rate_rps"] >= 1
    assert document["objective"]["maximize"] == "throughput"
    assert document["best"]["design"]["cost_usd_per_hour"] <= 3 * 38
    shown = run(*words).stdout
    assert "most requests/s within $114/h" in shown
    assert f"Answer      {family['rate_rps']:g} requests/s with Splitwise-HH" in shown
    assert f"--rate {family['rate_rps']:g}" in shown


def test_a_budget_too_small_for_any_design() -> None:
    words = ("--maximize", "throughput", "--power-budget", "1 kW")
    result = run("search", "--families", "splitwise-hh", *words)
    assert result.exit_code == 3
    assert "none fits into the budget" in result.stdout


SAMPLED = (*HH, *SMALL, "--method", "optuna", "--trials", "24")


def test_a_sampled_search_says_that_it_proves_nothing_and_goes_on_where_it_was(
    tmp_path: Path,
) -> None:
    first = run_json("search", *SAMPLED, "--study", str(tmp_path / "study.journal"))
    again = run_json("search", *SAMPLED, "--study", str(tmp_path / "study.journal"))
    exact = run_json("search", *HH, *SMALL)
    for document in (first, again):
        del document["timing"]
    assert first == again
    assert first["best"]["design"] == exact["best"]["design"]
    assert not first["families"][0]["certificate"]["exact"]
    assert "best found, not proven" in run("search", *SAMPLED, "--out", str(tmp_path)).stdout
    assert (tmp_path / "study.journal").exists()


def test_what_only_a_sampled_search_has_a_use_for_is_refused() -> None:
    result = run("search", *HH, *SMALL, "--study=here.journal")
    assert result.exit_code == 2
    assert "use --method optuna" in result.stderr


def test_a_scheduler_that_does_not_exist_is_told() -> None:
    result = run("search", *HH, *SMALL, "--dask", "nonsense://nowhere")
    assert result.exit_code == 2
    assert "--dask" in result.stderr


def test_a_front_in_every_format(tmp_path: Path) -> None:
    small = ("--prompt-machines", "1:2", "--token-machines", "1:2")
    asked = ("pareto", *HH, *small, "--duration", "150", "--horizon", "window")
    document = run_json(*asked)
    rates = [point["rate_rps"] for point in document["pareto"]]
    assert document["exact"]
    assert rates == sorted(rates)
    table = run(*asked, "--out", str(tmp_path)).stdout
    assert f"all {document['space']} designs looked at" in table
    assert {"pareto.csv", "report.html", "result.json"} <= {p.name for p in tmp_path.iterdir()}
    assert run("pareto", *HH, "--rate", "5").exit_code == 2
