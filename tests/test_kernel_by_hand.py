"""Runs small enough to check with pencil and paper, under each assumption set.

The machine of these examples: a prompt iteration over B tokens takes 0.1 + B / 5000 s; a token
iteration of n sequences with C tokens of context 0.02 + 0.01 n s, under `measured` plus
(C - 512 n) / 100 000 s. A token of context is 20 bytes, under `splitwisesim` 80 (it overlooks
grouped-query attention). The model has 10 layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from scenes import Row, Scene, requests_of, scenario_of

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Link
from splitwise_plan.facts.profile import Curve, Profile
from splitwise_plan.sim.metrics import latencies
from splitwise_plan.sim.simulator import Simulator

MODEL = LLM(
    id="by-hand",
    name="By hand",
    layers=10,
    hidden_size=4,
    attention_heads=4,
    kv_heads=1,
    head_dim=1,
    bytes_per_value=1,
    weights_bytes=1000.0,
)


def curve(*points: tuple[float, float]) -> Curve:
    x, y = zip(*points, strict=True)
    return Curve(np.array(x), np.array(y))


PROFILE = Profile(
    machine="by-hand",
    llm="by-hand",
    tensor_parallel=8,
    prompt_time=curve((0, 0.1), (1000, 0.3)),
    token_time_by_batch_tokens=curve((1, 0.03), (2, 0.04)),
    token_time_by_batch=curve((1, 0.03), (2, 0.04)),
    token_time_by_context=curve((512, 0.03), (1512, 0.04)),
    prompt_power=curve((1, 1), (2, 1)),
    token_power=curve((1, 1), (2, 1)),
)


def by_hand(
    machines: tuple[int, int],
    rows: Sequence[Row],
    assumptions: str = "measured",
    *,
    transfer: Literal["auto", "serialized", "layerwise"] | None = None,
    bandwidth_bytes_per_s: float = 1e5,
) -> Scene:
    """The machine above, as many as wanted; a baseline if there are no token machines."""
    family = "splitwise-aa" if machines[1] else "baseline-a100"
    scenario = scenario_of(family, assumptions=assumptions)
    machine = replace(
        scenario.reference_machine,
        gpu_memory_bytes=1e9,
        link=Link("by hand", bandwidth_bytes_per_s, 0.005),
    )
    rules = replace(scenario.assumptions, kv_bandwidth_bytes_per_s=None)
    if transfer is not None:
        rules = replace(rules, kv_transfer=transfer)
    hand_made = replace(
        scenario.spaces[0].family,
        prompt_machine=machine,
        token_machine=machine if machines[1] else None,
    )
    scenario = replace(
        scenario,
        llm=MODEL,
        assumptions=rules,
        profiles={(machine.profile, 8): PROFILE},
        spaces=(replace(scenario.spaces[0], family=hand_made),),
    )
    return Scene(Simulator.of(scenario, requests_of(rows)), Design(hand_made, *machines))


def ttft_tbt_e2e(one: Scene) -> list[list[float]]:
    """Seconds, a list of requests for each metric; TBT of those that have one."""
    found = latencies(one.simulator, one.run()).seconds
    return [
        [float(value) for value in found[metric] if not np.isnan(value)]
        for metric in ("ttft", "tbt", "e2e")
    ]


def approx(values: list[list[float]]) -> list[object]:
    return [pytest.approx(row, rel=1e-9) for row in values]


def test_one_request_measured() -> None:
    """Prompt of 1000: 0.3 s. Contexts of its token iterations 1001, 1002: 0.03489 + 0.0349 s."""
    one = by_hand((1, 0), [(1.0, 1000, 3)])
    assert ttft_tbt_e2e(one) == approx([[0.3], [0.06979 / 2], [0.36979]])


def test_one_request_splitwisesim() -> None:
    """No context term: 2 x 0.03 s; its TBT divides by the output tokens, 3."""
    one = by_hand((1, 0), [(1.0, 1000, 3)], "splitwisesim")
    assert ttft_tbt_e2e(one) == approx([[0.3], [0.06 / 3], [0.36]])


def test_one_output_token_ends_with_the_prompt() -> None:
    one = by_hand((1, 1), [(1.0, 500, 1)])
    assert ttft_tbt_e2e(one) == approx([[0.2], [], [0.2]])
    assert one.run().requests.token_instance[0] == -1


OVERLAPPING: list[Row] = [(0.0, 1000, 3), (0.31, 500, 2)]


def test_two_overlap_measured() -> None:
    """The second arrives in the token iteration 0.3 to 0.33489, which it cuts the stretch after.

    Its prompt runs with the first's last token: 1.1 x prompt(501) = 0.22022 s, to 0.55511. Its own
    last token follows with a context of 501: 0.03 - 0.00011 s, to 0.585.
    """
    one = by_hand((1, 0), OVERLAPPING)
    ttft, tbt, e2e = ttft_tbt_e2e(one)
    assert [ttft, e2e] == approx([[0.3, 0.24511], [0.55511, 0.275]])
    assert tbt == pytest.approx([0.25511 / 2, 0.02989])


def test_two_overlap_splitwisesim() -> None:
    """The same without context: 0.3, 0.33, 0.55022, 0.58022."""
    one = by_hand((1, 0), OVERLAPPING, "splitwisesim")
    ttft, tbt, e2e = ttft_tbt_e2e(one)
    assert [ttft, e2e] == approx([[0.3, 0.24022], [0.55022, 0.27022]])
    assert tbt == pytest.approx([0.25022 / 3, 0.03 / 2])


def test_two_prompts_share_a_batch() -> None:
    """Both wait for a third: 500 + 700 tokens take 0.1 + 0.24 s together, from 0.3 on."""
    one = by_hand((1, 0), [(0.0, 1000, 1), (0.1, 500, 1), (0.2, 700, 1)])
    assert ttft_tbt_e2e(one)[0] == pytest.approx([0.3, 0.54, 0.44], rel=1e-9)


def test_prompts_beyond_the_batch_limit_take_turns() -> None:
    """1200 + 900 tokens are more than 2048: 0.3 + 0.34 + 0.28 s."""
    one = by_hand((1, 0), [(0.0, 1000, 1), (0.1, 1200, 1), (0.2, 900, 1)])
    assert ttft_tbt_e2e(one)[0] == pytest.approx([0.3, 0.54, 0.72], rel=1e-9)


def test_the_shorter_queue_is_joined() -> None:
    """Pending tokens 1001, 101: the third goes to the second machine, behind 0.12 s."""
    one = by_hand((2, 0), [(0.0, 1000, 2), (0.0, 100, 2), (0.01, 500, 1)])
    run = one.run()
    assert list(run.requests.prompt_instance) == [0, 1, 1]
    assert run.requests.prompt_start_s[2] == pytest.approx(0.12)


@pytest.mark.parametrize(
    ("transfer", "prompt", "bandwidth", "expected_s"),
    [
        ("serialized", 1000, 1e5, 0.2),  # 20 000 bytes
        ("layerwise", 1000, 1e5, 0.005),  # 0.2 - 0.3 x 9/10 < 0: the constant
        ("layerwise", 1000, 4e4, 0.23),  # 0.5 - 0.3 x 9/10
        ("auto", 1000, 4e4, 0.23),
        ("auto", 20, 1e5, 0.004),  # 400 bytes: serialized is faster
        ("layerwise", 20, 1e5, 0.005),
    ],
)
def test_transfer(
    transfer: Literal["auto", "serialized", "layerwise"],
    prompt: int,
    bandwidth: float,
    expected_s: float,
) -> None:
    """What is visible of it, and that the token phase begins after it."""
    one = by_hand((1, 1), [(2.0, prompt, 2)], transfer=transfer, bandwidth_bytes_per_s=bandwidth)
    records = one.run().requests
    assert records.kv_transfer_s[0] == pytest.approx(expected_s, rel=1e-9)
    prompt_s = 0.1 + prompt / 5000
    token_s = 0.03 + (prompt + 1 - 512) / 100_000
    assert records.last_token_s[0] == pytest.approx(2.0 + prompt_s + expected_s + token_s, rel=1e-9)


def test_transfer_splitwisesim() -> None:
    """Serialized always, and 80 bytes a token: 0.3 + 0.8 + 0.03 s."""
    one = by_hand((1, 1), [(2.0, 1000, 2)], "splitwisesim")
    assert ttft_tbt_e2e(one) == approx([[0.3], [0.83 / 2], [1.13]])
