"""What the example of Qwen3-32B says of designs that were sized for means."""

from __future__ import annotations

import pytest
from commands import run_json
from reference import ROOT

SCENARIO = "examples/qwen3-32b-h200/scenario.toml"


@pytest.fixture(autouse=True)
def _at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_a_pool_for_both_phases_sized_for_means_misses_the_99th_percentile() -> None:
    document = run_json("simulate", SCENARIO, "--family", "shared-h200", "--machines", "6")
    assert document["slo"]["verdict"] == "misses"
    tbt = document["latency_s"]["tbt"]
    assert tbt["mean"] == pytest.approx(0.0251, abs=0.0005)
    assert tbt["mean"] < 0.030 < tbt["p99"]
    assert document["latency_s"]["ttft"]["p99"] < 1.0


def test_a_pool_for_each_phase_sized_for_means_meets_it() -> None:
    document = run_json(
        *("simulate", SCENARIO, "--family", "split-h200", "--tensor-parallel", "1"),
        *("--prompt-machines", "5", "--token-machines", "3"),
    )
    assert document["slo"]["verdict"] == "meets"
    assert document["latency_s"]["tbt"]["p99"] == pytest.approx(0.0247, abs=0.0005)
