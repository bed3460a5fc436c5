"""What a check tells, in every form that CI reads."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import run
from junit_schema import faults
from plan_edits import EDITS, EXIT_CODES
from plans import MACHINE, World, copied
from selection import few

from splitwise_plan.report.cases import Case
from splitwise_plan.report.formats.annotations import commands
from splitwise_plan.report.formats.junit import junit

FEW = ("traffic +30 %", "traffic +100 %", "TTFT P99 halved")
"""Edits after which a plan holds, does not, and is too close to call; the others only in verify."""

HOSTILE = "=cmd|'/c calc'!A1 <&\">]]> \x00\x1b[31m ::error::\r\n%0A,: \ud800 🤖"


@pytest.fixture(autouse=True)
def _not_on_github(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


def edited(planned: World, folder: Path, name: str) -> World:
    world = copied(planned, folder)
    EDITS[name][0](world)
    return world


def words(world: World) -> list[str]:
    flags = [word for key, value in world.flags.items() for word in (f"--{key}", value)]
    return ["check", str(world.plan), *flags]


@pytest.mark.parametrize("name", few(EDITS, FEW))
def test_junit_validates_and_counts(planned: World, name: str, tmp_path: Path) -> None:
    world = edited(planned, tmp_path, name)
    target = tmp_path / "junit.xml"
    found = run(*words(world), "--junit", str(target))
    assert found.exit_code == EXIT_CODES.get(name, 0)
    root = ElementTree.parse(target).getroot()
    assert faults(root) == []
    cases = [case.get("name") for case in root.iter("testcase")]
    assert len(cases) == 11
    assert cases[-2:] == ["still the best within 5 %", "facts"]
    assert bool(list(root.iter("failure"))) == (found.exit_code == 3)
    assert bool(list(root.iter("error"))) == (found.exit_code == 4)
    names = {one.get("name") for one in root.iter("property")}
    assert {"version", "numpy", "seed", "plan_sha256", "scenario_sha256"} <= names


def test_the_schema_finds_faults() -> None:
    broken = ElementTree.fromstring(
        "<testsuites><testsuite name='x' tests='2' failures='0' errors='0' colour='red'>"
        "<testcase><failure/><report/></testcase>text</testsuite><testcase name='y'/></testsuites>"
    )
    told = " ".join(faults(broken))
    for fault in ("colour", "name is missing", "report", "tests is not 1", "failures is not 1"):
        assert fault in told
    assert "no place for testcase" in told


def test_hostile_texts_stay_texts() -> None:
    case = Case("slo", HOSTILE, "fails", HOSTILE)
    root = ElementTree.fromstring(junit([case], {HOSTILE: HOSTILE}, HOSTILE, HOSTILE).encode())
    assert faults(root) == []
    assert '<&">]]>' in (root.find(".//testcase").get("name") or "")  # type: ignore[union-attr]
    [line] = commands(HOSTILE, [case], [])
    assert len(line.splitlines()) == 1
    assert re.fullmatch(r"::error file=[^,:]*,title=[^,:]*::.*", line)
    [line] = commands("p", [], ["one\n::error::two"])
    assert line == "::warning file=p,title=plan::one%0A::error::two"


def test_ids_that_a_spreadsheet_would_run(planned: World, tmp_path: Path) -> None:
    """A machine whose name is a formula, and a plan in a folder with an awkward name."""
    world = copied(planned, tmp_path / "a, b; c: <d>")
    for path in (world.plan, world.folder / "scenario.toml", *world.folder.rglob("families.toml")):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('name = "Pair"', 'name = "=1+1|<b>"'), encoding="utf-8")
    world.save_plan()
    EDITS["traffic -40 %"][0](world)
    target = tmp_path / "junit.xml"
    found = run(*words(world), "--format", "csv", "--junit", str(target))
    rows = list(csv.reader(io.StringIO(found.stdout)))
    assert len({len(row) for row in rows}) == 1
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]
    assert faults(ElementTree.parse(target).getroot()) == []
    shown = run(*words(world), "--format", "markdown").stdout
    assert "<b>" not in shown.replace(r"\<b\>", "")


@pytest.mark.parametrize("format_", few(["table", "csv", "markdown", "json"], ["table", "csv"]))
def test_other_formats_and_nothing_on_stderr(planned: World, format_: str, tmp_path: Path) -> None:
    world = edited(planned, tmp_path, "price +25 %")
    found = run(*words(world), "--format", format_)
    assert found.exit_code == 3
    assert found.stderr == ""
    assert "price of fast" in found.stdout or '"price"' in found.stdout


def test_the_table_tells_what_changed_and_what_to_do(planned: World, tmp_path: Path) -> None:
    world = edited(planned, tmp_path, "price +25 %")
    shown = " ".join(run(*words(world)).stdout.split())
    assert "accepted at $112/h, 40.8 kW; now +25 %, by the price of fast" in shown
    assert "no longer holds: another design is better by more than is tolerated" in shown
    assert "12 % of the cost could be saved (5 % tolerated): Splitwise-AA, 6 prompt + 1" in shown
    assert "Because price of fast ($28/h → $35/h): alone does it" in shown
    out = tmp_path / "out"
    shown = run(*words(world), "--out", str(out)).stdout
    assert f"splitwise-plan search {out}/scenario.toml --save-plan {world.plan}" in shown


def test_power_where_it_is_what_is_least(planned: World, tmp_path: Path) -> None:
    world = copied(planned, tmp_path)
    world.edit("scenario.toml", "duration", 'minimize = "power"\nduration')
    world.save_plan()
    world.edit(MACHINE, "value = 10200", "value = 12750")
    shown = " ".join(run(*words(world)).stdout.split())
    assert "accepted at $112/h, 40.8 kW; now +25 %, by the machine fast" in shown
    assert "machine fast provisioned power 10,200 → 12,750 W 51.0 " in shown


def test_a_folder_of_results(planned: World, tmp_path: Path) -> None:
    """And the way on: today's question makes a plan that holds."""
    world = edited(planned, tmp_path, "price +25 %")
    out = tmp_path / "out"
    assert run(*words(world), "--out", str(out)).exit_code == 3
    assert {path.name for path in out.iterdir()} == {
        *("checks.csv", "junit.xml", "report.md", "result.json", "scenario.toml")
    }
    document = json.loads((out / "result.json").read_text(encoding="utf-8"))
    assert document["schema"] == "splitwise-plan/check/1"
    made = run("search", str(out / "scenario.toml"), "--save-plan", str(world.plan))
    assert made.exit_code == 0
    assert world.check()[0] == 0


def test_the_document_is_the_same_whatever_the_jobs(planned: World, tmp_path: Path) -> None:
    world = edited(planned, tmp_path, "price +25 %")
    documents = []
    for jobs in ("1", "2"):
        told = json.loads(run(*words(world), "--format", "json", "--jobs", jobs).stdout)
        del told["timing"]
        documents.append(told)
    assert documents[0] == documents[1]


def test_a_check_says_the_same_wherever_files_are(planned: World, tmp_path: Path) -> None:
    kept = []
    for name in ("one", "another"):
        world = edited(planned, tmp_path / name, "price +25 %")
        out = tmp_path / f"out of {name}"
        assert run(*words(world), "--out", str(out)).exit_code == 3
        told = json.loads((out / "result.json").read_text(encoding="utf-8"))
        del told["timing"]
        texts = [(out / f).read_bytes() for f in ("checks.csv", "junit.xml", "report.md")]
        kept.append((told, texts))
    assert kept[0] == kept[1]


def test_on_github(planned: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Annotations on stderr, one JSON document on stdout, and the report added to the summary."""
    world = edited(planned, tmp_path, "traffic +100 %")
    summary = tmp_path / "summary.md"
    summary.write_text("# Before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    found = run(*words(world), "--format", "json")
    document = json.loads(found.stdout)
    lines = found.stderr.splitlines()
    failing = [case["name"] for case in document["cases"] if case["outcome"] == "fails"]
    assert [line.partition("title=")[2].partition("::")[0] for line in lines] == failing
    assert all(line.startswith(f"::error file={world.plan},") for line in lines)
    told = summary.read_text(encoding="utf-8")
    assert told.startswith("# Before\n# Plan check\n")
    assert "| rate |" in told


def test_a_summary_that_cannot_be_written_is_told(
    planned: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    found = run("check", str(planned.plan))
    assert found.exit_code == 2
    assert "was not written" in found.stderr


def test_outputs_do_not_replace_what_is_read(planned: World, tmp_path: Path) -> None:
    world = copied(planned, tmp_path)
    for target in (world.plan, world.folder / "contract.toml"):
        found = run("check", str(world.plan), "--junit", str(target))
        assert found.exit_code == 2
        assert "is read by this run" in found.stderr
    found = run("check", str(world.plan), "--out", str(world.folder))
    assert "holds files that this run reads" in found.stderr
