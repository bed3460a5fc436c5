from __future__ import annotations

import csv
import io
import json
from math import inf, nan
from pathlib import Path
from typing import TextIO

import pytest
from outcomes import (
    MEETS,
    UNFINISHED,
    design,
    details,
    family_result,
    paper_answer,
    scenario,
    search_result,
)

from splitwise_plan.errors import OutputError
from splitwise_plan.questions.search import report as searching
from splitwise_plan.questions.simulate import report as simulation
from splitwise_plan.report.files import file_problem, folder_problem, text_writer, write_file
from splitwise_plan.report.formats import csvfmt, jsonfmt

ASKED = scenario()
HH = design(ASKED, "splitwise-hh", 24, 4)
TIMING = {"load_s": 0.1, "compile_s": 0.0, "simulate_s": 0.2}

SIMULATION_KEYS = {
    *("schema", "provenance", "assumptions", "design", "requests", "throughput_rps", "latency_s"),
    *("slowdown", "slo", "pools", "mixed", "energy", "timing"),
}
DESIGN_KEYS = {
    *("family", "prompt_machine", "token_machine", "prompt_machines", "token_machines"),
    *("machines", "cost_usd_per_hour", "provisioned_power_w"),
}


def test_the_simulation_document_has_every_promised_key() -> None:
    document = jsonfmt.simulation(ASKED, details(ASKED, HH), TIMING)
    assert document["schema"] == "splitwise-plan/simulation/1"
    assert document.keys() >= SIMULATION_KEYS
    assert document["design"].keys() >= DESIGN_KEYS
    assert document["requests"].keys() == {"arrived", "finished", "unfinished", "rejected"}
    for metric in ("ttft", "tbt", "e2e"):
        assert list(document["latency_s"][metric]) == ["mean", "p50", "p90", "p99"]
        assert document["slowdown"][metric].keys() >= {"p50", "p90", "p99"}
    targets = document["slo"]["targets"]
    assert len(targets) == 9
    keys = {"metric", "percentile", "limit", "value", "margin", "met"}
    assert all(target.keys() >= keys for target in targets)
    assert all(pool.keys() >= {"pool", "machines", "utilisation"} for pool in document["pools"])
    assert document["mixed"] == {"moves": 14, "requests": 1}
    assert document["energy"].keys() == {"average_power_w", "wh_per_request"}
    assert document["timing"] == TIMING


def test_a_baseline_has_its_machines_as_prompt_machines() -> None:
    document = jsonfmt.design(ASKED, design(ASKED, "baseline-h100", 58))
    assert (document["prompt_machines"], document["token_machines"]) == (58, 0)
    assert document["token_machine"] is None


def test_the_search_document_has_every_promised_key() -> None:
    document = jsonfmt.search(ASKED, paper_answer(ASKED), TIMING)
    assert document["schema"] == "splitwise-plan/search/1"
    keys = {"schema", "provenance", "objective", "best", "families", "pareto", "timing"}
    assert document.keys() >= keys
    assert document["best"].keys() >= {"design", "throughput_rps", "slo"}
    assert document["timing"]["simulations"] == 1234
    first = document["families"][0]
    assert first.keys() >= {"family", "status", "best", "ties", "certificate"}
    assert [tie["prompt_machines"] for tie in first["ties"]] == [25, 23]
    keys = {"space", "better_simulated", "better_excluded", "exact", "seeds"}
    assert first["certificate"].keys() >= keys
    assert first["certificate"]["better_excluded"] == 97
    assert [family["status"] for family in document["families"]] == ["meets", "meets", "misses"]
    assert document["families"][2]["best"] is None


def test_the_front_leaves_out_what_is_beaten_in_every_way() -> None:
    pareto = jsonfmt.search(ASKED, paper_answer(ASKED), TIMING)["pareto"]
    assert [one["family"] for one in pareto] == ["splitwise-hh"] * 3
    assert [one["prompt_machines"] for one in pareto] == [24, 25, 23], "the best, then its ties"


def test_the_front_holds_what_trades_cost_for_power() -> None:
    ha, hh = design(ASKED, "splitwise-ha", 24, 10), design(ASKED, "splitwise-hh", 24, 4)
    cap = design(ASKED, "splitwise-hhcap", 24, 4)
    found = search_result(
        ASKED, *(family_result(ASKED, details(ASKED, one)) for one in (ha, hh, cap))
    )
    pareto = jsonfmt.search(ASKED, found, TIMING)["pareto"]
    assert [one["family"] for one in pareto] == ["splitwise-hhcap"]
    more = search_result(
        ASKED,
        family_result(ASKED, details(ASKED, hh)),
        family_result(ASKED, details(ASKED, design(ASKED, "splitwise-hhcap", 23, 6))),
    )
    both = jsonfmt.search(ASKED, more, TIMING)["pareto"]
    assert [one["family"] for one in both] == ["splitwise-hh", "splitwise-hhcap"]


@pytest.mark.parametrize(("undecided", "status"), [(0, "misses"), (1, "undecided")])
def test_the_status_of_a_family_without_a_best(undecided: int, status: str) -> None:
    near = details(ASKED, HH, "misses", UNFINISHED)
    family = family_result(ASKED, None, closest=near, undecided=undecided)
    document = jsonfmt.search(ASKED, search_result(ASKED, family), TIMING)
    assert document["families"][0]["status"] == status
    assert document["best"] is None


def test_numbers_that_are_not_finite_are_null() -> None:
    text = jsonfmt.dumps({"a": [nan, inf, (-inf, 1.5)], "b": {"c": nan}})
    assert json.loads(text) == {"a": [None, None, [None, 1.5]], "b": {"c": None}}
    document = jsonfmt.simulation(ASKED, details(ASKED, HH, "misses", UNFINISHED), TIMING)
    assert json.loads(jsonfmt.dumps(document))["slo"]["targets"][2]["value"] is None


def test_met_is_what_stays_within_the_limit_over_all_seeds() -> None:
    near = (*MEETS[:3], 1.249, *MEETS[4:])
    document = jsonfmt.simulation(ASKED, details(ASKED, HH, "undecided", MEETS, near), TIMING)
    target = document["slo"]["targets"][3]
    assert target["low"] < target["value"] < target["limit"] < target["high"]
    assert target["met"] is False


def test_provenance_says_what_is_needed_to_get_the_result_again() -> None:
    provenance = jsonfmt.simulation(ASKED, details(ASKED, HH), TIMING)["provenance"]
    keys = {"version", "python", "numpy", "numba", "seed", "seeds", "scenario_sha256", "sources"}
    assert provenance.keys() >= keys
    assert all(len(source["sha256"]) == 64 for source in provenance["sources"])


def test_every_format_names_the_assumptions() -> None:
    asked = scenario(assumptions="splitwisesim")
    one = details(asked, design(asked, "splitwise-hh", 24, 4))
    report = simulation.report(asked, one, TIMING)
    for format_ in ("table", "json", "csv", "markdown"):
        assert "splitwisesim" in report.text(format_), format_
    assert '"provisioned_power_paper_units": 1232.0' in report.text("json")
    found = searching.report(asked, paper_answer(asked), TIMING)
    for format_ in ("table", "json", "csv", "markdown"):
        assert "splitwisesim" in found.text(format_), format_


def test_search_rows_are_bests_ties_and_the_closest() -> None:
    text = searching.report(ASKED, paper_answer(ASKED), TIMING).text("csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["role"] for row in rows] == ["best", "tie", "tie", "best", "closest"]
    assert rows[0]["tbt_p50_slowdown"] == "1.21"
    assert rows[1]["tbt_p50_slowdown"] == ""
    assert rows[4]["verdict"] == "misses"


def test_simulation_rows_carry_units_and_limits() -> None:
    text = simulation.report(ASKED, details(ASKED, HH), TIMING).text("csv")
    assert "\nlatency,tbt_p50,0.25,s,,\n" in text
    assert "\nslo,tbt_p50,1.21,slowdown,1.25,true\n" in text


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("@sum", "'@sum"),
        ("-x", "'-x"),
        ("plain", "plain"),
        (-1.5, "-1.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (inf, ""),
        (nan, ""),
        (None, ""),
        (True, "true"),
        (7, "7"),
    ],
)
def test_csv_cells(value: csvfmt.Value, cell: str) -> None:
    assert csvfmt.cell(value) == cell


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_file(path, text_writer("first"))
    write_file(path, text_writer("second"))
    assert path.read_text() == "second"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")

    def fail(stream: TextIO) -> None:
        stream.write("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="No space left"):
        write_file(path, fail)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to(target)
    write_file(link, text_writer("new"))
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_not_replaced() -> None:
    write_file(Path("/dev/null"), text_writer("gone"))
    assert Path("/dev/null").is_char_device()


def test_places_that_cannot_be_written_are_found_before(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert file_problem("--requests-out", tmp_path)
    assert file_problem("--requests-out", tmp_path / "no" / "file.csv")
    assert file_problem("--requests-out", tmp_path / "new.csv") is None
    assert folder_problem("--out", file)
    assert folder_problem("--out", file / "below")
    assert folder_problem("--out", tmp_path / "new" / "folder") is None
