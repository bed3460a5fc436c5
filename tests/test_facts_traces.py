"""Request traces: every format we know, and every way in which a file can be wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import REFERENCE, azure_trace, needs_reference

from splitwise_plan.errors import InputError
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.traces.read import parse_trace, read_trace

OURS = "arrival_s,prompt_tokens,output_tokens"


def survives(data: bytes) -> Requests | None:
    """Requests, or None if there were problems; anything else is raised."""
    try:
        return parse_trace(data, "t.csv").requests
    except InputError:
        return None


def problems(text: str | bytes) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(InputError) as caught:
        parse_trace(data, "t.csv")
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    "text",
    [
        f"{OURS}\n0,100,5\n0.5,200,1\n0.5,7,2\n",
        "request_id,arrival_timestamp,prompt_size,token_size\n0,0,100,5\n1,0.5,200,1\n2,0.5,7,2",
        "token_size,prompt_size,x,arrival_timestamp\r\n5,100,a,0\r\n1,200,b,0.5\r\n2,7,,5e-1\r\n",
        "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,100,5\r\n"
        "2023-11-16 18:17:04.4799600,200,1\r\n2023-11-16 18:17:04.4799600,7,2",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,100,5\n"
        "2024-05-10 00:00:00.509930+00:00,200,1\n2024-05-10T00:00:00.509930Z,7,2\n",
        "arrived_at,num_prefill_tokens,num_decode_tokens\n0,100.0,5\n0.5,200,1\n0.5,7,2\n",
        f'{OURS}\n\n"0",100,"5"\n0.5, 200 ,1\n\n0.5,7,2\n\n',
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_formats(text: str, packed: bool) -> None:
    data = gzip.compress(text.encode(), mtime=0) if packed else text.encode()
    requests = parse_trace(data, "t.csv").requests
    assert requests.arrival_s == pytest.approx([0, 0.5, 0.5], abs=1e-12)
    assert requests.prompt_tokens.tolist() == [100, 200, 7]
    assert requests.output_tokens.tolist() == [5, 1, 2]
    assert requests.prompt_tokens.dtype == np.int64


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("x,1,1", "arrival_s 'x' is not a finite number"),
        ("nan,1,1", "arrival_s 'nan' is not a finite number"),
        ("inf,1,1", "arrival_s 'inf' is not a finite number"),
        ("-1,1,1", "arrival_s -1 is negative"),
        ("0.5,1,1", "arrival_s 0.5 is earlier than the row before"),
        ("2,0,1", "prompt_tokens 0 is below 1"),
        ("2,-3,1", "prompt_tokens -3 is below 1"),
        ("2,1.5,1", "prompt_tokens 1.5 is not a whole number"),
        ("2,1,nan", "output_tokens 'nan' is not a finite number"),
        ("2,1,", "output_tokens '' is not a finite number"),
        ("2,1,1e8", "output_tokens 1e8 is more than 10,000,000"),
        ("2,1", "only 2 of at least 3 columns"),
    ],
)
def test_each_fault_is_told_with_its_line(row: str, told: str) -> None:
    found = problems(f"{OURS}\n1,5,5\n{row}\n")
    assert len(found) == 1
    assert found[0].startswith(f"t.csv:3: {told}")


def test_lines_count_blank_ones_and_all_faults_come_at_once() -> None:
    found = problems(f"{OURS}\n\n1,0,0\n\n-1,x,3\n")
    assert [line.split(": ")[0] for line in found] == ["t.csv:3", "t.csv:3", "t.csv:5", "t.csv:5"]


def test_many_faults_are_capped() -> None:
    found = problems(f"{OURS}\n" + "1,0,1\n" * 500)
    assert len(found) == 21
    assert "and 480 more problems" in found[-1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        (OURS, "no requests"),
        (f"{OURS}\n\n", "no requests"),
        ("arrival_s,prompt_tokens\n1,2\n", "column output_tokens is missing"),
        ("a,b,c\n1,2,3\n", "unknown columns"),
        (b"\x00\xff\xfe\x89PNG", "not UTF-8"),
        (b"\x1f\x8bgarbage", "broken gzip"),
        (gzip.compress(OURS.encode(), mtime=0)[:-4], "broken gzip"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\nyesterday,1,1\n", "is not a date and time"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03+05:30,1,1\n", "not a date"),
    ],
)
def test_unusable_files(text: str | bytes, told: str) -> None:
    assert told in problems(text)[0]


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    for path, told in [(tmp_path, "is a folder"), (tmp_path / "no.csv", "no such file")]:
        with pytest.raises(InputError, match=told):
            read_trace(path)


@given(st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_requests_or_problems(data: bytes) -> None:
    survives(data)


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["1", "0", "-1", "2.5", "nan", "1e99", "x", "", '"', '"1"', "1_0", "٣"]
            ),
            max_size=5,
        ).map(",".join),
        max_size=6,
    ),
    st.sampled_from([OURS, "TIMESTAMP,ContextTokens,GeneratedTokens"]),
)
@settings(max_examples=200, deadline=None)
def test_any_rows_give_valid_requests_or_problems(rows: list[str], header: str) -> None:
    requests = survives("\n".join([header, *rows]).encode())
    if requests is not None:
        assert len(requests)
        assert np.all(np.diff(requests.arrival_s) >= 0)
        assert np.all(requests.prompt_tokens >= 1)
        assert np.all(requests.output_tokens >= 1)


@pytest.mark.verify
def test_a_million_rows() -> None:
    rows = "".join(f"{i * 0.01:.2f},{i % 4000 + 1},{i % 300 + 1}\n" for i in range(1_000_000))
    requests = parse_trace(f"{OURS}\n{rows}".encode(), "t.csv").requests
    assert len(requests) == 1_000_000
    assert requests.arrival_s[-1] == 9_999.99
    assert int(requests.prompt_tokens.sum()) == 250 * sum(range(1, 4001))


@needs_reference
@pytest.mark.parametrize(
    ("workload", "count", "last_s"), [("coding", 8819, 3435.948), ("conversation", 19366, 3501.722)]
)
def test_azure_traces(workload: str, count: int, last_s: float) -> None:
    requests = read_trace(azure_trace(workload)).requests
    assert len(requests) == count
    assert requests.arrival_s[0] == 0
    assert requests.arrival_s[-1] == pytest.approx(last_s, abs=1e-3)


@needs_reference
def test_splitwisesim_traces() -> None:
    for path in sorted((REFERENCE / "splitwisesim" / "traces").glob("*.csv.gz")):
        requests = read_trace(path).requests
        assert len(requests) == gzip.decompress(path.read_bytes()).count(b"\n") - 1


def test_clock_times_start_at_the_first_request_and_milliseconds_are_told() -> None:
    seconds = parse_trace(
        f"{OURS}\n1700000000.5,10,2\n1700000002,10,2\n".encode(), "t.csv"
    ).requests
    assert list(seconds.arrival_s) == [0.0, 1.5]
    with pytest.raises(InputError, match="milliseconds"):
        parse_trace(f"{OURS}\n1700000000500,10,2\n".encode(), "t.csv")
