"""What a run extrapolated, against counts made one by one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from commands import run, run_json

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.profile import Curve, Profile
from splitwise_plan.planner.evaluate import records
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.extrapolation import Extrapolation, beyond_profile
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

PROMPT, SEQUENCES, CONTEXT = 2048, 16, 4096


def cut(profile: Profile) -> Profile:
    """The same times, of which less was measured."""

    def up_to(curve: Curve, most: int) -> Curve:
        return Curve(curve.x[curve.x <= most], curve.y[curve.x <= most])

    return replace(
        profile,
        prompt_time=up_to(profile.prompt_time, PROMPT),
        token_time_by_batch=up_to(profile.token_time_by_batch, SEQUENCES),
        token_time_by_context=up_to(profile.token_time_by_context, CONTEXT),
    )


def asked(family: str = "splitwise-hh", **keys: object) -> Scenario:
    given = {
        "workload": "conversation",
        "rate": 30,
        "duration": 40,
        "horizon": "window",
        "families": [family],
        **keys,
    }
    scenario = load_scenario(Catalog(), None, given)
    profiles = {name: cut(profile) for name, profile in scenario.profiles.items()}
    return replace(scenario, profiles=profiles)


def played(scenario: Scenario, prompt: int, token: int) -> tuple[Simulator, Design, Run]:
    design = Design(scenario.spaces[0].family, prompt, token)
    simulator, of = records(scenario, design)
    return simulator, design, of


def found(beyond: tuple[Extrapolation, ...]) -> dict[tuple[str, str], float]:
    return {(one.pool, one.quantity): one.share for one in beyond}


def test_shares_are_those_counted_one_by_one() -> None:
    simulator, design, of = played(asked(), 8, 4)
    shares = found(beyond_profile(simulator, design, of))
    requests, left = simulator.requests, of.requests
    batches: dict[tuple[int, float], int] = defaultdict(int)
    for i in range(len(requests)):
        batches[int(left.prompt_instance[i]), float(left.prompt_start_s[i])] += int(
            requests.prompt_tokens[i]
        )
    in_pool = [tokens for (instance, _), tokens in batches.items() if instance < 8]
    expected = np.mean([tokens > PROMPT for tokens in in_pool])
    assert shares["prompt", "prompt_tokens"] == pytest.approx(expected)
    here = (left.token_instance >= 8) & (requests.output_tokens > 1)
    longest = requests.prompt_tokens + requests.output_tokens
    assert shares["token", "context_tokens"] == pytest.approx(np.mean(longest[here] > CONTEXT))
    assert shares["token", "sequences"] == pytest.approx(_time_over(simulator, of), abs=0.01)


def _time_over(simulator: Simulator, of: Run) -> float:
    """Share of the time with token phases in the token pool, at ten thousand instants."""
    left = of.requests
    start, end = left.first_token_s + left.kv_transfer_s, left.last_token_s
    arrivals = simulator.requests.arrival_s
    over = some = 0
    for at_s in np.linspace(arrivals[0], arrivals[-1], 10_000):
        active = left.token_instance[(start <= at_s) & (at_s < end)]
        for number in np.bincount(active[active >= 8], minlength=12)[8:]:
            some += number > 0
            over += number > SEQUENCES
    return over / some


def test_a_run_within_the_profile_says_nothing() -> None:
    scenario = load_scenario(
        Catalog(),
        None,
        {"rate": 2, "duration": 75, "horizon": "window", "families": ["splitwise-hh"]},
    )
    assert beyond_profile(*played(scenario, 4, 2)) == ()


def test_the_papers_simulator_knows_no_context() -> None:
    scenario = asked(assumptions="splitwisesim")
    simulator, design, of = played(scenario, 8, 4)
    quantities = {quantity for _, quantity in found(beyond_profile(simulator, design, of))}
    assert "context_tokens" not in quantities


WORDS = (
    *("simulate", "--workload", "conversation", "--family", "splitwise-hh", "--rate", "35"),
    *("--prompt-machines", "8", "--token-machines", "3", "--duration", "30", "--horizon", "window"),
)


def test_reports_tell_it() -> None:
    document = run_json(*WORDS)
    [told] = [one for one in document["beyond_profile"] if one["quantity"] == "sequences"]
    assert (told["pool"], told["measured"]) == ("token", 64)
    shown = " ".join(run(*WORDS).stdout.split())
    assert "Beyond what the profile measured" in shown
    assert f"{100 * told['share']:.0f} % of its token time has more than 64 sequences" in shown
