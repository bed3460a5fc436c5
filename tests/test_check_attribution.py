"""One change at a time: what is attributed to a change is what it does by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from commands import run
from plan_edits import EDITS
from plans import FAMILIES, MACHINE, World, brute_force, copied

from splitwise_plan.planner.fingerprint import same_facts
from splitwise_plan.questions.check.changes import changes
from splitwise_plan.scenario.plan.reader import read_plan, recorded, today
from splitwise_plan.scenario.scenario import Scenario

SEVERAL = (
    ("traffic +100 %", "price +25 %", "profile 60 % slower", "other seeds", "slow link"),
    ("TTFT P99 halved", "heavier weights", "other machines", "splitwisesim"),
    ("another LLM", "longer prompts", "price -25 %"),
    ("SLOs relaxed", "traffic -40 %", "profile 10 % slower"),
)


def without_names(scenario: Scenario) -> Scenario:
    """The name of an SLO set may be a path, and the order of its targets says nothing."""
    targets = tuple(sorted(scenario.slos.targets, key=str))
    return replace(scenario, slos=replace(scenario.slos, id="", targets=targets))


@pytest.mark.parametrize("names", [*SEVERAL, *((name,) for name in EDITS)], ids=" and ".join)
def test_all_changes_together_lead_to_today(
    planned: World, names: tuple[str, ...], tmp_path: Path
) -> None:
    world = copied(planned, tmp_path)
    for name in names:
        EDITS[name][0](world)
    plan = read_plan(world.plan)
    then = recorded(plan)
    now = today(plan, then, world.overrides).scenario
    made = then
    for change in changes(then, now, {}):
        made = change.apply(made)
    assert same_facts(without_names(made), without_names(now))
    assert same_facts(without_names(now), without_names(world.today()))


@pytest.mark.parametrize("names", SEVERAL[:2], ids=" and ".join)
def test_a_change_alone_does_what_a_world_with_only_that_edit_does(
    planned: World, names: tuple[str, ...], tmp_path: Path
) -> None:
    world = copied(planned, tmp_path / "all")
    for name in names:
        EDITS[name][0](world)
    _, told = world.check()
    changed = {one["subject"]: one for one in told["changes"] if not one["together"]}
    for name in names:
        edit, subject = EDITS[name]
        if [EDITS[other][1] for other in names].count(subject) > 1:
            continue  # the price and the link of one machine
        alone = copied(planned, tmp_path / subject)
        edit(alone)
        _, only = alone.check()
        assert changed[subject]["alone"]["verdict"] == only["slo"]["verdict"]
        assert changed[subject]["alone"]["margin"] == only["slo"]["margin"]
        if changed[subject]["alone"]["best"] is not None:
            assert changed[subject]["alone"]["savings"] == only["best"]["savings"]


def test_the_guilty_and_the_innocent_are_told_apart(planned: World, tmp_path: Path) -> None:
    world = copied(planned, tmp_path)
    EDITS["traffic +100 %"][0](world)
    EDITS["price +5 %"][0](world)
    _, told = world.check()
    assert {one["subject"]: one["blamed"] for one in told["changes"]} == {
        "rate": True,
        "fast": False,
    }


def test_changes_of_a_kind_may_do_it_together(planned: World, tmp_path: Path) -> None:
    """TTFT P99 alone saves less than is tolerated here, all nine together save half."""
    world = rewritten(
        copied(planned, tmp_path), "savings = { value = 5.0", "savings = { value = 9.0"
    )
    EDITS["SLOs relaxed"][0](world)
    code, told = world.check()
    assert code == 3
    [guilty] = [one for one in told["changes"] if one["blamed"]]
    assert (guilty["kind"], len(guilty["together"])) == ("slo", 9)


def gone_machine(world: World) -> None:
    world.fact(MACHINE).unlink()


def gone_family(world: World) -> None:
    world.edit(FAMILIES, r"\[pair\]", "[other]")


@pytest.mark.parametrize(
    ("lose", "kind", "subject"),
    [(gone_machine, "machine", "fast"), (gone_family, "family", "pair")],
)
def test_what_is_gone_is_named(
    planned: World, lose: object, kind: str, subject: str, tmp_path: Path
) -> None:
    world = copied(planned, tmp_path)
    assert callable(lose)
    lose(world)
    code, told = world.check()
    truth = brute_force(world.today({"families": ["splitwise-aa"]}), told["plan"]["design"])
    assert truth.planned is None
    assert code == 3
    assert told["design"] is None
    assert told["best"]["design"]["design"]["family"] == "splitwise-aa"
    [change] = told["changes"]
    assert (change["kind"], change["subject"], change["blamed"]) == (kind, subject, True)
    assert all(case["outcome"] == "fails" for case in told["cases"] if case["group"] == "slo")


def test_nothing_is_left_when_the_only_machine_is_gone(planned: World, tmp_path: Path) -> None:
    world = copied(planned, tmp_path)
    world.edit("scenario.toml", '"pair", "splitwise-aa"', '"pair"')
    world.save_plan()
    gone_machine(world)
    gone_family(world)
    code, told = world.check()
    assert code == 3
    assert told["best"]["design"] is None


def test_a_broken_fact_is_bad_input_not_a_change(planned: World, tmp_path: Path) -> None:
    world = copied(planned, tmp_path)
    world.edit(MACHINE, "gpus = .*", "gpus = 8")
    code, told = world.check()
    assert (code, told) == (2, {})


def rewritten(world: World, old: str, new: str) -> World:
    text = world.plan.read_text(encoding="utf-8")
    assert old in text
    world.plan.write_text(text.replace(old, new, 1), encoding="utf-8")
    return world


def test_other_versions_are_told(planned: World, tmp_path: Path) -> None:
    world = rewritten(copied(planned, tmp_path), 'numpy = "', 'numpy = "0.')
    code, told = world.check()
    assert code == 0
    assert told["changes"] == []
    assert told["plan"]["reproduced"]
    [warning] = told["warnings"]
    assert "made with other versions: numpy 0." in warning
    shown = run("check", str(world.plan))
    assert shown.stderr == f"warning: {world.plan}: {warning}\n"
    assert "versions" not in shown.stdout


def test_what_the_programs_of_today_compute_otherwise_is_theirs(
    planned: World, tmp_path: Path
) -> None:
    """Another version gave another result: the versions are what is blamed."""
    world = rewritten(copied(planned, tmp_path), 'splitwise_plan = "', 'splitwise_plan = "0.0.')
    rewritten(world, "prompt_machines = 3\n", "prompt_machines = 2\n")
    EDITS["price +5 %"][0](world)
    code, told = world.check()
    assert code != 0
    assert {one["kind"]: one["blamed"] for one in told["changes"]} == {
        "version": True,
        "price": True,  # alone on the facts of then, and so with the programs of today
    }
    assert not told["plan"]["reproduced"]


@pytest.mark.parametrize(
    ("old", "new", "warning"),
    [
        ("value = 40.0", "value = 41.0", "[scenario] was edited"),
        ("token_machines = 1\n", "token_machines = 2\n", "[design] or [result] edited"),
    ],
)
def test_an_edited_plan_is_told(
    planned: World, old: str, new: str, warning: str, tmp_path: Path
) -> None:
    _, told = rewritten(copied(planned, tmp_path), old, new).check()
    [only] = told["warnings"]
    assert warning in only


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        ("nothing", "margin = { value = 0.0", "margin = { value = 40.0", 3),
        ("nothing", "margin = { value = 0.0", "margin = { value = 30.0", 0),
        ("price +25 %", "savings = { value = 5.0", "savings = { value = 15.0", 0),
        ("price +25 %", "savings = { value = 5.0", "savings = { value = 11.0", 3),
        ("TTFT P99 halved", 'undecided = "undecided"', 'undecided = "fails"', 3),
        ("TTFT P99 halved", 'undecided = "undecided"', 'undecided = "holds"', 0),
    ],
)
def test_tolerances(
    planned: World, name: str, old: str, new: str, code: int, tmp_path: Path
) -> None:
    world = rewritten(copied(planned, tmp_path), old, new)
    EDITS[name][0](world)
    found, told = world.check()
    assert found == code
    outcomes = {case["outcome"] for case in told["cases"]}
    assert ("fails" in outcomes) == (code == 3)
