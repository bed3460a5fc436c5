"""KV caches: their size, whether they fit, and how long they take to move."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.requests import Requests
from splitwise_plan.models.kv_transfer import (
    KVRoute,
    layerwise_s,
    route_between,
    serialized_s,
    transfer_s,
)
from splitwise_plan.models.memory import fits, kv_bytes_per_token, kv_room_bytes
from splitwise_plan.models.performance import phase_times

CATALOG = Catalog()
MEASURED, PAPER = CATALOG.assumptions("measured"), CATALOG.assumptions("splitwisesim")
BLOOM = CATALOG.llm("bloom-176b")
A100, H100 = CATALOG.machine("dgx-a100"), CATALOG.machine("dgx-h100")


@pytest.mark.parametrize(
    ("llm", "measured", "paper"),
    [("bloom-176b", 4_014_080, 4_014_080), ("llama2-70b", 327_680, 2_621_440)],
)
def test_kv_bytes_of_a_token(llm: str, measured: int, paper: int) -> None:
    assert kv_bytes_per_token(CATALOG.llm(llm), MEASURED) == measured
    assert kv_bytes_per_token(CATALOG.llm(llm), PAPER) == paper


def test_room_beside_the_weights() -> None:
    room = kv_room_bytes(A100, BLOOM, 8)
    assert room // 4_014_080 == 89_234
    assert kv_room_bytes(A100, BLOOM, 2) < 0
    requests = Requests(np.zeros(2), np.array([89_000, 89_000]), np.array([234, 235]))
    assert fits(requests, room, 4_014_080).tolist() == [True, False]


def route(kv_transfer: Literal["auto", "serialized", "layerwise"] = "auto") -> KVRoute:
    return route_between(H100.link, A100.link, BLOOM, replace(MEASURED, kv_transfer=kv_transfer))


def test_a_route_is_as_good_as_its_worse_end() -> None:
    assert route().bandwidth_bytes_per_s == 200e9
    assert route().layerwise_visible_s == 0.008
    same = route_between(H100.link, H100.link, BLOOM, MEASURED)
    assert (same.bandwidth_bytes_per_s, same.layerwise_visible_s) == (400e9, 0.005)
    assert route_between(H100.link, H100.link, BLOOM, PAPER).bandwidth_bytes_per_s == 200 * 2**30


def test_the_papers_figure_14() -> None:
    """Serialized 42.7 ms (A100) and 21.1 ms (H100) at 2048 tokens, layer by layer flat."""
    a100 = route_between(A100.link, A100.link, BLOOM, MEASURED)
    h100 = route_between(H100.link, H100.link, BLOOM, MEASURED)
    assert float(serialized_s(a100, 2048)) == pytest.approx(0.0427, rel=0.05)
    assert float(serialized_s(h100, 2048)) == pytest.approx(0.0211, rel=0.05)
    for machine, path, visible in ((A100, a100, 0.008), (H100, h100, 0.005)):
        times = phase_times(CATALOG.profile(machine.profile, "bloom-176b", 8), MEASURED)
        prompts = np.array([256, 512, 1024, 2048])
        assert layerwise_s(path, prompts, times.prompt_s(prompts)) == pytest.approx(visible)


def test_the_simulators_example() -> None:
    """Second-token overheads of SplitwiseSim's example notebook, to its last digit."""
    path = route_between(H100.link, A100.link, BLOOM, PAPER)
    expected = [0.076563, 0.038281, 0.038281]
    assert transfer_s(PAPER, path, [4096, 2048, 2048], 0.0) == pytest.approx(expected, abs=1e-6)


@given(st.integers(1, 100_000), st.floats(0, 100))
def test_auto_is_the_smaller_of_the_two(prompt: int, prompt_s: float) -> None:
    path = route()
    serialized, layerwise = serialized_s(path, prompt), layerwise_s(path, prompt, prompt_s)
    assert float(transfer_s(MEASURED, path, prompt, prompt_s)) == min(serialized, layerwise)
    only = replace(MEASURED, kv_transfer="layerwise")
    assert float(transfer_s(only, path, prompt, prompt_s)) == layerwise
    assert layerwise >= path.layerwise_visible_s
