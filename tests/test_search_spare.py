"""N+k: designs that still do with machines gone, against brute force on small spaces."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from commands import run, run_json
from test_search_exhaustive import (
    assert_best_is_the_least,
    assert_is_what_brute_force_finds,
    designs_of,
    really_meets,
    small_scenario,
)

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.choose import find
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.serialize import evaluation_from_json, evaluation_to_json
from splitwise_plan.questions.search.resilience import resilience
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario

SPACE = {
    "families": ["baseline-h100", "splitwise-hh"],
    "machines": "1:10",
    "prompt_machines": "1:6",
    "token_machines": "1:4",
    "seeds": 1,
}
LOOSE = "[ttft]\np90 = 4\n[tbt]\np90 = 2.5\n[e2e]\np90 = 2.5\n"


class BruteForce:
    """Every design simulated to its end, whole and with every loss up to `k` machines."""

    def __init__(self, scenario: Scenario, k: int, of: str, degraded: Scenario) -> None:
        self.scenario, self.degraded, self.k, self.of = scenario, degraded, k, of
        self.known: dict[tuple[bool, Design], bool] = {}

    def meets(self, design: Design, *, whole: bool) -> bool:
        if (whole, design) not in self.known:
            asked = self.scenario if whole else self.degraded
            self.known[whole, design] = really_meets(asked, design)
        return self.known[whole, design]

    def losses(self, design: Design) -> list[tuple[int, int]]:
        """(prompt, token) machines that may be gone."""
        counts = product(range(self.k + 1), repeat=2)
        pairs = [(p, t) for p, t in counts if 1 <= p + t <= self.k]
        if design.family.has_one_pool:
            return [(p, t) for p, t in pairs if t == 0]
        only = {"any": pairs, "prompt": [(p, 0) for p, t in pairs if t == 0]}
        return only.get(self.of, [(0, t) for p, t in pairs if p == 0])

    def qualifies(self, design: Design) -> bool:
        if not self.meets(design, whole=True):
            return False
        for p, t in self.losses(design):
            left = (design.prompt_machines - p, design.token_machines - t)
            if left[0] < 1 or (left[1] < 1 and not design.family.has_one_pool):
                return False
            if not self.meets(Design(design.family, *left), whole=False):
                return False
        return True


@pytest.fixture(scope="module")
def loose(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("slos") / "loose.toml"
    path.write_text(LOOSE, encoding="utf-8")
    return str(path)


QUESTIONS = [
    *product((1, 2), ("any", "prompt", "token"), (False,), ("cost",), (6.0,)),
    (1, "any", True, "cost", 7.0),
    (2, "any", True, "power", 7.0),
    (2, "any", False, "machines", 4.0),
]


@pytest.mark.parametrize(("k", "of", "looser", "minimize", "rate"), QUESTIONS)
def test_spare_is_what_brute_force_finds(
    k: int, of: str, looser: bool, minimize: str, rate: float, loose: str
) -> None:
    given = {**SPACE, "minimize": minimize, "rate": rate}
    plain = small_scenario(**given)
    slo = {"degraded_slo": loose} if looser else {}
    scenario = small_scenario(**given, spare=k, spare_of=of, **slo)
    degraded = small_scenario(**given, slo=loose) if looser else plain
    force = BruteForce(plain, k, of, degraded)
    result = search(scenario, jobs=1)
    assert result.best is not None
    for found in result.families:
        everything = designs_of(found.space)
        meeting = [design for design in everything if force.qualifies(design)]
        assert_is_what_brute_force_finds(scenario, found, meeting)
        best = found.best.evaluation if found.best else None
        assert best is None or len(best.reduced) == len(force.losses(best.design))
    assert_best_is_the_least(scenario, result)
    bare = search(plain, jobs=1).best
    assert bare is not None
    assert bare.best is not None
    assert result.without_spare == bare.best.evaluation.design


def test_no_spare_is_what_it_was() -> None:
    """`spare = 0` and none are one question, and judged alike."""
    scenario = small_scenario(**SPACE, rate=5.0, spare=0)
    assert scenario.spare is None
    assert scenario.resolved_toml == small_scenario(**SPACE, rate=5.0).resolved_toml


def test_what_becomes_better_with_fewer_machines_is_no_excuse() -> None:
    """Each loss is judged by itself, those of fewer machines too."""
    scenario = small_scenario(**SPACE, rate=5.0, spare=2)
    assert scenario.spare is not None
    [space] = [one for one in scenario.spaces if one.family.id == "splitwise-hh"]
    left = list(scenario.spare.losses(Design(space.family, 3, 2)))
    counts = [(one.prompt_machines, one.token_machines) for one in left]
    assert counts == [(1, 2), (2, 1), (3, 0), (2, 2), (3, 1)]
    alone = list(scenario.spare.losses(Design(space.family, 1, 1)))
    assert [(one.prompt_machines, one.token_machines) for one in alone] == [
        *((0, 0), (0, 1)),
        (1, 0),
    ]


@pytest.mark.parametrize("slo", ["splitwise", None])
def test_jobs_and_order_change_nothing(slo: str | None, loose: str) -> None:
    asked = small_scenario(**{**SPACE, "seeds": 3}, rate=5.0, spare=1, degraded_slo=slo or loose)
    one, two = (repr(replace(search(asked, jobs), search_s=0.0)) for jobs in (1, 2))
    assert one == two


def test_other_ways_to_search_find_the_same(loose: str) -> None:
    """Without a proof for each family, and sampled."""
    asked = small_scenario(**SPACE, rate=6.0, spare=1, degraded_slo=loose)
    every = search(asked, jobs=1)
    assert every.best is not None
    for method in ("auto", "optuna"):
        found = find(replace(asked, method=method, trials=60), 1)
        assert found.best is not None
        assert found.best.best is not None
        assert every.best.best is not None
        assert found.best.best.evaluation == every.best.best.evaluation


def test_evaluations_are_written_with_what_is_left() -> None:
    asked = small_scenario(**SPACE, rate=6.0, spare=2)
    evaluator = Evaluator(asked)
    for space in asked.spaces:
        for design in designs_of(space):
            judged = evaluator.judge(design)
            told = evaluation_to_json(judged)
            assert evaluation_from_json(asked.slos, design, told) == judged


def meets_at(scenario: Scenario, design: Design, rate_rps: float) -> bool:
    arrivals = replace(scenario.arrivals, rate_rps=rate_rps)
    return (
        Evaluator(replace(scenario, arrivals=arrivals, spare=None)).judge(design).verdict == "meets"
    )


def test_capacity_against_machines_gone() -> None:
    asked = small_scenario(
        **{**SPACE, "families": ["splitwise-hh"], "machines": None}, rate=5.0, spare=2
    )
    result = search(asked, jobs=1)
    found = resilience(asked, result, partial(find, jobs=1), jobs=1)
    assert found is not None
    assert found.bare == result.without_spare
    assert [one.gone for one in found.losses] == [0, 1, 2]
    assert all(one.verdict == "meets" for one in found.losses)
    assert asked.spare is not None
    for one in found.losses:
        assert one.left in list(asked.spare.with_gone(found.design, one.gone))
        assert one.rate_rps is not None
        assert meets_at(asked, one.left, one.rate_rps)
        assert not meets_at(asked, one.left, one.rate_rps + 1.0)
    rates = [one.rate_rps or 0.0 for one in found.losses]
    assert min(rates) >= 5.0


def test_the_largest_rate_within_a_budget_keeps_its_spare() -> None:
    given = {**SPACE, "families": ["splitwise-hh"], "machines": None, "maximize": "throughput"}
    budget = {"cost_budget": "6xdgx-h100", "rate": None, "method": "auto"}
    bare = find(small_scenario(**given, **budget), 1).best
    kept = find(small_scenario(**given, **budget, spare=1), 1).best
    assert bare is not None
    assert kept is not None
    assert kept.best is not None
    assert kept.rate_rps is not None
    assert bare.rate_rps is not None
    assert 0 < kept.rate_rps < bare.rate_rps
    assert len(kept.best.evaluation.reduced) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rate = 5\nspare = -1", "s.toml:2: spare must be greater than or equal to 0, not -1"),
        ("rate = 5\nspare_of = 'prompt'", "s.toml:2: spare_of needs spare"),
        ("rate = 5\ndegraded_slo = 'splitwise'", "s.toml:2: degraded_slo needs spare"),
        ("rate = 5\nspare = 1\nspare_of = 'all'", "s.toml:3: spare_of must be 'any', 'prompt'"),
        ("rate = 5\nspare = 1\ndegraded_slo = 'x.toml'", "s.toml:3: x.toml: no such file"),
        (
            "maximize = 'throughput_per_cost'\ncost_budget = '9xdgx-h100'\nspare = 1",
            "s.toml:3: spare has no effect",
        ),
    ],
)
def test_wrong_keys_are_told(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_scenario(Catalog(), path)
    assert problem in str(caught.value).replace(str(tmp_path) + "/", "")


def test_the_resolved_scenario_gives_the_same_spare(tmp_path: Path) -> None:
    (tmp_path / "loose.toml").write_text(LOOSE, encoding="utf-8")
    path = tmp_path / "s.toml"
    path.write_text("rate = 5\nspare = 2\ndegraded_slo = 'loose.toml'\n", encoding="utf-8")
    scenario = load_scenario(Catalog(), path)
    again = tmp_path / "elsewhere.toml"
    again.write_text(scenario.resolved_toml, encoding="utf-8")
    assert load_scenario(Catalog(), again).spare == scenario.spare
    assert scenario.spare is not None
    assert scenario.spare.slos is not None
    assert "loose.toml" in [source.path for source in scenario.sources]


WORDS = ("search", "--family", "splitwise-hh", "--rate", "5", "--duration", "40",
         "--horizon", "window", "--seeds", "1", "--prompt-machines", "1:6",
         "--token-machines", "1:4")  # fmt: skip


def test_the_report_says_what_the_spare_is_good_for_and_costs() -> None:
    told = run_json(*WORDS, "--spare", "1")["spare"]
    assert [one["gone"] for one in told["with_machines_gone"]] == [0, 1]
    assert all(one["verdict"] == "meets" for one in told["with_machines_gone"])
    assert told["without_spare"]["cost_usd_per_hour"] > 0
    screen = run(*WORDS, "--spare", "1").stdout
    assert "with any machine gone too" in screen.replace("\n            ", " ")
    assert "Spare " in screen
    assert "With machines gone" in screen


def test_nothing_survives_the_loss_of_all(tmp_path: Path) -> None:
    words = (*WORDS, "--spare", "12", "--format", "json")
    assert run(*words).exit_code == 3
    told = run(*WORDS, "--spare", "12").stdout
    assert "whole it meets them" in told


def test_a_plan_with_spare_machines_is_checked_with_them(tmp_path: Path) -> None:
    (tmp_path / "loose.toml").write_text(LOOSE, encoding="utf-8")
    scenario, plan = tmp_path / "s.toml", tmp_path / "plan.toml"
    text = "rate = 5\nduration = 40\nhorizon = 'window'\nseeds = 1\nspare = 1\n"
    text += "families = ['splitwise-hh']\nprompt_machines = '1:6'\ntoken_machines = '1:4'\n"
    text += "degraded_slo = 'loose.toml'\n"
    scenario.write_text(text, encoding="utf-8")
    assert run("search", str(scenario), "--save-plan", str(plan)).exit_code == 0
    assert 'degraded_slo = "loose.toml"' in plan.read_text(encoding="utf-8")
    held = run("check", str(plan))
    assert held.exit_code == 0
    edited = plan.read_text(encoding="utf-8").replace("\nspare = 1\n", "\nspare = 3\n")
    plan.write_text(edited, encoding="utf-8")
    fails = run("check", str(plan), "--format", "json")
    assert fails.exit_code == 3
    assert "with any 3 machines gone too" in run("check", str(plan)).stdout
