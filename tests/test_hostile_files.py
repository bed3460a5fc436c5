"""Files made to hurt: without end, wrong in every line, nested, packed, in another encoding."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import DESIGN, SMALL, run

from splitwise_plan.errors import MAX_TOLD, InputError
from splitwise_plan.facts import text
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.files import parse_toml
from splitwise_plan.facts.tables import PROFILE_COLUMNS, parse_lengths, parse_profile
from splitwise_plan.facts.toml_lines import MOST_PARTS, key_lines
from splitwise_plan.facts.traces import benchmark, profile_csv, stream
from splitwise_plan.facts.traces import read as traces
from splitwise_plan.scenario.load import load_scenario

Reader = Callable[[bytes], Any]

OURS = "arrival_s,prompt_tokens,output_tokens\n"
MEASURED = (
    "model,hardware,tensor_parallel,prompt_size,batch_size,token_size,prompt_time,token_time\n"
)
LENGTHS = "prompt_tokens,output_tokens,count\n"


def told(call: Callable[[], Any]) -> list[str]:
    with pytest.raises(InputError) as caught:
        call()
    return [str(problem) for problem in caught.value.problems]


def lengths(data: bytes) -> Any:
    return parse_lengths(text.decode(data, "f"), "f")


def profile(data: bytes) -> Any:
    return parse_profile(text.decode(data, "f"), "f", "m", "l")


READERS: dict[str, tuple[Reader, str]] = {
    "trace": (lambda data: traces.parse_trace(data, "f").requests, OURS + "0,5,5\n1,5,5\n"),
    "measurements": (
        lambda data: profile_csv.parse_measurements(data, "f"),
        MEASURED + "m,h,8,512,1,128,50,30\n",
    ),
    "lengths": (lengths, LENGTHS + "5,5,1\n"),
    "scenario": (lambda data: parse_toml(text.decode(data, "f"), "f").data, "rate = 3\nseed = 2\n"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_byte_order_mark_and_other_line_ends_change_nothing(name: str) -> None:
    read, content = READERS[name]
    plain = repr(read(content.encode()))
    assert repr(read(content.encode("utf-8-sig"))) == plain
    assert repr(read(content.replace("\n", "\r\n").encode())) == plain


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
@pytest.mark.parametrize("name", READERS)
def test_other_encodings_are_told(name: str, encoding: str) -> None:
    read, content = READERS[name]
    [problem] = told(lambda: read((content + "é" * (encoding == "latin-1")).encode(encoding)))
    assert "is not UTF-8 text" in problem


@pytest.mark.parametrize("name", ["measurements", "lengths", "scenario"])
def test_what_unpacks_to_more_than_there_is_room_for(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "MOST_BYTES", 2 * text.MIB)
    read, content = READERS[name]
    bomb = gzip.compress(content.encode() + b"\n" * 3 * text.MIB)
    assert told(lambda: read(bomb)) == [
        "f: the unpacked file has more than 2 MiB (is it the right file? else make it smaller)"
    ]


def test_a_trace_of_one_endless_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MOST_OF_A_LINE", text.MIB)
    bomb = gzip.compress(OURS.encode() + b"0" * 2 * text.MIB)
    [problem] = told(lambda: traces.parse_trace(bomb, "f"))
    assert problem.startswith("f:2: the line has more than 1 MiB")


def test_a_document_of_more_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from splitwise_plan.facts.traces import json_rows

    monkeypatch.setattr(json_rows, "MOST_BYTES", 1000)
    [problem] = told(lambda: traces.parse_trace(b"{\n" + b'"a": [1,\n' * 200, "f"))
    assert problem.startswith("f: the document has more than")


@pytest.mark.parametrize("where", [("--slo", "f.toml"), ("--prices", "f.toml"), ("f.toml",)])
def test_a_file_without_end(
    where: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.toml").symlink_to("/dev/zero")
    result = run("simulate", *DESIGN, *SMALL, *where)
    assert result.exit_code == 2
    assert "the file has more than 256 MiB" in result.stderr


WRONG: dict[str, tuple[Reader, str, str]] = {
    "trace": (READERS["trace"][0], OURS, "x,y,z\n"),
    "measurements": (READERS["measurements"][0], MEASURED, "m,h,x,x,x,x,x,x\n"),
    "lengths": (lengths, LENGTHS, "x,y,z\n"),
    "profile": (profile, ",".join(PROFILE_COLUMNS) + "\n", "x,y,z,w,1\n"),
}


@pytest.mark.parametrize("name", WRONG)
def test_of_many_problems_the_first_are_told_and_the_others_counted(name: str) -> None:
    read, header, row = WRONG[name]
    problems = told(lambda: read((header + row * 20_000).encode()))
    assert len(problems) == MAX_TOLD + 1
    assert problems[0].startswith("f:2: ")
    assert " more problems like these" in problems[-1]
    counted = int(problems[-1].split("and ")[1].split(" more")[0].replace(",", ""))
    assert (counted + MAX_TOLD) % 20_000 == 0


def test_many_wrong_keys_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("".join(f"k{i} = 1\n" for i in range(5000)))
    problems = told(lambda: load_scenario(Catalog(), path))
    assert [one.split(":")[1] for one in problems] == [*map(str, range(1, 21)), "20"]
    assert problems[-1].endswith("and 4,980 more problems like these")


def test_many_wrong_requests_of_a_benchmark() -> None:
    lines = '{"metadata": {"request_start_ns": 1}, "metrics": {"a": 1}}\n' * 500
    assert len(told(lambda: benchmark.parse_load_results(lines.encode(), "f"))) <= MAX_TOLD + 1


DEEP = ".".join(["a"] * 200_000)


@pytest.mark.parametrize(
    "content",
    [f"{DEEP} = 1", f"[{DEEP}]", f"x = {{ {DEEP} = 1 }}", "'a'." * 200_000 + "b = 1"],
    ids=["key", "table", "inline", "quoted"],
)
def test_dotted_keys_without_end(content: str) -> None:
    assert told(lambda: parse_toml(content, "s.toml")) == [
        "s.toml: is nested too deeply (flatten it)"
    ]


def test_dots_that_are_no_keys_are_fine() -> None:
    dots = "." * (2 * MOST_PARTS)
    data = parse_toml(f"# {dots}\nx = [{'1.5, ' * 300}]\n", "s.toml").data
    assert len(data["x"]) == 300


def test_lines_of_keys_behind_long_values() -> None:
    """Found in time that grows with the length of a line, not with its square."""
    content = f"x = [{'1,' * 300_000}]\ny = '''\nq = 1\n'''\nz = \"]]#\" # [\nlast = 1\n"
    lines = key_lines(content)
    assert [lines[name,] for name in ("x", "y", "z", "last")] == [1, 2, 5, 6]
    assert ("q",) not in lines


@pytest.mark.parametrize(
    ("flags", "flag"),
    [
        (("--process", "mmpp", "--burst-length", "1e-300"), "--burst-length"),
        (("--process", "diurnal", "--period", "1e-7", "--duration", "10"), "--period"),
        (("--process", "piecewise", "--pieces", "1e-7:5", "--duration", "10"), "--pieces"),
    ],
    ids=["mmpp", "diurnal", "piecewise"],
)
def test_rates_that_change_without_end(flags: tuple[str, ...], flag: str) -> None:
    rate = () if "piecewise" in flags else ("--rate", "5")
    result = run("trace", "generate", *flags, *rate)
    assert result.exit_code == 2
    assert f"{flag}: the rate changes too often" in result.stderr


def test_a_folder_that_holds_everything_is_no_folder_of_facts() -> None:
    result = run("simulate", *DESIGN, *SMALL, "--hardware", "/")
    assert result.exit_code == 2
    assert "no kind of fact is kept in a folder 'usr'" in result.stderr
