"""KV caches: their size, whether they fit, and how long they take to move."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from scenes import BOTH, requests_of, scenario_of

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.requests import Requests
from splitwise_plan.models.kv_transfer import (
    KVRoute,
    layerwise_s,
    route_between,
    serialized_s,
)
from splitwise_plan.models.memory import fits, kv_bytes_per_token, kv_room_bytes
from splitwise_plan.models.performance import phase_times
from splitwise_plan.sim.simulator import Simulator

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


def route() -> KVRoute:
    return route_between(H100.link, A100.link, BLOOM, MEASURED)


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
    assert serialized_s(path, [4096, 2048, 2048]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("mode", ["serialized", "layerwise", "auto"])
@pytest.mark.parametrize("assumptions", BOTH)
def test_the_kernel_transfers_as_the_model_says(
    mode: Literal["serialized", "layerwise", "auto"], assumptions: str
) -> None:
    """Two statements of the formulas, on prompts of random sizes that run one after the other.

    Over links as they are, and over slower ones that computation does not hide.
    """
    asked = scenario_of("splitwise-ha", assumptions=assumptions)
    family = asked.spaces[0].family
    prompt, token = family.machines
    random = np.random.default_rng(14)
    prompts = random.integers(1, 4000, 200)
    requests = requests_of([(200.0 * at, int(size), 2) for at, size in enumerate(prompts)])
    most = 0.0
    for bandwidth in (None, *random.uniform(5e9, 1e11, 8)):
        rules = replace(asked.assumptions, kv_transfer=mode, kv_bandwidth_bytes_per_s=bandwidth)
        simulator = Simulator.of(replace(asked, assumptions=rules), requests)
        moved = simulator.run(Design(family, 1, 1)).requests.kv_transfer_s
        times = phase_times(asked.profile(prompt, 8), rules)
        path = route_between(prompt.link, token.link, asked.llm, rules)
        serialized = serialized_s(path, prompts)
        layerwise = layerwise_s(path, prompts, times.prompt_s(prompts))
        expected = {"serialized": serialized, "layerwise": layerwise}
        expected["auto"] = np.minimum(serialized, layerwise)
        assert moved == pytest.approx(expected[mode], rel=1e-6)
        assert layerwise.min() == path.layerwise_visible_s
        most = max(most, float(layerwise.max()) / path.layerwise_visible_s)
    assert most > 10.0
