from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from commands import run, run_json
from reference import PERF_MODEL, azure_trace, needs_reference

from splitwise_plan.facts.catalog import Catalog, Kind


def test_the_catalog_lists_what_there_is() -> None:
    kinds = run_json("catalog", "list")["kinds"]
    assert "dgx-h100" in kinds["machines"]
    assert "splitwise-hhcap" in kinds["families"]
    assert list(run_json("catalog", "list", "llms")["kinds"]) == ["llms"]


NAMES = sorted({name for kind in get_args(Kind) for name in Catalog().list(kind)})


@pytest.mark.parametrize("name", NAMES)
def test_every_number_is_shown_with_unit_source_and_file(name: str) -> None:
    files = run_json("catalog", "show", name)["files"]
    shown = run("catalog", "show", name, COLUMNS="400").stdout
    assert files
    for file in files:
        assert file["path"].startswith(("hardware/", "workloads/"))
        assert f"{file['path']}\n" in shown
        for fact in file["facts"]:
            assert fact["value"] in shown
            if fact["value"].replace(",", "").replace(".", "").isdigit():
                assert fact["unit"], fact
                assert fact["source"], fact


def test_a_price_says_of_what_it_is() -> None:
    [file] = run_json("catalog", "show", "splitwisesim")["files"][:1]
    assert file["kind"] == "prices"
    units = {fact["unit"] for fact in file["facts"] if fact["fact"].endswith("on-demand")}
    assert units == {"USD/h per GPU"}


def test_an_attainment_is_shown_fact_by_fact(tmp_path: Path) -> None:
    (tmp_path / "slos").mkdir()
    contract = Path(__file__).parents[1] / "examples" / "own-facts" / "contract.toml"
    (tmp_path / "slos" / "ours.toml").write_bytes(contract.read_bytes())
    [file] = run_json("catalog", "show", "ours", "--hardware", str(tmp_path))["files"]
    facts = {fact["fact"]: fact for fact in file["facts"]}
    assert facts["attainment.1.share"]["unit"] == "%"
    assert facts["attainment.1.tbt"]["source"] == "contract, section 5"


def test_assumptions_are_shown_with_their_reasons() -> None:
    [file] = run_json("catalog", "show", "measured")["files"]
    facts = {fact["fact"]: fact for fact in file["facts"]}
    assert facts["memory"]["value"] == "reserve_whole"
    assert "it can always run" in facts["memory"]["source"]


def test_an_assumed_value_says_so() -> None:
    assert "assumed: rated power less 8 x GPU TDP" in run(
        "catalog", "show", "dgx-h100", COLUMNS="200"
    ).stdout.replace("\n", " ")


def test_facts_of_the_users_own_come_first(tmp_path: Path) -> None:
    (tmp_path / "machines").mkdir()
    ours = Path(__file__).parents[1] / "hardware" / "machines" / "dgx-h100.toml"
    text = ours.read_text().replace("value = 38,", "value = 19,")
    (tmp_path / "machines" / "dgx-h100.toml").write_text(text)
    words = ("catalog", "show", "dgx-h100", "--hardware", str(tmp_path))
    [file] = run_json(*words)["files"]
    assert file["hides"] == "hardware/machines/dgx-h100.toml"
    assert {fact["fact"]: fact["value"] for fact in file["facts"]}["cost"] == "19"
    design = run_json(
        *("simulate", "--family", "baseline-h100", "--machines", "2", "--rate", "1"),
        *("--duration", "150", "--horizon", "window", "--hardware", str(tmp_path)),
    )["design"]
    assert design["cost_usd_per_hour"] == 38.0


def test_a_workload_is_described() -> None:
    document = run_json("trace", "describe", "coding")
    assert document["prompt_tokens"]["p50"] == pytest.approx(1469, rel=0.01)
    assert document["rate_rps"] is None


@needs_reference
def test_a_trace_is_described() -> None:
    document = run_json("trace", "describe", str(azure_trace("coding")))
    assert document["requests"] == 8819
    assert document["rate_rps"] == pytest.approx(2.566, rel=0.001)
    statistics = {"mean": 27.88, "p50": 13, "p90": 55, "p99": 251.46, "max": 1899}
    assert document["output_tokens"] == pytest.approx(statistics, rel=0.001)


def test_a_trace_of_one_request_has_no_rate(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("arrival_s,prompt_tokens,output_tokens\n3,10,5\n")
    document = run_json("trace", "describe", str(path))
    assert (document["rate_rps"], document["correlation"]) == (None, None)
    assert run("trace", "describe", str(path)).exit_code == 0


def test_a_profile_is_shown() -> None:
    document = run_json("profile", "show", "dgx-h100", "bloom-176b")
    assert document["curves"]["prompt_time"]["x"][0] == 128
    assert document["tensor_parallel"] == 8
    shown = run("profile", "show", "dgx-h100", "bloom-176b").stdout
    assert "48.3" in shown


def test_recorded_accuracy_is_shown() -> None:
    rows = run_json("profile", "show", "dgx-h100", "bloom-176b", "--validate")["accuracy"]
    assert {row["model"] for row in rows} == {"measured", "splitwisesim"}


@needs_reference
def test_accuracy_is_measured_anew() -> None:
    words = ("profile", "show", "dgx-h100", "bloom-176b", "--validate")
    recorded = run_json(*words)["accuracy"]
    anew = run_json(*words, "--measurements", str(PERF_MODEL))["accuracy"]
    for one, other in zip(recorded, anew, strict=True):
        assert one["mean_percent"] == pytest.approx(other["mean_percent"], abs=0.01)


@pytest.mark.parametrize("format_", ["csv", "markdown"])
@pytest.mark.parametrize(
    "words",
    [
        ("catalog", "list"),
        ("catalog", "show", "dgx-a100__bloom-176b"),
        ("profile", "show", "dgx-h100-cap70", "llama2-70b"),
        ("trace", "describe", "conversation"),
    ],
    ids=" ".join,
)
def test_other_formats(words: tuple[str, ...], format_: str) -> None:
    result = run(*words, "--format", format_)
    assert result.exit_code == 0
    assert result.stdout
