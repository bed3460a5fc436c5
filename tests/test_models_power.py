"""Watts: never below idle nor above what is provisioned, held beyond what was measured."""

from __future__ import annotations

import numpy as np
import pytest

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.models.power import InstancePower, instance_power

CATALOG = Catalog()
CASES = [
    (machine, llm, tp)
    for machine in ("dgx-a100", "dgx-h100", "dgx-h100-cap70")
    for llm, degrees in (("bloom-176b", (8,)), ("llama2-70b", (2, 4, 8)))
    for tp in degrees
]


def power_of(machine: str, llm: str = "bloom-176b", tp: int = 8) -> InstancePower:
    return instance_power(CATALOG.profile(machine, llm, tp), CATALOG.machine(machine), tp)


@pytest.mark.parametrize(("machine", "llm", "tp"), CASES)
def test_power_is_between_idle_and_provisioned(machine: str, llm: str, tp: int) -> None:
    power, share = power_of(machine, llm, tp), tp / 8
    limit = share * CATALOG.machine(machine).provisioned_power_w
    for curve in (power.prompt_w, power.token_w):
        drawn = [curve(at) for at in (0, 1, 3, 100, 700, 2048, 8192, 60_000)]
        assert all(power.idle_w < watts <= limit * (1 + 1e-12) for watts in drawn)


def test_curves_are_held_beyond_both_ends() -> None:
    power = power_of("dgx-a100")
    assert power.prompt_w(0) == power.prompt_w(1) == power.prompt_w(128)
    assert power.prompt_w(8192) == power.prompt_w(10**6)
    assert power.token_w(16) == power.token_w(17) == power.token_w(512)


def test_fractions_of_tdp_and_the_rest_of_the_machine() -> None:
    power, profile = power_of("dgx-a100"), CATALOG.profile("dgx-a100", "bloom-176b", 8)
    assert power.token_w(1) == pytest.approx(8 * 400 * profile.token_power(1) + 3300)
    assert power.prompt_w(8192) == 6500
    assert power.idle_w == 1500


def test_prompts_draw_more_than_tokens_and_a_cap_holds_both() -> None:
    full, capped = power_of("dgx-h100"), power_of("dgx-h100-cap70")
    assert full.prompt_w(2048) > full.token_w(16) > 7140
    assert {capped.prompt_w(2048), capped.token_w(16)} == {7140.0}


def test_instances_of_a_machine_add_up() -> None:
    whole, quarter = power_of("dgx-a100", "llama2-70b", 8), power_of("dgx-a100", "llama2-70b", 2)
    assert 4 * quarter.idle_w == whole.idle_w
    assert np.all(quarter.prompt_w.y <= 6500 / 4)
