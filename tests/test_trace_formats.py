"""Every trace format, good and broken: requests, or a named error; never a traceback."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_files import DROPPED, EXPECTED, GOOD, GUIDELLM, VLLM, aiperf, lines, mooncake

from splitwise_plan.errors import InputError
from splitwise_plan.facts.traces import csv_rows
from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.formats.registry import IDS, PLAIN
from splitwise_plan.facts.traces.read import TraceRead, parse_trace
from splitwise_plan.facts.traces.recognise import ReadAs

OURS = "arrival_s,prompt_tokens,output_tokens\n"


def read(text: str | bytes, **read_as: Any) -> TraceRead:
    data = text.encode() if isinstance(text, str) else text
    return parse_trace(data, "t", ReadAs(**read_as))


def told(text: str | bytes, **read_as: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(text, **read_as)
    return str(caught.value)


def test_every_format_has_a_file_here() -> None:
    assert {*GOOD, PLAIN} == set(IDS)


@pytest.mark.parametrize("format_", GOOD)
@pytest.mark.parametrize("packed", [False, True])
def test_a_format_is_recognised_and_read(format_: str, packed: bool) -> None:
    data = GOOD[format_].encode()
    found = read(gzip.compress(data) if packed else data)
    arrival, prompt, output = EXPECTED
    assert found.requests.arrival_s == pytest.approx(arrival, abs=1e-6)
    assert found.requests.prompt_tokens.tolist() == prompt
    assert found.requests.output_tokens.tolist() == output
    account = found.trace.account
    assert found.trace.format.id == format_
    assert account.kept == 3
    assert account.read == 3 + DROPPED.get(format_, 0)
    assert sum(one.rows for one in account.dropped.values()) == DROPPED.get(format_, 0)


@pytest.mark.parametrize("format_", GOOD)
def test_a_format_may_be_told(format_: str) -> None:
    assert read(GOOD[format_], format=format_).trace.account.kept == 3
    other = "vidur" if format_ != "vidur" else "azure"
    assert "is missing" in told(GOOD["splitwise-plan"], format=other)


def test_text_and_json_are_not_taken_for_each_other() -> None:
    assert "is not mooncake: it is a table" in told(GOOD["vidur"], format="mooncake")
    assert "is not azure: it is JSON" in told(GOOD["mooncake"], format="azure")


def test_dates_with_and_without_fractions_are_mixed() -> None:
    rows = ["2024-05-10 00:00:00.009930+00:00", "2024-05-12 00:00:00+00:00", "2024-05-12T00:00:01Z"]
    text = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n" + "".join(f"{r},1,1\r\n" for r in rows)
    found = read(text.removesuffix("\r\n"))
    assert found.requests.arrival_s == pytest.approx([0, 172799.99007, 172800.99007], abs=1e-9)
    assert found.trace.clock.start_ns == 1715299200009930000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # tables
        ("TIMESTAMP,ContextTokens\n2024-05-12,1\n", "t:1: column GeneratedTokens is missing"),
        ("a,b\n1,2\n", "t:1: unknown columns 'a,b' (needs arrival_s,prompt_tokens,output_tokens;"),
        (OURS.replace("_s,", "_s,arrival_s,") + "0,0,1,1\n", "t:1: column arrival_s is there more"),
        (OURS + "0,1,1\n1700000000,1,1\n", ""),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n1700000000,1,1\n", "t:2: TIMESTAMP '17"),
        (OURS + '0,1,"1\n', "t:2: not a CSV file: unexpected end of data"),
        (OURS + "0,1,1\r1,1,1\n", "not a CSV file"),
        # JSON
        ('{"a": 1}\n', "t:1: JSON of no known format, with a"),
        ("[]", "JSON of no known format"),
        ("[[1]]", "JSON of no known format"),
        ("{", "t:1: not JSON"),
        ('{"a":\n1,\n}', "t:3: not JSON"),
        ("[" * 5000, "nested too deeply"),
        (lines(mooncake(0, 1, 1)) + "{bad\n" + lines(mooncake(1, 1, 1)), "t:2: not JSON"),
        (lines(mooncake(0, 1, 1), {"delay": 5}), "t:2: timestamp '' is not a finite number"),
        (lines(mooncake(0, 1, 1), mooncake(1, 0, 1)), "t:2: input_length 0 is below 1"),
        (lines({**mooncake(0, 1, 1), "output_length": True}), "output_length 'true' is not"),
        (lines({**mooncake(0, 1, 1), "output_length": [1]}), "output_length '[1]' is not a finite"),
        (lines({**mooncake(0, 1, 1), "output_length": 10**400}), "is not a finite number"),
        (lines(mooncake(5, 1, 1), mooncake(4, 1, 1)), "t:2: timestamp 4 is earlier than the row"),
        (lines(aiperf(5, None, 1)), "t:1: input_sequence_length '' is not a finite number"),
        (json.dumps({**VLLM, "start_times": None}), "has no start_times: nothing is known of its"),
        (json.dumps({**VLLM, "input_lens": [1]}), "arrays are not of one length: start_times 4"),
        (json.dumps(VLLM) + "\n" + json.dumps(VLLM), "t:2: a second document begins here"),
        (
            json.dumps({"benchmarks": GUIDELLM["benchmarks"] * 2}),  # type: ignore[operator]
            "has 2 benchmarks, each with a load of its own",
        ),
        ('{"benchmarks": [{"metrics": {}}]}', "has no requests"),
        ('[{"benchmarks": []}]', "has no requests"),
        ('[{"start_time": 1, "end_time": 2, "info": null}]', "request 1: input_tokens ''"),
        # nothing is left
        (GOOD["burstgpt"].replace(",5,", ",0,").replace(",1,", ",0,").replace(",2,", ",0,"),
         "none of its requests can be used: 4 of 4 requests left out: no response tokens"),
        (lines(aiperf(5, 1, 1, error={})), "none of its requests can be used: 1 of 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(text: str, expected: str) -> None:
    if expected:
        assert expected in told(text)
    else:
        assert len(read(text).requests) == 2


def test_a_table_of_ones_own() -> None:
    names = Names("sent", "in", "out")
    header = "id,sent,in,out\n"
    dated = read(
        header + "1,2024-05-12 00:00:00,100,5\n2,2024-05-12 00:00:00.5,7,2\n", columns=names
    )
    assert dated.requests.arrival_s.tolist() == [0, 0.5]
    numbers = header + "1,0,100,5\n2,500,7,2\n"
    assert "sent '0' is a number without a unit" in told(numbers, columns=names)
    in_ms = read(numbers, columns=names, time_unit="ms")
    assert in_ms.requests.arrival_s.tolist() == [0, 0.5]
    told_by_name = read(numbers.replace("sent", "sent_ms"), columns=Names("sent_ms", "in", "out"))
    assert told_by_name.requests.arrival_s.tolist() == [0, 0.5]
    assert "did you mean 'sent'" in told(numbers, columns=Names("sen", "in", "out"))


def test_quoted_cells_over_several_lines_keep_the_line_numbers_right() -> None:
    text = 'arrival_s,prompt,prompt_tokens,output_tokens\n0,"a\nb",1,1\n\n1,c,0,1\n'
    assert told(text).startswith("t:5: prompt_tokens 0 is below 1")


def test_units_that_change_are_named() -> None:
    rows = "".join(f"{at},10,1\n" for at in range(100, 200))
    assert "t:102: arrival_s jumps to 199500" in told(OURS + rows + "199500,10,1\n")
    back = told(OURS + "".join(f"{at}000,10,1\n" for at in range(100, 200)) + "200,10,1\n")
    assert "t:102: arrival_s 200 is earlier" in back
    assert "in milliseconds and others in seconds?" in back
    clock = "".join(f"17000000{at},10,1\n" for at in range(10, 40)) + "1700000050000,10,1\n"
    assert "t:32: arrival_s jumps to 1700000050000" in told(OURS + clock)
    assert "has no effect: TIMESTAMP" in told(GOOD["azure"], time_unit="ms")


def test_a_sparse_trace_has_no_change_of_unit() -> None:
    rows = "".join(f"{at * 40_000},10,1\n" for at in range(50))
    assert len(read(OURS + "5,10,1\n" + rows.removeprefix("0,10,1\n")).requests) == 50


def test_stamps_that_may_be_no_times_are_noted() -> None:
    counting = read(OURS + "".join(f"{at},10,1\n" for at in range(20)))
    assert "is it a row number" in counting.trace.account.told[0]
    slow = read(OURS + "".join(f"{at * 123 + at % 7},10,1\n" for at in range(20)))
    assert "--time-unit ms" in slow.trace.account.told[0]
    usual = read(OURS + "".join(f"{at * 1.5},10,1\n" for at in range(20)))
    assert usual.trace.account.told == ()


def test_unsorted_rows_are_an_error_or_sorted_on_demand() -> None:
    text = OURS + "5,1,1\n3,2,2\n3,3,3\n9,4,4\n"
    assert told(text).count("is earlier than the row before") == 2
    found = read(text, sort=True)
    assert found.requests.arrival_s.tolist() == [3, 3, 5, 9]
    assert found.requests.prompt_tokens.tolist() == [2, 3, 1, 4]
    assert found.trace.account.told == (
        "sorted by arrival: 2 of 4 requests stood after a later one (first: line 3)",
    )
    assert found.trace.account.remarks[0].startswith("1 request arrives at the same time")


def test_too_many_rows_to_sort_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splitwise_plan.facts.traces.order.MAX_SORTED", 3)
    text = OURS + "5,1,1\n3,2,2\n3,3,3\n9,4,4\n"
    assert "more than 3 requests cannot be sorted in memory (sort the file" in told(text, sort=True)


def test_bad_rows_are_dropped_on_demand_and_counted() -> None:
    text = OURS + "0,1,1\n1,0,5\nx,1,1\n2,3\n3,0,1\n4,2,2\n"
    assert len(told(text).splitlines()) == 4
    account = read(text, drop_bad=True).trace.account
    assert (account.read, account.kept) == (6, 2)
    assert {why: (one.rows, one.first) for why, one in account.dropped.items()} == {
        "prompt_tokens is below 1": (2, 3),
        "arrival_s is not a number": (1, 4),
        "too few columns": (1, 5),
    }
    assert "none of its requests can be used" in told(OURS + "0,0,0\n", drop_bad=True)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_chunks_change_nothing(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "CHUNK", size)
    for format_ in ("azure", "burstgpt", "splitwise-plan"):
        found = read(GOOD[format_])
        assert found.requests.arrival_s == pytest.approx(EXPECTED[0])
        assert found.trace.account.remarks[0].startswith("1 request arrives at the same time")
    assert "t:5: arrival_s 1 is earlier" in told(OURS + "0,1,1\n2,1,1\n3,1,1\n1,1,1\n")


def parquet(table: dict[str, Any]) -> bytes:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table(table), stream)
    return stream.getvalue()


def test_parquet_is_read_by_its_columns() -> None:
    stamps = np.array(["2024-05-12T00:00:00", "2024-05-12T00:00:00.5"], dtype="datetime64[us]")
    azure = {
        "TIMESTAMP": stamps,
        "ContextTokens": [100, 7],
        "GeneratedTokens": [5, 2],
        "x": ["", "b"],
    }
    found = read(parquet(azure))
    assert found.trace.format.id == "azure"
    assert found.requests.arrival_s.tolist() == [0, 0.5]
    assert found.requests.output_tokens.tolist() == [5, 2]
    texts = read(parquet(azure | {"TIMESTAMP": [f"{one}" for one in stamps]}))
    assert texts.requests.arrival_s.tolist() == [0, 0.5]
    ours = {"arrival_s": [0.0, 1.0], "prompt_tokens": [1, 0], "output_tokens": [1, None]}
    wrong = told(parquet(ours))
    assert "t: row 2: prompt_tokens 0.0 is below 1" in wrong
    assert "t: row 2: output_tokens 'nan' is not a finite number" in wrong
    assert "unknown columns" in told(parquet({"a": [1]}))
    assert "not a Parquet file" in told(parquet(ours)[:40])


def test_the_sha256_is_that_of_the_file() -> None:
    table = parquet({"arrival_s": [0.0], "prompt_tokens": [1], "output_tokens": [1]})
    texts = [text.encode() for text in GOOD.values()]
    for data in (table, *texts, *map(gzip.compress, texts)):
        assert read(data).trace.sha256 == hashlib.sha256(data).hexdigest()


def survives(data: bytes, **read_as: Any) -> None:
    try:
        found = parse_trace(data, "t", ReadAs(**read_as))
    except InputError as error:
        problems = error.problems
    else:
        problems = ()
        usable(found)
    assert all(one.where and one.what for one in problems)


def usable(found: TraceRead) -> None:
    requests = found.requests
    assert len(requests) == found.trace.account.kept > 0
    assert np.all(np.diff(requests.arrival_s) >= 0)
    assert np.all(np.isfinite(requests.arrival_s))
    assert requests.arrival_s[0] >= 0
    assert np.all(requests.prompt_tokens >= 1)
    assert np.all(requests.output_tokens >= 1)
    dropped = sum(one.rows for one in found.trace.account.dropped.values())
    assert found.trace.account.read == found.trace.account.kept + dropped


reading = st.fixed_dictionaries(
    {"drop_bad": st.booleans(), "sort": st.booleans()},
    optional={"time_unit": st.sampled_from(["s", "ms", "ns"])},
)


@pytest.mark.parametrize("format_", GOOD)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_damaged_files_give_requests_or_a_named_error(format_: str, data: st.DataObject) -> None:
    text = GOOD[format_]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        inserted = data.draw(st.text(alphabet='0-1e9.,"{}[]:\n\r\0né+TZ', max_size=4))
        text = text[:at] + inserted + text[at + data.draw(st.integers(0, 6)) :]
    packed = data.draw(st.booleans())
    raw = text.encode()
    raw = gzip.compress(raw)[: data.draw(st.integers(1, 4000))] if packed else raw
    survives(raw, **data.draw(reading))


@pytest.mark.parametrize("format_", [one for one in GOOD if GOOD[one][0] in "{["])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_json_of_any_values_gives_requests_or_a_named_error(
    format_: str, data: st.DataObject
) -> None:
    odd = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
        max_leaves=4,
    )

    def replaced(value: Any) -> Any:
        if data.draw(st.integers(0, 9)) == 0:
            return data.draw(odd)
        if isinstance(value, dict):
            return {key: replaced(inner) for key, inner in value.items()}
        return [replaced(inner) for inner in value] if isinstance(value, list) else value

    text = GOOD[format_]
    whole = format_ in ("vllm-bench", "guidellm", "inference-perf")
    values = [json.loads(text)] if whole else [json.loads(line) for line in text.splitlines()]
    survives(lines(*map(replaced, values)).encode(), **data.draw(reading))


@given(st.binary(max_size=80), reading)
@settings(max_examples=100, deadline=None)
def test_parquet_of_any_bytes_gives_a_named_error(data: bytes, read_as: dict[str, Any]) -> None:
    survives(b"PAR1" + data + b"PAR1", **read_as)
