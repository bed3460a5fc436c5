"""What `search --save-plan` writes, and what reading a plan refuses."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from commands import SMALL, run
from plans import World, copied

from splitwise_plan.errors import InputError
from splitwise_plan.scenario.plan.kept_files import packed, unpacked
from splitwise_plan.scenario.plan.reader import read_plan, recorded

HH = ("--families", "splitwise-hh", "--prompt-machines", "1:3", "--token-machines", "1:2")
SINGLE_FILE_BYTES = 200_000


def test_a_plan_holds_all_that_it_rests_on(planned: World) -> None:
    told = tomllib.loads(planned.plan.read_text(encoding="utf-8"))
    assert told["schema"] == "splitwise-plan/plan/1"
    assert told["design"]["family"] == "pair"
    assert told["scenario"]["slo"] == "contract.toml"
    assert told["scenario"]["hardware"] == ["facts"]
    assert told["result"]["verdict"] == "meets"
    assert len(told["result"]["targets"]) == 9
    paths = [one["path"] for one in told["facts"]]
    theirs = [one["path"] for one in told["facts"] if not one.get("ours")]
    assert {"contract.toml", "facts/hardware/machines/fast.toml"} <= set(theirs)
    assert {"hardware/families.toml", "facts/hardware/families.toml"} <= set(paths)
    assert planned.plan.stat().st_size < SINGLE_FILE_BYTES


def test_a_plan_is_the_same_to_the_byte_whatever_the_jobs(planned: World, tmp_path: Path) -> None:
    world = copied(planned, tmp_path)
    words = ("search", str(world.folder / "scenario.toml"), "--save-plan", str(world.plan))
    assert run(*words, "--jobs", "2").exit_code == 0
    assert world.plan.read_bytes() == planned.plan.read_bytes()


def test_the_facts_of_then_are_read_from_the_plan_alone(planned: World, tmp_path: Path) -> None:
    moved = tmp_path / "plan.toml"
    moved.write_bytes(planned.plan.read_bytes())
    then = recorded(read_plan(moved))
    assert [space.family.id for space in then.spaces] == ["pair", "splitwise-aa"]
    assert then.spaces[0].family.prompt_machine.cost_usd_per_hour == 28


def test_a_plan_leads_on_to_its_check(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    shown = run("search", *HH, *SMALL, "--save-plan", str(plan))
    assert f"splitwise-plan check {plan}" in shown.stdout
    assert run("check", str(plan)).exit_code == 0


def test_families_that_no_file_lists(tmp_path: Path) -> None:
    """Pairs of machines, and machines under caps whose profiles are interpolated."""
    plan = tmp_path / "plan.toml"
    names = ("--families", "dgx-h100+dgx-a100,splitwise-hh", "--power-caps", "0.85")
    found = run("search", *names, *HH[2:], *SMALL, "--save-plan", str(plan))
    assert found.exit_code == 0
    told = run("check", str(plan), "--format", "json")
    document = json.loads(told.stdout)
    assert (told.exit_code, document["changes"], document["warnings"]) == (0, [], [])


def test_a_sampled_search_is_sampled_again(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    sampled = ("--method", "optuna", "--trials", "24")
    assert run("search", *HH, *SMALL, *sampled, "--save-plan", str(plan)).exit_code == 0
    told = run("check", str(plan))
    assert told.exit_code == 0
    assert "best found, not proven" in told.stdout


def test_no_plan_without_a_design(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    load = ("--rate", "40", "--duration", "20", "--horizon", "window")
    words = ("search", *HH, *load, "--save-plan", str(plan))
    assert run(*words).exit_code == 3
    assert not plan.exists()


def test_a_search_for_the_rate_has_no_plan(tmp_path: Path) -> None:
    goal = ("--maximize", "throughput", "--cost-budget", "3xdgx-h100")
    told = run("search", *HH, *goal, "--save-plan", str(tmp_path / "plan.toml"))
    assert told.exit_code == 2
    assert "--save-plan: a plan is for a rate that is given" in told.stderr


def test_a_plan_does_not_replace_what_it_rests_on(planned: World, tmp_path: Path) -> None:
    world = copied(planned, tmp_path)
    for name in ("scenario.toml", "contract.toml", "facts/hardware/families.toml"):
        path = str(world.folder / name)
        told = run("search", str(world.folder / "scenario.toml"), "--save-plan", path)
        assert told.exit_code == 2
        assert "is read by this run" in told.stderr


def test_facts_of_windows_or_with_quotes_survive(planned: World, tmp_path: Path) -> None:
    world = copied(planned, tmp_path)
    path = world.folder / "contract.toml"
    text = "# it's '''quoted''', \u00fcn\u00efc\u00f6de\n" + path.read_text(encoding="utf-8")
    path.write_bytes(text.replace("\n", "\r\n").encode())
    world.save_plan()
    code, told = world.check()
    assert (code, told["changes"], told["warnings"]) == (0, [], [])


BROKEN = {
    "schema": ('schema = "splitwise-plan/plan/1"', 'schema = "x/1"', "must be 'splitwise-plan/pl"),
    "unknown key": ("[design]", "[design]\nfamly = 'x'", "unknown key design.famly"),
    "no family": ('family = "pair"', "", "design.family is missing"),
    "other family": ('family = "pair"', 'family = "par"', "'par' is not a family of [scenario]"),
    "no machines": ("prompt_machines = 3", "prompt_machines = 0", "greater than or equal to 1"),
    "scenario": ("seed = 0", "seeed = 0", "unknown key scenario.seeed"),
    "rate": ("value = 4.0", "value = -4.0", "must be above 0"),
    "maximize": ('minimize = "cost"', 'maximize = "throughput"', "a rate that is given"),
    "tolerance": ("value = 5.0", "value = 500.0", "must be at least 0 and at most 1"),
    "tolerance word": ('undecided = "undecided"', 'undecided = "fail"', "did you mean 'fails'?"),
    "verdict": ('verdict = "meets"', 'verdict = "misses"', "must be 'meets'"),
    "edited fact": ("value = 28,", "value = 27,", "facts of a plan are not to be edited"),
    "edited sha": ('sha256 = "', 'sha256 = "x', "match pattern"),
    "not packed": ("packed = '''\n", "packed = '''\n!", "cannot be unpacked"),
    "nothing": ("schema", "", "not TOML"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plan_is_refused_with_its_line(planned: World, name: str, tmp_path: Path) -> None:
    old, new, message = BROKEN[name]
    text = planned.plan.read_text(encoding="utf-8")
    assert old in text
    plan = tmp_path / "plan.toml"
    plan.write_text(text.replace(old, new, 1), encoding="utf-8")
    told = run("check", str(plan))
    assert told.exit_code == 2
    assert message in told.stderr
    assert f"{plan}:" in told.stderr
    assert told.stdout == ""


def test_everything_wrong_is_told_at_once(planned: World, tmp_path: Path) -> None:
    text = planned.plan.read_text(encoding="utf-8")
    for old, new, _ in (BROKEN["unknown key"], BROKEN["rate"], BROKEN["tolerance"]):
        text = text.replace(old, new, 1)
    plan = tmp_path / "plan.toml"
    plan.write_text(text, encoding="utf-8")
    told = run("check", str(plan), "--jobs", "0")
    assert "4 problems in the input" in told.stderr


def test_bombs_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splitwise_plan.scenario.plan.kept_files.MOST_BYTES", 1000)
    assert unpacked(packed(b"x" * 1000)) == b"x" * 1000
    with pytest.raises(ValueError, match="larger than 1,000 bytes"):
        unpacked(packed(b"x" * 1001))
    with pytest.raises(ValueError, match="cut off"):
        unpacked(packed(b"some text")[:-9])


def test_a_fact_that_changes_during_the_search_is_told(planned: World, tmp_path: Path) -> None:
    from splitwise_plan.scenario.plan.kept_files import files_of

    world = copied(planned, tmp_path)
    scenario = world.today()
    world.edit("contract.toml", "value = 2,", "value = 2.5,")
    with pytest.raises(InputError, match=r"contract\.toml: has changed since it was read"):
        files_of(scenario, tmp_path)
