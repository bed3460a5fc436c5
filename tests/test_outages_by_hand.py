"""Outages to check with pencil and paper: the machine is that of `test_kernel_by_hand`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from cases import kernel_state, random_case
from scenes import BOTH, scene
from test_kernel_by_hand import by_hand
from worlds import World

from splitwise_plan.scenario.failures import Failures, Outage, Straggler
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.lower import Lowered
from splitwise_plan.sim.simulator import Simulator, run_kernel


def broken(one: Simulator, **failures: object) -> Simulator:
    scenario = replace(one.scenario, failures=Failures(**failures))  # type: ignore[arg-type]
    return Simulator.of(scenario, one.requests)


def test_by_hand_a_prompt_that_is_lost_starts_again() -> None:
    """0.1 + 1000 / 5000 = 0.3 s of work; lost at 0.2 s, the machine is back at 1 s."""
    one = by_hand((1, 0), [(0.0, 1000, 1)])
    outage = Outage("prompt", 1, 0.2, 1.0)
    run = replace(one, simulator=broken_hand(one.simulator, outages=(outage,))).run()
    assert run.requests.first_token_s[0] == pytest.approx(1.3)
    assert (run.restarts, run.lost_prompt_tokens, run.lost_output_tokens) == (1, 1000, 0)
    assert run.instances.down_s[0] == pytest.approx(0.8)
    assert run.instances.prompt_busy_s[0] == pytest.approx(0.2 + 0.3)


def test_by_hand_what_waits_for_a_machine_that_is_down_goes_to_another() -> None:
    """Two machines; the request of 0.1 s is on the one that fails at 0.15 s, before it ran."""
    rows = [(0.0, 1000, 1), (0.01, 1500, 1), (0.1, 1000, 1)]
    one = by_hand((2, 0), rows)
    outage = Outage("prompt", 1, 0.15, 9.0)
    run = replace(one, simulator=broken_hand(one.simulator, outages=(outage,))).run()
    assert run.requests.prompt_instance.tolist() == [1, 1, 1]
    assert run.restarts == 1
    assert run.requests.prompt_start_s.tolist()[1] == 0.01


def broken_hand(one: Simulator, **failures: object) -> Simulator:
    """`broken`, with the machine types that the example was given."""
    scenario = replace(one.scenario, failures=Failures(**failures))  # type: ignore[arg-type]
    return replace(one, scenario=scenario)


@pytest.mark.parametrize("interval", [0, 1, 4])
def test_by_hand_a_token_phase_goes_on_from_its_checkpoint(interval: int) -> None:
    """One request alone: what it had is generated again but for what was saved."""
    rows = [(0.0, 512, 12)]
    whole = by_hand((1, 2), rows).run()
    one = by_hand((1, 2), rows)
    [first_s, last_s] = [whole.requests.first_token_s[0], whole.requests.last_token_s[0]]
    fails_s = float(first_s + 0.75 * (last_s - first_s))
    token = int(whole.requests.token_instance[0])
    simulator = broken_hand(
        one.simulator,
        outages=(Outage("token", token, fails_s, fails_s + 100.0),),
        checkpoint_interval_tokens=interval,
    )
    families = {name: checkpoints(each, interval) for name, each in simulator.families.items()}
    run = replace(one, simulator=replace(simulator, families=families)).run()
    assert run.finished == run.restarts == 1
    assert run.requests.token_instance[0] != token
    if interval == 0:
        assert run.requests.first_token_s[0] == pytest.approx(fails_s + first_s)
        assert run.lost_prompt_tokens == 512
        return
    assert run.requests.first_token_s[0] == first_s
    assert run.lost_prompt_tokens == 0
    assert run.lost_output_tokens < interval
    gap_s = run.requests.last_token_s[0] - last_s
    load_s = (512 + 12) * 20 / 1e5
    assert 0.0 < gap_s < load_s + interval * 0.05


def checkpoints(lowered: Lowered, interval: int) -> Lowered:
    rules = lowered.rules.copy()
    rules["checkpoint_tokens"] = interval
    return replace(lowered, rules=rules.view(np.recarray))


@pytest.mark.parametrize("assumptions", BOTH)
def test_a_slow_machine_takes_longer_by_its_factor(assumptions: str) -> None:
    """One machine, prompts one after the other: twice as slow is twice as busy."""
    one = scene(
        "baseline-h100", 1, rows=[(0.0, 1500, 1)] * 20 + [(9.0, 800, 40)], assumptions=assumptions
    )
    slow = broken(one.simulator, straggler=Straggler("prompt", 1, 2.0))
    usual, twice = one.run(), slow.run(one.design)
    for name in ("prompt_busy_s", "token_busy_s"):
        busy = getattr(usual.instances, name)
        np.testing.assert_allclose(getattr(twice.instances, name), 2.0 * busy, rtol=1e-9)
    nobody = broken(one.simulator, straggler=Straggler("token", 1, 2.0)).run(one.design)
    np.testing.assert_array_equal(nobody.requests.last_token_s, usual.requests.last_token_s)


def test_no_instance_no_assignment() -> None:
    """While everything is down requests wait; they are served when something is back."""
    case = random_case(3000)
    count = len(case.prompt) + len(case.token)
    until_s = case.requests[-1][0] + 5.0
    changes = [(0.0, i, "down") for i in range(count)] + [(until_s, count - 1, "up")]
    world = World("down", partial(kernel_state, replace(case, changes=tuple(changes))))
    run = world.play()
    finished = np.isfinite(run.requests.last_token_s)
    assert finished.any()
    assert np.all(run.requests.prompt_start_s[finished] >= until_s)
    assert run.state.counters[k.RESTARTS] == 0
    assert run.state.counters[k.FINISHED] == finished.sum()
    never = World("gone", partial(kernel_state, replace(case, changes=tuple(changes[:count]))))
    state = never.prepare()
    assert run_kernel(state)[0] == k.DEADLOCK
    assert state.counters[k.FINISHED] == 0
