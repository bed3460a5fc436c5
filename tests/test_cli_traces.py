"""`trace import`, `trace describe` and `trace generate` from the outside."""

from __future__ import annotations

import gzip
import json
from bisect import bisect_left
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

import pytest
from commands import DESIGN, run, run_json
from reference import azure_trace, needs_reference
from trace_files import EXPECTED, GOOD, aiperf, lines

from splitwise_plan.facts.traces.read import read_trace

OURS = "arrival_s,prompt_tokens,output_tokens\n"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


@needs_reference
@pytest.mark.parametrize(("workload", "count"), [("coding", 8819), ("conversation", 19366)])
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_the_azure_traces_import_whole(workload: str, count: int, ending: str) -> None:
    to = f"out.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    document = run_json("trace", "import", str(azure_trace(workload)), "--to", to)
    assert document["rows"] == {"read": count, "kept": count, "dropped": []}
    assert document["source"]["format"] == "azure"
    original, written = (read_trace(path).requests for path in (azure_trace(workload), Path(to)))
    for name in ("arrival_s", "prompt_tokens", "output_tokens"):
        assert getattr(original, name).tolist() == getattr(written, name).tolist()


@pytest.mark.parametrize("format_", GOOD)
def test_every_format_imports_and_is_taken_wherever_a_trace_is(format_: str) -> None:
    trace = write("trace.txt", GOOD[format_])
    assert run("trace", "import", trace, "--to", "t.csv").exit_code == 0
    written = read_trace(Path("t.csv")).requests
    assert written.arrival_s == pytest.approx(EXPECTED[0], abs=1e-6)
    described = run_json("trace", "describe", trace)
    assert described["requests"] == 3
    simulated = run_json("simulate", *DESIGN, "--trace", trace)
    assert simulated["requests"]["arrived"] == 3


def test_what_is_left_out_is_told_by_every_report() -> None:
    trace = write("b.csv", GOOD["burstgpt"])
    told = "1 of 4 requests left out: no response tokens, a failure (first: line 3)"
    imported = run("trace", "import", trace).stdout
    assert "3 of 4 requests kept" in imported
    assert "no response tokens, a failure         1  line 3" in imported
    for words in (("trace", "describe", trace), ("simulate", *DESIGN, "--trace", trace)):
        assert told in " ".join(run(*words).stdout.split())
    document = run_json("simulate", *DESIGN, "--trace", trace)
    assert document["scenario"]["trace_notes"] == [told]


def test_the_report_names_format_unit_and_first_request() -> None:
    trace = write("a.jsonl", GOOD["aiperf"])
    document = run_json("trace", "import", trace, "--to", "t.csv")
    assert document["time_unit"] == "ns"
    assert document["first_request"] == "2023-11-14 22:13:20 UTC"
    assert document["to"] == "t.csv"
    assert len(document["source"]["sha256"]) == 64
    assert document["notes"][0].startswith("sorted by arrival: 1 of 3 requests stood after")
    rows = run("trace", "import", trace, "--format", "csv").stdout.splitlines()
    assert rows == ["what,requests,first", "read,4,", "kept,3,", "left out: failed,1,3"]


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown format": (("x.csv", "--from", "azur"), "--from: 'azur' is not known (did you mean"),
    "csv without columns": (("x.csv", "--from", "csv"), "--columns: is missing"),
    "columns of a known format": (
        ("x.csv", "--from", "azure", "--columns", "arrival=a,prompt=b,output=c"),
        "--columns: has no effect",
    ),
    "columns missing": (("x.csv", "--columns", "arrival=a,promt=b"), "did you mean 'prompt'?"),
    "columns twice": (("x.csv", "--columns", "arrival=a,arrival=b"), "arrival is given twice"),
    "unit": (("x.csv", "--time-unit", "min"), "--time-unit: 'min' is not known"),
    "unit of dates": (("azure.csv", "--time-unit", "ms"), "--time-unit: has no effect"),
    "ending": (("x.csv", "--to", "y.txt"), "--to: 'y.txt' has no known ending (use .csv"),
    "folder": (("x.csv", "--to", "no/y.csv"), "--to: no is not a folder"),
    "over itself": (("x.csv", "--to", "x.csv"), "--to: x.csv is read by this run"),
    "no file": (("no.csv",), "no.csv: no such file"),
    "bad row": (("bad.csv", "--to", "y.csv"), "bad.csv:3: prompt_tokens 0 is below 1"),
    "late bad row": (("late.csv", "--to", "y.csv"), "late.csv:70002: output_tokens 'x' is not"),
    "unsorted": (("unsorted.csv", "--to", "y.csv.gz"), "unsorted.csv:3: arrival_s 1 is earlier"),
    "nothing": (("none.csv", "--to", "y.csv"), "none.csv: has no requests"),
    "nothing kept": (
        ("bad0.csv", "--to", "y.csv", "--drop-bad-rows"),
        "bad0.csv: none of its requests can be used: 1 of 1 requests left out: prompt_tokens is",
    ),
    "milliseconds": (("ms.csv",), "are these milliseconds?"),
    "broken gzip": (("cut.csv.gz", "--to", "y.csv"), "cut.csv.gz: broken gzip file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_and_nothing_is_written(case: str) -> None:
    write("x.csv", OURS + "0,1,1\n")
    write("azure.csv", GOOD["azure"])
    write("bad.csv", OURS + "0,1,1\n1,0,1\n")
    write("bad0.csv", OURS + "1,0,1\n")
    write("late.csv", OURS + "".join(f"{at},1,1\n" for at in range(70_000)) + "70000,1,x\n")
    write("unsorted.csv", OURS + "2,1,1\n1,1,1\n")
    write("none.csv", OURS)
    write("ms.csv", OURS + "1700000000500,10,2\n")
    Path("cut.csv.gz").write_bytes(gzip.compress(GOOD["vidur"].encode() * 99)[:-9])
    before = sorted(Path().iterdir())
    words, told = BAD[case]
    result = run("trace", "import", *words)
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert sorted(Path().iterdir()) == before


def test_sorting_and_dropping_are_asked_for() -> None:
    write("t.csv", OURS + "2,1,1\n1,0,1\n1,3,1\n")
    words = ("trace", "import", "t.csv", "--to", "y.csv", "--sort", "--drop-bad-rows")
    document = run_json(*words)
    assert document["rows"]["dropped"] == [
        {"reason": "prompt_tokens is below 1", "rows": 1, "first": 3}
    ]
    assert Path("y.csv").read_text() == OURS + "1.0,3,1\n2.0,1,1\n"


def test_columns_of_ones_own_import() -> None:
    write("log.csv", "t;x\n".replace(";", ",") + "1,2\n")
    write("own.csv", "when,in,out,user\n100,5,6,a\n350,7,8,b\n")
    words = ("own.csv", "--columns", "arrival=when,prompt=in,output=out")
    assert "say --time-unit s, ms, us, ns" in run("trace", "import", *words).stderr
    done = run("trace", "import", *words, "--time-unit", "ms", "--to", "y.csv")
    assert done.exit_code == 0
    assert Path("y.csv").read_text() == OURS + "0.1,5,6\n0.35,7,8\n"
    assert run_json("trace", "describe", *words, "--time-unit", "ms")["requests"] == 2


def test_parquet_without_its_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    write("x.csv", OURS + "0,1,1\n")
    Path("x.parquet").write_bytes(b"PAR1....PAR1")
    for words in (("x.csv", "--to", "y.parquet"), ("x.parquet",)):
        result = run("trace", "import", *words)
        assert result.exit_code == 2
        assert "pip install 'splitwise-plan[parquet]'" in result.stderr


def test_a_description_in_full(tmp_path: Path) -> None:
    words = ("--process", "diurnal", "--rate", "0.05", "--duration", "2 d", "--to", "d.csv.gz")
    assert run("trace", "generate", *words).exit_code == 0
    shown = run("trace", "describe", "d.csv.gz", "--out", "out")
    assert shown.exit_code == 0
    for label in ("Format", "Burstiness", "Day", "busiest", "10 min"):
        assert label in shown.stdout
    names = {path.name for path in (tmp_path / "out").iterdir()}
    figures = {f"figure-trace-{one}" for one in ("rate", "lengths", "gaps", "day")}
    assert {f"{one}.{kind}" for one in figures for kind in ("svg", "png")} <= names
    assert {"report.html", "report.md", "result.json", "lengths.csv"} <= names
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    assert len(document["day_rate_rps"]) == 24
    assert document["day_rate_rps"][12] > document["day_rate_rps"][0]
    busiest = [one["length_s"] for one in document["busiest"]]
    assert busiest == [1, 60, 600, 3600]
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count('class="plot"') == 4


@needs_reference
def test_the_burstiness_of_a_real_trace() -> None:
    """Beside the same from the raw file, by other means."""
    path = azure_trace("conversation")
    document = run_json("trace", "describe", str(path))
    rows = gzip.decompress(path.read_bytes()).decode().split("\r\n")[1:]
    at = [datetime.fromisoformat(row.split(",")[0][:26]).timestamp() for row in rows]
    gaps = [later - earlier for earlier, later in pairwise(at)]
    assert document["gap_variation"] == pytest.approx(pstdev(gaps) / mean(gaps), rel=1e-6)
    most = max(bisect_left(at, one + 600) - number for number, one in enumerate(at))
    assert document["busiest"][2]["requests"] == most
    assert document["first_request"] == "2023-11-16 18:15:46 UTC"


def test_a_workload_has_no_times_to_read_or_draw() -> None:
    result = run("trace", "describe", "coding", "--sort", "--out", "x")
    assert "--sort: has no effect" in result.stderr
    assert "--out: has no effect" in result.stderr


def generated(*words: str) -> dict[str, Any]:
    return run_json("trace", "generate", "--to", "g.csv", *words)


def test_a_trace_is_generated_and_the_same_for_the_same_seed() -> None:
    generated("--rate", "50", "--seed", "3")
    first = Path("g.csv").read_bytes()
    generated("--rate", "50", "--seed", "3")
    assert Path("g.csv").read_bytes() == first
    generated("--rate", "50", "--seed", "4")
    assert Path("g.csv").read_bytes() != first
    coding = generated("--rate", "200", "--duration", "10 min")["prompt_tokens"]["p50"]
    assert coding == pytest.approx(1469, rel=0.02)
    talk = generated("--rate", "200", "--duration", "10 min", "--workload", "conversation")
    assert talk["prompt_tokens"]["p50"] == pytest.approx(1020, rel=0.02)


@pytest.mark.parametrize(
    "words",
    [
        ("gamma", "--burstiness", "4"),
        ("mmpp", "--burst-ratio", "8", "--burst-share", "0.2", "--burst-length", "5"),
        ("diurnal", "--amplitude", "0.9", "--period", "1 min"),
        ("spike", "--spike-start", "30", "--spike-length", "10 s", "--spike-ratio", "3"),
        ("piecewise", "--pieces", "20:1,40:9"),
    ],
    ids=lambda words: words[0],
)
def test_every_process_has_its_flags(words: tuple[str, ...]) -> None:
    rate = () if words[0] == "piecewise" else ("--rate", "20")
    document = generated("--process", *words, *rate)
    assert document["requests"] > 100
    assert read_trace(Path("g.csv")).trace.account.kept == document["requests"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--rate: is missing"),
        (("--rate", "x"), "--rate: 'x' is not a number"),
        (("--rate", "5 W"), "unit 'W' is not one of rate"),
        (("--rate", "1", "--process", "poison"), "--process: arrivals must be"),
        (("--rate", "1", "--burstiness", "2"), "--burstiness: burstiness needs arrivals"),
        (("--rate", "1", "--amplitude", "0.5"), "--period: diurnal needs arrivals = 'diurnal'"),
        (("--rate", "1", "--process", "diurnal", "--amplitude", "2"), "--amplitude: "),
        (("--rate", "1", "--process", "spike", "--spike-start", "1"), "spike.length is missing"),
        (("--rate", "1", "--process", "piecewise", "--pieces", "a"), "--pieces: 'a' is not"),
        (("--rate", "1", "--workload", "codin"), "did you mean 'coding'?"),
        (("--rate", "1", "--to", "x.json"), "--to: 'x.json' has no known ending"),
        (("--rate", "1", "--seed", "-1"), "--seed: must be a whole number of at least 0"),
    ],
)
def test_bad_flags_of_generate_are_told(words: tuple[str, ...], told: str) -> None:
    result = run("trace", "generate", *words)
    assert result.exit_code == 2
    assert told in result.stderr.replace("\n", " ")


def test_a_result_of_many_failures_says_so() -> None:
    rows = [aiperf(at, 10, 2, **({"error": {"code": 1}} if at % 2 else {})) for at in range(10)]
    document = run_json("trace", "import", write("r.jsonl", lines(*rows)))
    assert document["rows"]["dropped"] == [{"reason": "failed", "rows": 5, "first": 2}]
