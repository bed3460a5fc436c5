"""The 65 runs of the reference data, simulated again by us."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from reference import REFERENCE
from scenes import Scene, scene

from splitwise_plan.facts.slo import METRICS
from splitwise_plan.sim.metrics import Latencies, latencies, percentile
from splitwise_plan.sim.verdict import target_results, verdict

REQUESTS = REFERENCE / "splitwisesim" / "requests"
PERCENTILES = (50, 90, 99)

CHOSEN = (
    "Splitwise-HH_1P1T_bloom-176b_rr_code_2_2min",
    "Baseline-A100_2P0T_llama2-70b_rr_conv_2_2min",
    "Baseline-H100_3P0T_bloom-176b_rr_code_4_2min",
    "Splitwise-HHcap_2P2T_bloom-176b_rr_conv_4_2min",
    "Splitwise-AA_55P15T_bloom-176b_rr_code_70_2min",
    "Splitwise-HA_30P17T_bloom-176b_rr_code_70_2min",
    "Splitwise-HH_27P3T_bloom-176b_rr_code_90_2min",
    "Splitwise-HH_25P15T_llama2-70b_rr_conv_100_2min",
)
"""Runs for every day: all families, both models, both workloads, one far beyond its limits."""


@dataclass(frozen=True)
class Reference:
    """A run of a reference, as its file has it."""

    assumptions: str
    facts: dict[str, Any]

    def scene(self) -> Scene:
        facts = self.facts
        return scene(
            facts["family"],
            facts["prompt_machines"],
            facts["token_machines"],
            trace=str(REFERENCE / "splitwisesim" / "traces" / facts["trace"]),
            llm=facts["llm"],
            assumptions=self.assumptions,
        )

    def percentiles(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """P50, P90 and P99 of TTFT, TBT and E2E, in seconds, then as slowdowns: (2, 3, 3)."""
        return np.array(
            [
                [[self.facts[unit][metric][f"p{q}"] for q in PERCENTILES] for metric in METRICS]
                for unit in ("latency_s", "slowdown")
            ]
        )


@cache
def references(assumptions: str) -> dict[str, Reference]:
    """By id; none where the reference data is not there."""
    path = REFERENCE / assumptions / "runs.json"
    runs = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    return {run["id"]: Reference(assumptions, run) for run in runs}


def our_percentiles(of: Latencies) -> np.ndarray[Any, np.dtype[np.float64]]:
    """As `Reference.percentiles`."""
    return np.array(
        [
            [[percentile(values[metric], q) for q in PERCENTILES] for metric in METRICS]
            for values in (of.seconds, of.slowdown)
        ]
    )


def assert_agrees(reference: Reference, within: float) -> Latencies:
    """Every percentile within a relative error, every request finished, the same verdict."""
    one = reference.scene()
    run = one.run()
    found = latencies(one.simulator, run)
    np.testing.assert_allclose(our_percentiles(found), reference.percentiles(), rtol=within)
    assert run.finished == len(one.requests) == reference.facts["requests"]
    results = target_results(one.simulator.scenario.slos, found)
    assert (
        verdict(run, results, found, one.simulator.scenario.arrivals) == "meets"
    ) == reference.facts["slo_met"]
    return found
