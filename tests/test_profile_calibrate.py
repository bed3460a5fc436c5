"""Factors that are known are found again, whichever program wrote the results."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import benchmark_files as files
import numpy as np
import pytest
from commands import run, run_json
from hypothesis import given, settings
from hypothesis import strategies as st

from splitwise_plan.data.profile.calibration import calibrate
from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.load_results import LoadResults
from splitwise_plan.facts.traces.benchmark import parse_load_results
from splitwise_plan.models.scaling import Factors

TRUE = Factors(1.2, 0.8)


@cache
def truth(rate_rps: float = 4.0, factors: Factors = TRUE, instances: int = 1) -> LoadResults:
    requests = files.drawn(rate_rps, 60)
    return files.measured(requests, files.server(instances=instances), factors)


@pytest.mark.parametrize("program", files.WRITERS)
def test_every_format_is_read_as_it_was_measured(program: str) -> None:
    results = truth()
    read = parse_load_results(files.WRITERS[program](results).encode(), "results")
    assert read.source == program
    assert len(read.requests) == len(results.requests)
    assert read.requests.arrival_s == pytest.approx(results.requests.arrival_s, abs=2e-6)
    assert np.array_equal(read.requests.output_tokens, results.requests.output_tokens)
    for name in ("ttft_s", "e2e_s"):
        assert getattr(read, name) == pytest.approx(getattr(results, name), rel=1e-6)


@pytest.mark.parametrize("factors", [Factors(1.3, 0.8), Factors(0.8, 1.4)], ids=str)
def test_known_factors_are_found(factors: Factors) -> None:
    found = calibrate(truth(4.0, factors), files.server())
    assert found.factors.prompt == pytest.approx(factors.prompt, rel=0.03)
    assert found.factors.token == pytest.approx(factors.token, rel=0.02)
    assert found.error < 0.02 < found.error_before


def test_a_constant_overhead_is_found_where_it_is_asked_for() -> None:
    factors = Factors(1.2, 1.1, 0.02)
    found = calibrate(truth(4.0, factors), files.server(), overhead=True)
    assert found.factors.overhead_s == pytest.approx(0.02, rel=0.1)
    assert found.error < 0.03


def test_a_true_profile_is_left_as_it_is() -> None:
    found = calibrate(truth(4.0, Factors()), files.server())
    assert found.factors.prompt == pytest.approx(1.0, rel=0.01)
    assert found.factors.token == pytest.approx(1.0, rel=0.01)
    assert found.error_before == 0.0


def test_several_instances_behind_one_address() -> None:
    found = calibrate(truth(8.0, TRUE, 2), files.server(instances=2))
    assert found.factors.token == pytest.approx(TRUE.token, rel=0.03)


def test_the_calibrated_profile_is_kept(tmp_path: Path) -> None:
    path, folder = tmp_path / "result.json", tmp_path / "facts"
    path.write_text(files.vllm(truth()))
    words = ("--machine", "dgx-h100", "--llm", "llama-3.1-70b", "--to", str(folder))
    document = run_json("profile", "calibrate", str(path), *words)
    factors = document["factors"]
    assert factors["prompt"] == pytest.approx(TRUE.prompt, rel=0.03)
    assert {one["metric"] for one in document["percentiles"]} == {"ttft", "tbt", "e2e"}
    for one in document["percentiles"]:
        assert one["after_s"] == pytest.approx(one["measured_s"], rel=0.05)
    before = Catalog().profile("dgx-h100", "llama-3.1-70b", 8)
    after = Catalog((folder,)).profile("dgx-h100", "llama-3.1-70b", 8)
    assert after.prompt_time.y == pytest.approx(factors["prompt"] * before.prompt_time.y)
    assert after.token_power.y == pytest.approx(before.token_power.y)
    again = run("profile", "calibrate", str(path), *words)
    assert again.exit_code == 2
    assert "already" in again.stderr


def test_failures_are_left_out_and_told(tmp_path: Path) -> None:
    document = json.loads(files.vllm(truth()))
    document["errors"][3] = "timeout"
    document["output_lens"][7] = 0
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document))
    words = ("profile", "calibrate", str(path), "--machine", "dgx-h100", "--llm", "llama-3.1-70b")
    assert "1 failed, 1 no output tokens, a failure" in " ".join(run(*words).stdout.split())


def vllm_with(**changed: object) -> str:
    return json.dumps({**json.loads(files.vllm(truth())), **changed})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("[1, 2", "not JSON"),
        ("{}", "no result with latencies of single requests"),
        (vllm_with(start_times=None), "has no start_times"),
        (vllm_with(ttfts=[0.1]), "not of one length"),
        (vllm_with(itls=None), "has no latencies of single requests"),
        (vllm_with(ttfts=["x", *truth().ttft_s[1:]]), "request 1: ttft_s is None, not a number"),
        (vllm_with(ttfts=[-1.0] * len(truth().requests)), "the first token after -1 s"),
        (vllm_with(errors=["e"] * len(truth().requests)), "0 requests finished"),
        ('{"benchmarks": []}', "nothing is known of its single requests"),
    ],
    ids=[
        *("empty", "json", "other", "no starts", "lengths", "no gaps", "text", "negative"),
        *("failed", "none"),
    ],
)
def test_broken_results_are_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "result.json"
    path.write_text(text)
    words = ("profile", "calibrate", str(path), "--machine", "dgx-h100", "--llm", "llama-3.1-70b")
    result = run(*words)
    assert result.exit_code == 2
    assert told in result.stderr


def test_requests_that_do_not_fit_are_told(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    many = [2_000_000] * len(truth().requests)
    path.write_text(vllm_with(input_lens=many))
    words = ("profile", "calibrate", str(path), "--machine", "dgx-h100", "--llm", "llama-3.1-70b")
    assert "do not fit into 8 GPUs of dgx-h100" in run(*words).stderr


KEYS = (
    *("benchmarks", "requests", "successful", "metrics", "metadata", "info", "error", "errors"),
    *("start_times", "input_lens", "output_lens", "ttfts", "itls", "start_time", "end_time"),
    *("output_token_times", "value", "unit"),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=25,
)


@settings(deadline=None, max_examples=300)
@given(document=JSON)
def test_any_document_is_read_or_refused(document: object) -> None:
    with pytest.raises(InputError):
        parse_load_results(json.dumps(document).encode(), "fuzz")


@settings(deadline=None, max_examples=100)
@given(data=st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        parse_load_results(data, "fuzz")
