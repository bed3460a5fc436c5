from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commands import DESIGN, SMALL, run

from splitwise_plan.cli import exits
from splitwise_plan.errors import InputError, OutputError, Problem

BASELINE = ("--family", "baseline-a100")
SPLIT = ("--family", "splitwise-hh")

BAD = {
    # simulate: which design?
    "no family": (("simulate",), "--family: is missing"),
    "two families": (("simulate", "--family", "splitwise-hh,splitwise-aa"), "2 families are given"),
    "unknown family": (("simulate", "--family", "splitwise-h"), "did you mean 'splitwise-hh'?"),
    "no counts": (("simulate", *SPLIT), "needs --prompt-machines and --token-machines"),
    "no baseline count": (("simulate", *BASELINE), "--machines: is missing"),
    "machines of a split": (("simulate", *DESIGN, "--machines", "3"), "splitwise-hh has two pools"),
    "pools of a baseline": (
        ("simulate", *BASELINE, "--machines", "3", "--token-machines", "1"),
        "--token-machines: baseline-a100 has one pool (use --machines)",
    ),
    "zero machines": (("simulate", *BASELINE, "--machines", "0"), "at least 1, not '0'"),
    "negative machines": (("simulate", *BASELINE, "--machines", "-1"), "at least 1, not '-1'"),
    "a range to simulate": (("simulate", *BASELINE, "--machines", "1:5"), "not '1:5'"),
    "half a machine": (("simulate", *BASELINE, "--machines", "1.5"), "must be a whole number"),
    "too many machines": (("simulate", *BASELINE, "--machines", "20000"), "of 1 to 10,000"),
    "a huge number": (("simulate", *BASELINE, "--machines", "9" * 5000), "--machines: "),
    # the load
    "rate is text": (("simulate", *DESIGN, "--rate", "fast"), "--rate: 'fast' is not a number"),
    "rate is nan": (("simulate", *DESIGN, "--rate", "nan"), "must be a finite number"),
    "rate is infinite": (("simulate", *DESIGN, "--rate", "inf"), "must be a finite number"),
    "rate is zero": (("simulate", *DESIGN, "--rate", "0"), "must be above 0"),
    "rate is negative": (("simulate", *DESIGN, "--rate", "-5"), "must be above 0"),
    "rate is huge": (("simulate", *DESIGN, "--rate", "1e308"), "at most 1,000,000"),
    "rate in watts": (("simulate", *DESIGN, "--rate", "70 W"), "unit 'W' is not one of rate"),
    "duration is zero": (
        ("simulate", *DESIGN, "--duration", "0", "--horizon", "window"),
        "must be above 0",
    ),
    "too many requests": (
        ("simulate", *DESIGN, "--rate", "1e6", "--duration", "1e7", "--horizon", "window"),
        "rate x duration is",
    ),
    "seed is text": (("simulate", *DESIGN, "--seed", "x"), "--seed: must be a whole number"),
    "seed is negative": (("simulate", *DESIGN, "--seed", "-1"), "--seed: "),
    "no seeds": (("simulate", *DESIGN, "--seeds", "0"), "--seeds: "),
    "unknown workload": (("simulate", *DESIGN, "--workload", "codin"), "did you mean 'coding'?"),
    "empty workload": (("simulate", *DESIGN, "--workload", ""), "workload is empty"),
    "no such trace": (("simulate", *DESIGN, "--trace", "no.csv"), "no such file"),
    "trace is a folder": (("simulate", *DESIGN, "--trace", "."), "is a folder"),
    "trace out of order": (("simulate", *DESIGN, "--trace", "order.csv"), "order.csv:3: "),
    "trace and workload": (
        ("simulate", *DESIGN, "--trace", "good.csv", "--workload", "coding"),
        "keep one of them",
    ),
    # the model
    "unknown llm": (("simulate", *DESIGN, "--llm", "bloom"), "did you mean 'bloom-176b'?"),
    "unknown assumptions": (("simulate", *DESIGN, "--assumptions", "measurd"), "'measured'?"),
    "unknown slo": (("simulate", *DESIGN, "--slo", "splitwse"), "did you mean 'splitwise'?"),
    "no such slo file": (("simulate", *DESIGN, "--slo", "no.toml"), "no such file"),
    "odd tensor parallel": (("simulate", *DESIGN, "--tensor-parallel", "3"), "does not divide"),
    "no such hardware": (("simulate", *DESIGN, "--hardware", "nowhere"), "no such folder"),
    # scenarios
    "no such scenario": (("simulate", "no.toml"), "no.toml: no such file"),
    "scenario is a folder": (("search", "."), "is a folder"),
    "scenario is not TOML": (("search", "broken.toml"), "broken.toml:1: not TOML"),
    "unknown key": (("search", "unknown.toml"), "unknown.toml:2: unknown key ratee"),
    "six families to simulate": (("simulate", "range.toml"), "the scenario has 2 families"),
    "a range in the scenario": (
        ("simulate", "range.toml", "--family", "splitwise-hh"),
        "--prompt-machines: is missing: the scenario has a range, 1 to 3",
    ),
    "a rate to be searched": (("simulate", *DESIGN, "budget.toml"), "--rate: is missing"),
    # search
    "empty family": (("search", "--families", "splitwise-hh,"), "holds an empty name"),
    "family twice": (("search", "--families", "splitwise-hh,splitwise-hh"), "is listed twice"),
    "range backwards": (("search", "--prompt-machines", "5:1"), "the smaller count first"),
    "range from zero": (("search", "--prompt-machines", "0:5"), "must begin at 1"),
    "range is text": (("search", "--machines", "few"), "must be a count such as 27"),
    "useless range": (("search", *SPLIT, "--machines", "3"), "no family with one pool"),
    "budget alone": (("search", "--power-budget", "40 kW"), "needs maximize = 'throughput'"),
    "no budget": (("search", "--maximize", "throughput"), "maximize needs a budget"),
    "budget without unit": (
        ("search", "--maximize", "throughput", "--power-budget", "40"),
        "such as '40xdgx-h100'",
    ),
    "budget in dollars": (
        ("search", "--maximize", "throughput", "--power-budget", "40 USD/h"),
        "unit 'USD/h' is not one of power",
    ),
    "rate to be searched": (
        ("search", "budget.toml", "--maximize", "throughput", "--rate", "1"),
        "--rate: rate and maximize are both given (keep one of them)",
    ),
    "objective": (("search", "--minimize", "costs"), "did you mean 'cost'?"),
    # output
    "format": (("simulate", *DESIGN, "--format", "jsn"), "did you mean 'json'?"),
    "no jobs": (("simulate", *DESIGN, "--jobs", "0"), "--jobs: must be a whole number"),
    "out is a file": (("simulate", *DESIGN, "--out", "good.csv"), "--out: "),
    "requests-out is a folder": (("simulate", *DESIGN, "--requests-out", "."), "is a folder"),
    "requests-out in no folder": (
        ("simulate", *DESIGN, "--requests-out", "no/where.csv"),
        "is not a folder (make it first)",
    ),
    # other commands
    "unknown command": (("simulat",), "Did you mean 'simulate'?"),
    "unknown flag": (("simulate", "--famly", "x"), "No such option: --famly"),
    "flag without value": (("simulate", "--family"), "requires an argument"),
    "no profile": (("profile", "show", "dgx-h100", "bloom-176b", "--tp", "1"), "has no profile at"),
    "unknown machine": (("profile", "show", "dgx", "bloom-176b"), "unknown machine 'dgx'"),
    "measurements unused": (
        ("profile", "show", "dgx-h100", "bloom-176b", "--measurements", "x.csv"),
        "has no effect without --validate",
    ),
    "no measurements": (
        ("profile", "show", "dgx-h100", "bloom-176b", "--validate", "--measurements", "x.csv"),
        "x.csv: no such file",
    ),
    "unknown kind": (("catalog", "list", "machine"), "did you mean 'machines'?"),
    "unknown id": (("catalog", "show", "dgx-h10"), "did you mean 'dgx-h100'?"),
    "neither file nor workload": (("trace", "describe", "codin"), "did you mean 'coding'?"),
    "no such trace to describe": (("trace", "describe", "no.csv"), "no.csv: no such file"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with files good and bad."""
    header = "arrival_s,prompt_tokens,output_tokens\n"
    files = {
        "good.csv": header + "0,10,5\n1,10,5\n",
        "order.csv": header + "1,10,5\n0.5,10,5\n",
        "broken.toml": "rate = \n",
        "unknown.toml": "rate = 70\nratee = 70\n",
        "range.toml": "rate = 2\nfamilies = ['splitwise-hh', 'splitwise-aa']\n"
        "prompt_machines = '1:3'\ntoken_machines = 1\n",
        "budget.toml": "maximize = 'throughput'\npower_budget = '40xdgx-h100'\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_and_nothing_is_written(case: str, folder: Path) -> None:
    words, told = BAD[case]
    before = sorted(folder.iterdir())
    result = run(*words)
    assert result.exit_code == exits.BAD_INPUT
    assert told in result.stderr
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert sorted(folder.iterdir()) == before


def test_everything_wrong_is_told_at_once(folder: Path) -> None:
    result = run(
        *("simulate", "--family", "baseline-a100", "--prompt-machines", "3", "--rate", "fast"),
        *("--llm", "bloom", "--seed", "-1", "--format", "xml", "--out", "good.csv"),
    )
    lines = result.stderr.splitlines()
    assert lines[0] == "error: 7 problems in the input"
    flags = {"--rate", "--prompt-machines", "--machines", "--out", "--format", "--seed", "--llm"}
    assert {line.split(":")[0] for line in lines[1:]} == flags


def test_one_problem_is_singular() -> None:
    assert run("simulate").stderr.startswith("error: 1 problem in the input\n")


def _raise(error: BaseException) -> int:
    raise error


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (InputError([Problem("f.toml", "is odd", "fix it", 3)]), 2, "f.toml:3: is odd (fix it)\n"),
        (InputError([Problem("a\nb\x1b", "x")]), 2, "a\\nb\\x1b: x\n"),
        (OutputError("x was not written"), 2, "error: x was not written\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (BrokenPipeError(), 0, ""),
        (ZeroDivisionError("by zero"), 1, "ZeroDivisionError: by zero; --debug shows where\n"),
        (MemoryError(), 2, "error: not enough memory: ask for less at once\n"),
        (OSError(28, "No space left", "x.csv"), 2, "error: x.csv: No space left\n"),
    ],
)
def test_exceptions_become_exit_codes(
    error: BaseException,
    code: int,
    told: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exits, "silence_stdout", lambda: None)
    assert exits.exit_code(lambda: _raise(error), debug=False) == code
    shown = capfd.readouterr()
    assert told in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_a_crash_shows_its_traceback_only_on_demand(capfd: pytest.CaptureFixture[str]) -> None:
    assert exits.exit_code(lambda: _raise(KeyError("k")), debug=True) == exits.CRASH
    assert "Traceback" in capfd.readouterr().err


def _process(*words: str, **streams: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "splitwise_plan", *words]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **streams)  # type: ignore[call-overload,no-any-return]


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = _process("catalog", "list", stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, told = process.communicate()
    assert (process.returncode, told) == (0, b"")


def test_a_full_disk_is_told_without_a_traceback() -> None:
    full = Path("/dev/full")
    if not full.is_char_device():
        pytest.skip("this system has no /dev/full")
    with full.open("w") as stream:
        process = _process("catalog", "list", stdout=stream.fileno())
        _, told = process.communicate()
    assert process.returncode == exits.BAD_INPUT
    assert told == b"error: stdout was not written: No space left on device\n"


def test_a_results_file_that_cannot_be_written_is_told(folder: Path) -> None:
    if not Path("/dev/full").is_char_device():
        pytest.skip("this system has no /dev/full")
    result = run("simulate", *DESIGN, *SMALL, "--requests-out", "/dev/full")
    assert result.exit_code == exits.BAD_INPUT
    assert "was not written" in result.stderr


def test_files_that_are_read_are_not_written_over(tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text("rate = 5\nfamilies = ['splitwise-hh']\n", encoding="utf-8")
    trace = tmp_path / "t.csv"
    trace.write_text("arrival_s,prompt_tokens,output_tokens\n0,100,5\n", encoding="utf-8")
    pools = ("--prompt-machines", "2", "--token-machines", "2")
    into = run("simulate", str(scenario), *pools, "--out", str(tmp_path))
    over = run(
        *("simulate", "--family", "splitwise-hh", *pools),
        *("--trace", str(trace), "--requests-out", str(trace)),
    )
    for result in (into, over):
        assert result.exit_code == 2
        assert "this run" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scenario.toml", "t.csv"]


def test_a_folder_of_facts_that_holds_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "machine").mkdir()
    result = run("search", "--hardware", str(tmp_path))
    assert result.exit_code == 2
    assert "did you mean 'machines'" in result.stderr
    assert "no facts in it" in result.stderr


def test_seeds_of_a_replayed_trace_are_refused(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("arrival_s,prompt_tokens,output_tokens\n0,100,5\n", encoding="utf-8")
    pools = ("--family", "splitwise-hh", "--prompt-machines", "2", "--token-machines", "2")
    result = run("simulate", *pools, "--trace", str(trace), "--seeds", "3")
    assert result.exit_code == 2
    assert "a trace replays its own requests" in result.stderr
