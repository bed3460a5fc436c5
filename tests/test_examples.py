"""Every example prints what its folder says, and the README what the first example prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from selection import few
from typer.testing import CliRunner

from splitwise_plan.app import app

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path.parent for path in ROOT.glob("examples/*/expected.txt"))
QUICK = [
    ROOT / "examples" / name
    for name in ("own-benchmark", "own-facts", "own-measurements", "rolling-maintenance")
]
WIDTH = {"COLUMNS": "100", "NO_COLOR": "1"}


def commands(markdown: Path) -> list[str]:
    """The lines of the `sh` blocks of a file."""
    blocks = re.findall(r"```sh\n(.*?)```", markdown.read_text(encoding="utf-8"), re.DOTALL)
    return [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]


def run(command: str) -> str:
    """Run a `splitwise-plan` command line at the root of the repository."""
    words = shlex.split(command)
    assert Path(words[0]).name == "splitwise-plan"
    result = CliRunner().invoke(app, words[1:], env=WIDTH, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(autouse=True)
def _at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("folder", few(EXAMPLES, QUICK), ids=lambda folder: folder.name)
def test_example_prints_what_is_expected(folder: Path) -> None:
    [command] = commands(folder / "README.md")
    assert run(command) == (folder / "expected.txt").read_text(encoding="utf-8")


def test_readme_shows_the_answer_of_the_first_example() -> None:
    """`make demo` runs `splitwise-plan search`, whose defaults the first example spells out."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"<!-- output: .*? -->\n```\n(.*?)```", readme, re.DOTALL)
    expected = (ROOT / "examples/coding-70rps/expected.txt").read_text(encoding="utf-8")
    without_next = re.compile(r"\nNext .*", re.DOTALL)
    assert without_next.sub("", shown) == without_next.sub("", expected)


README = [line for line in commands(ROOT / "README.md") if "splitwise-plan" in line]
QUICK_WORDS = ("simulate", "catalog", "--trace", "throughput_per_cost")


@pytest.mark.parametrize(
    "command", few(README, [one for one in README if any(word in one for word in QUICK_WORDS)])
)
def test_readme_command_runs(command: str) -> None:
    """The commands of "Ask your own question"."""
    run(command)


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in set(re.findall(r"make ([a-z]+)", readme)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
