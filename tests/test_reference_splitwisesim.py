"""The assumption set `splitwisesim` against runs of SplitwiseSim itself."""

from __future__ import annotations

import numpy as np
import pytest
from reference import needs_reference
from reference_runs import CHOSEN, REQUESTS, assert_agrees, references
from scenes import scene

from splitwise_plan.facts.slo import METRICS
from splitwise_plan.sim.metrics import latencies

EXACT = 1e-6
"""Profiles are kept to ten digits, and a wait is a difference of longer times."""
FAR_BEYOND_SATURATION = 0.035
"""SplitwiseSim leaves the order of events at one time to its heap; a backlog amplifies that."""

TIES = (
    "Splitwise-HH_35P5T_bloom-176b_rr_code_130_2min",
    "Splitwise-HH_20P3T_bloom-176b_rr_code_70_2min",
    "Baseline-H100_40P0T_bloom-176b_rr_code_130_2min",
)
"""The overloaded runs that differ in more than rounding."""


def within(run: str) -> float:
    return FAR_BEYOND_SATURATION if run in TIES else EXACT


@needs_reference
@pytest.mark.parametrize("run", CHOSEN)
def test_run(run: str) -> None:
    assert_agrees(references("splitwisesim")[run], within(run))


@needs_reference
@pytest.mark.verify
@pytest.mark.parametrize("run", references("splitwisesim"))
def test_every_run(run: str) -> None:
    assert_agrees(references("splitwisesim")[run], within(run))


@needs_reference
def test_only_overloaded_runs_are_given_room() -> None:
    runs = references("splitwisesim")
    assert len(runs) == 65
    assert all(runs[run].facts["overloaded"] for run in TIES)


@needs_reference
@pytest.mark.parametrize(
    "run", [path.name.removesuffix(".csv.gz") for path in sorted(REQUESTS.glob("*"))]
)
def test_every_request(run: str) -> None:
    theirs = np.genfromtxt(REQUESTS / f"{run}.csv.gz", delimiter=",", names=True)
    one = references("splitwisesim")[run].scene()
    ours = latencies(one.simulator, one.run())
    streaming = one.requests.output_tokens > 1
    for metric in METRICS:
        rows = streaming if metric == "tbt" else slice(None)
        np.testing.assert_allclose(
            ours.seconds[metric][rows], theirs[metric][rows], rtol=EXACT, err_msg=metric
        )


@pytest.mark.parametrize(
    ("family", "machines", "e2e_s", "ttft_s", "tbt_s"),
    [
        (
            "baseline-h100",
            (1, 0),
            (1.744743, 0.499255, 0.781873),
            (0.649598, 0.251964, 0.251964),
            (0.034223, 0.030911, 0.033119),
        ),
        (
            "splitwise-ha",
            (1, 1),
            (2.199226, 0.622873, 1.003019),
            (0.649598, 0.251964, 0.251964),
            (0.048426, 0.046364, 0.046941),
        ),
    ],
)
def test_its_published_example(
    family: str,
    machines: tuple[int, int],
    e2e_s: tuple[float, ...],
    ttft_s: tuple[float, ...],
    tbt_s: tuple[float, ...],
) -> None:
    """SplitwiseSim 8f99e7d, notebooks/example.ipynb, cells 7 and 14: its test trace, as printed."""
    rows = [(1.0, 4096, 32), (3.0, 2048, 8), (4.0, 2048, 16)]
    one = scene(family, *machines, rows, assumptions="splitwisesim")
    run = one.run()
    found = latencies(one.simulator, run).seconds
    np.testing.assert_allclose(found["e2e"], e2e_s, atol=1e-6)
    np.testing.assert_allclose(found["ttft"], ttft_s, atol=1e-6)
    np.testing.assert_allclose(found["tbt"], tbt_s, atol=1e-6)
    if family == "splitwise-ha":
        gib, kv_bytes = 1024.0**3, 4_014_080
        moved_s = np.array([4096, 2048, 2048]) * kv_bytes / (200 * gib)
        np.testing.assert_allclose(run.requests.kv_transfer_s, moved_s, rtol=1e-12)
        np.testing.assert_allclose(moved_s, (0.076563, 0.038281, 0.038281), atol=1e-6)
