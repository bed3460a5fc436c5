"""Which file each fact came from, and which are the user's own: in every form of a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import SMALL, run
from reference import ROOT

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.files import FactFiles
from splitwise_plan.report.provenance import own_facts, profiles
from splitwise_plan.scenario.load import load_scenario

OURS = "hardware/machines/dgx-h100.toml"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with a DGX-H100 and a contract of the user's."""
    machines = tmp_path / "facts" / "machines"
    machines.mkdir(parents=True)
    (machines / "dgx-h100.toml").write_bytes((ROOT / OURS).read_bytes())
    (tmp_path / "slo.toml").write_text("[ttft]\np99 = { value = 5, unit = 's' }\n")
    return tmp_path


def words(own: Path, *command: str) -> tuple[str, ...]:
    facts = ("--hardware", str(own / "facts"), "--slo", str(own / "slo.toml"))
    return (*command, *SMALL, *facts)


def test_a_source_knows_what_it_is_and_what_it_comes_before(own: Path) -> None:
    catalog = Catalog((own / "facts",))
    catalog.machine("dgx-h100")
    catalog.slos(str(own / "slo.toml"))
    machine = own / "facts" / "machines" / "dgx-h100.toml"
    sources = {source.path: source for source in catalog.sources}
    found = sources["facts/machines/dgx-h100.toml"]
    assert found.location == machine
    assert (found.kind, found.id, found.own, found.hides) == ("machines", "dgx-h100", True, OURS)
    contract = sources["slo.toml"]
    assert (contract.kind, contract.own, contract.hides) == ("", True, "")
    link = sources["hardware/links/infiniband-8x400.toml"]
    assert (link.kind, link.id, link.own) == ("links", "infiniband-8x400", False)


def test_the_users_first_folder_comes_before_the_second(own: Path, tmp_path: Path) -> None:
    second = tmp_path / "second" / "machines"
    second.mkdir(parents=True)
    (second / "dgx-h100.toml").write_bytes((ROOT / OURS).read_bytes())
    files = FactFiles((own / "facts", second.parent))
    first = files.find("machines", "dgx-h100")
    assert first is not None
    assert files.hidden_by(first) == second / "dgx-h100.toml"
    assert files.hidden_by(second / "dgx-h100.toml") == ROOT / OURS
    assert files.hidden_by(ROOT / OURS) is None


def test_what_is_read_beside_our_folders_is_the_users() -> None:
    """Ours are hardware/ and workloads/, not everything in the repository."""
    path = ROOT / "examples" / "own-facts" / "contract.toml"
    catalog = Catalog()
    catalog.slos(str(path))
    assert [source.own for source in catalog.sources] == [True]


def test_without_files_of_the_users_nothing_is_said() -> None:
    assert own_facts(load_scenario(Catalog())) == ()


def test_a_profile_of_another_machine_is_told(own: Path) -> None:
    machines = own / "facts" / "machines"
    text = (machines / "dgx-h100.toml").read_text()
    (machines / "my-h100.toml").write_text(text)
    families = "[mine]\nname = 'Mine'\nprompt_machine = 'my-h100'\n"
    counts = "{ low = 1, high = 9, unit = 'machines', source = 'ours' }"
    (own / "facts" / "families.toml").write_text(f"{families}prompt_machines = {counts}\n")
    catalog = Catalog((own / "facts",))
    scenario = load_scenario(catalog, None, {"families": ["mine"], "rate": 1})
    assert profiles(scenario) == {"my-h100": ["hardware/profiles/dgx-h100__bloom-176b.csv"]}


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "--family", "splitwise-hh", "--prompt-machines", "2", "--token-machines", "1"),
        ("search", "--families", "splitwise-hh", "--prompt-machines", "1:3", "--token-machines",
         "1:2"),
        ("sweep", "map", "--prompt-machines", "1:2", "--token-machines", "1:2"),
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_every_report_says_which_facts_are_the_users(own: Path, command: tuple[str, ...]) -> None:
    machine, out = "facts/machines/dgx-h100.toml", own / "out"
    result = run(*words(own, *command), "--out", str(out), COLUMNS="500")
    assert result.exit_code == 0, result.stderr
    [line] = [one for one in result.stdout.splitlines() if one.startswith("Own facts")]
    assert f"{machine} (before {OURS})" in line
    assert "slo.toml" in line
    sources = json.loads((out / "result.json").read_text())["provenance"]["sources"]
    assert [one["hides"] for one in sources if one["path"] == machine] == [OURS]
    report = (out / "report.md").read_text()
    yours, ours = report.split("Files of your own:")[1].split("Files of splitwise-plan:")
    assert f"`{machine}`, before `{OURS}`; sha256" in yours
    assert "`hardware/families.toml`; sha256" in ours
    if command[0] != "simulate":
        page = (out / "report.html").read_text()
        assert f"yours: {machine} (before {OURS})" in page
