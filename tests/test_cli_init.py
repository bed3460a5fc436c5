"""A starter that works as it is, and is written whole or not at all."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from commands import run, run_json

from splitwise_plan.data.init.starter_files import starter_files
from splitwise_plan.errors import OutputError
from splitwise_plan.report import files as written

FILES = {
    *("scenario.toml", "slo.toml", "prices.toml"),
    *("facts/families.toml", "facts/machines/my-h100.toml"),
}


def files_below(folder: Path) -> set[str]:
    return {one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()}


def test_the_starter_works_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "plan"
    document = run_json("init", str(folder))
    assert files_below(folder) == FILES
    assert [Path(path) for path in document["written"]] == [folder / one for one in sorted(FILES)]
    result = run_json("search", str(folder / "scenario.toml"))
    assert result["best"]["slo"]["verdict"] == "meets"
    assert result["best"]["economics"]["region"] == "here"
    assert result["best"]["economics"]["gco2_per_request"] > 0
    own = {one["path"] for one in result["provenance"]["sources"] if one["own"]}
    assert own == FILES - {"scenario.toml"}


def test_the_next_steps_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    steps = run_json("init", "my plan")["next"]
    for step in steps:
        program, *words = shlex.split(step)
        assert program == "splitwise-plan"
        assert run(*words).exit_code == 0


def test_one_price_of_the_starter_changes_and_the_answer_follows(tmp_path: Path) -> None:
    run("init", str(tmp_path))
    prices = tmp_path / "prices.toml"
    before = run_json("search", str(tmp_path / "scenario.toml"))["best"]["economics"]
    prices.write_text(prices.read_text().replace("value = 38,", "value = 19,"))
    after = run_json("search", str(tmp_path / "scenario.toml"))["best"]["economics"]
    assert after["rent_usd_per_hour"] == before["rent_usd_per_hour"] / 2
    assert after["gco2_per_request"] == before["gco2_per_request"]


def test_every_line_that_is_commented_out_may_be_used(tmp_path: Path) -> None:
    """The reserved price, and another region."""
    run("init", str(tmp_path))
    prices = tmp_path / "prices.toml"
    lines = prices.read_text().splitlines()
    used = [line.removeprefix("# ") if line.startswith(("# reserved", "# [", "# spot")) else line
            for line in lines]  # fmt: skip
    prices.write_text("\n".join(used))
    design = ("--family", "my-split", "--prompt-machines", "1", "--token-machines", "4")
    words = ("simulate", str(tmp_path / "scenario.toml"), *design)
    reserved = run_json(*words, "--term", "reserved")
    assert reserved["design"]["rent_usd_per_hour"] == 5 * 8 * 2.5
    spot = run_json(*words, "--term", "spot", "--region", "there")
    assert spot["design"]["rent_usd_per_hour"] == 5 * 20


@pytest.mark.parametrize("name", sorted(FILES))
def test_nothing_is_overwritten(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    result = run("init", str(tmp_path))
    assert result.exit_code == 2
    assert f"{path}: exists, and is not overwritten" in result.stderr
    assert result.stderr.startswith("error: 1 problem")
    assert files_below(tmp_path) == {name}
    assert path.read_text() == "mine"


def test_a_link_to_nowhere_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "slo.toml").symlink_to(tmp_path / "elsewhere.toml")
    assert run("init", str(tmp_path)).exit_code == 2
    assert [one.name for one in tmp_path.iterdir()] == ["slo.toml"]


def test_a_file_where_a_folder_should_be_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "facts").write_text("mine")
    result = run("init", str(tmp_path))
    assert result.exit_code == 2
    assert files_below(tmp_path) == {"facts"}


def test_what_was_written_before_a_failure_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written.write_file
    done: list[Path] = []

    def failing(path: Path, write: written.Writer) -> None:
        if len(done) == 3:
            raise OutputError(f"{path} was not written: No space left on device")
        done.append(path)
        whole(path, write)

    monkeypatch.setattr(written, "write_file", failing)
    result = run("init", str(tmp_path / "plan"))
    assert result.exit_code == 2
    assert "No space left" in result.stderr
    assert len(done) == 3
    assert list(tmp_path.iterdir()) == []


def test_the_starter_explains_every_key() -> None:
    """Each line of its scenario that is not a table has a comment, or stands below one."""
    for name, text in starter_files().items():
        assert text.startswith("# "), name
        assert len(max(text.splitlines(), key=len)) <= 140, name
