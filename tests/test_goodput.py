"""Goodput: a share of requests that meet several limits together, counted exactly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import run
from scenes import scene

from splitwise_plan.facts.slo import Attainment, Limit, SLOSet, SLOTarget
from splitwise_plan.planner.confidence import Estimate, estimates
from splitwise_plan.planner.outcome import Evaluation
from splitwise_plan.report import estimates as told
from splitwise_plan.report import wording
from splitwise_plan.sim.metrics import Latencies, attained, latencies, values_at
from splitwise_plan.sim.simulator import Simulator
from splitwise_plan.sim.verdict import TargetResult, target_results, verdict

LIMIT_S = 1.0


def value_at(found: Latencies, target: SLOTarget) -> float:
    [value] = values_at(found, [target])
    return value


def goodput(share: float, ttft_s: list[float]) -> float:
    """The goodput value of requests with these TTFTs under a limit of one second."""
    found = Latencies({"ttft": np.array(ttft_s)}, {})
    return value_at(found, Attainment(share, (("ttft", LIMIT_S, "s"),)).target)


@pytest.mark.parametrize(
    ("meeting", "missing", "met"),
    [(9, 1, True), (8, 2, False), (10, 2, False), (18, 2, True), (90, 11, False)],
)
@pytest.mark.parametrize("late_s", [1.0001, 1000.0, np.inf])
def test_ninety_per_cent_is_a_count(meeting: int, missing: int, met: bool, late_s: float) -> None:
    assert (goodput(0.9, [0.5] * meeting + [late_s] * missing) <= 1.0) == met


def test_all_limits_must_be_met_by_the_same_request() -> None:
    ttft, tbt = np.array([0.5, 2.0, 0.5, 0.5]), np.array([0.1, 0.1, 9.0, np.nan])
    found = Latencies({"ttft": ttft, "tbt": tbt}, {})
    both: tuple[Limit, ...] = (("ttft", 1.0, "s"), ("tbt", 1.0, "s"))
    assert value_at(found, Attainment(0.5, both).target) <= 1.0
    assert value_at(found, Attainment(0.51, both).target) > 1.0


def test_an_unreachable_goodput_is_missed() -> None:
    one = scene("splitwise-hh", 2, 2, rate=4, duration=30)
    slos = SLOSet("goodput", (), "dgx-a100", (Attainment(0.99, (("ttft", 1e-6, "s"),)),))
    scenario = replace(one.simulator.scenario, slos=slos)
    simulator = Simulator.of(scenario, one.requests)
    run = simulator.run(one.design)
    found = latencies(simulator, run)
    assert verdict(run, target_results(slos, found), found, scenario.arrivals) == "misses"


def test_the_share_that_is_told_is_a_count_of_requests() -> None:
    ratios = Latencies({"ttft": np.array([0.5, 0.9, 1.0, 1.1, np.inf])}, {})
    target = Attainment(0.6, (("ttft", LIMIT_S, "s"),)).target
    assert attained(ratios, target) == 0.6
    assert value_at(ratios, target) <= 1.0
    assert attained(ratios, SLOTarget("ttft", 50.0, 1.0, "s")) is None


@pytest.mark.parametrize("share", [0.9, 0.99, 0.995, 1 / 3])
def test_one_run_meets_a_goodput_where_the_share_does(share: float) -> None:
    rng = np.random.default_rng(3)
    target = Attainment(share, (("ttft", LIMIT_S, "s"),)).target
    for _ in range(200):
        values = Latencies({"ttft": rng.uniform(0.0, 1.02 / share, rng.integers(1, 400))}, {})
        one = attained(values, target)
        assert one is not None
        assert (one >= share) == (value_at(values, target) <= 1.0)


def estimate(*shares: float, of: float = 90.0) -> Estimate:
    target = SLOTarget("goodput", of, 1.0, "ratio", (("ttft", LIMIT_S, "s"),))
    results = [[TargetResult(target, 1.0 + of / 100.0 - one, one)] for one in shares]
    [found] = estimates(results)
    return found


def test_a_goodput_is_told_as_a_share_of_the_one_wanted() -> None:
    assert told.text(estimate(0.921)) == "92.1 % of 90 %"
    assert told.beside(estimate(0.89996)) == ("89.996 %", "90 %")
    assert told.beside(estimate(0.9)) == ("90.0 %", "90 %")
    assert told.room(estimate(0.921)) == "2.1 points"
    both = estimate(0.92, 0.922)
    assert told.text(both).startswith("92.1 % of 90 % (")
    assert both.attained is not None
    assert both.attained.low < 0.921 < both.attained.high <= 1.0
    one = Evaluation(None, "meets", (None,), 1)  # type: ignore[arg-type]
    assert wording.binding(estimate(0.88), one) == (
        "90 % goodput, 88.0 % of 90 % wanted, 2.0 points short"
    )


GOODPUT = """\
[[attainment]]
share = { value = 90, unit = "%" }
ttft = { value = 3, unit = "slowdown" }
tbt = { value = 1.5, unit = "slowdown" }
"""


def test_every_report_tells_a_share(tmp_path: Path) -> None:
    path = tmp_path / "goodput.toml"
    path.write_text(GOODPUT)
    asked = (
        *("search", "--family", "splitwise-hh", "--slo", str(path)),
        *("--rate", "6", "--duration", "25", "--horizon", "window"),
        *("--prompt-machines", "1:4", "--token-machines", "1:2"),
    )
    shown = run(*asked, "--out", str(tmp_path / "out")).stdout
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    [target] = document["best"]["slo"]["targets"]
    share = f"{100 * target['attained']['mean']:.1f} %"
    assert f"90 % goodput, {share} of 90 % wanted" in shown
    markdown = (tmp_path / "out" / "report.md").read_text()
    html = (tmp_path / "out" / "report.html").read_text()
    assert f"{share} / 90 % ✓" in markdown
    assert f"{share} / 90 % ✓" in html
    for text in (shown, markdown, html):
        assert " of 1x" not in text
        assert "/ 1x" not in text
