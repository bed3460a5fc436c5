"""The catalog: ids, the user's folders before ours, sources, and problems that say what to do."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from reference import ROOT

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.files import our_folder

SOURCE = 'source = "a quotation of ours"'


def problems(error: pytest.ExceptionInfo[InputError]) -> str:
    return str(error.value)


def own_machine(folder: Path, **changes: str) -> Path:
    """A copy of our DGX-H100 below `folder`, with some values changed."""
    text = (ROOT / "hardware/machines/dgx-h100.toml").read_text(encoding="utf-8")
    lines = [
        f"{line.split(' = ')[0]} = {changes[line.split(' = ')[0]]}"
        if line.split(" = ")[0] in changes
        else line
        for line in text.splitlines()
    ]
    path = folder / "hardware" / "machines" / "dgx-h100.toml"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_papers_machines() -> None:
    a100, h100, capped = map(Catalog().machine, ("dgx-a100", "dgx-h100", "dgx-h100-cap70"))
    assert [m.cost_usd_per_hour for m in (a100, h100, capped)] == [17.6, 38.0, 38.0]
    assert [m.provisioned_power_w for m in (a100, h100, capped)] == [6500.0, 10200.0, 7140.0]
    assert [m.paper_power for m in (a100, h100, capped)] == [24.8, 44.0, 30.8]
    assert a100.instance_memory_bytes(8) == 8 * 80 * 2**30
    assert [m.link.bandwidth_bytes_per_s for m in (a100, h100)] == [200e9, 400e9]
    assert [m.link.layerwise_visible_s for m in (a100, h100)] == [0.008, 0.005]


def test_forty_h100_are_seventy_a100_in_the_papers_accounting() -> None:
    a100, h100 = map(Catalog().machine, ("dgx-a100", "dgx-h100"))
    assert int(40 * h100.paper_power // a100.paper_power) == 70


def test_six_families_and_their_ranges() -> None:
    catalog = Catalog()
    ranges = {
        family_id: [
            (r.low, r.high)
            for r in (
                catalog.space(family_id).prompt_machines,
                catalog.space(family_id).token_machines,
            )
            if r
        ]
        for family_id in catalog.list("families")
    }
    assert ranges == {
        "baseline-a100": [(1, 139)],
        "baseline-h100": [(1, 79)],
        "splitwise-aa": [(1, 69), (1, 69)],
        "splitwise-hh": [(1, 39), (1, 39)],
        "splitwise-ha": [(1, 39), (1, 69)],
        "splitwise-hhcap": [(1, 39), (1, 39)],
    }
    assert [family.has_one_pool for family in catalog.families()] == [True, True] + [False] * 4


def test_everything_listed_can_be_read() -> None:
    catalog = Catalog()
    for machine in catalog.list("machines"):
        catalog.machine(machine)
    for link in catalog.list("links"):
        catalog.link(link)
    for llm in catalog.list("llms"):
        catalog.llm(llm)
    for assumptions in catalog.list("assumptions"):
        catalog.assumptions(assumptions)
    for slos in catalog.list("slos"):
        assert len(catalog.slos(slos).targets) == 9
    for workload in catalog.list("workloads"):
        catalog.workload(workload)
    for name in catalog.list("profiles"):
        machine, llm = name.split("__")
        catalog.profile(machine, llm, 8)


def test_sources_are_what_was_read() -> None:
    catalog = Catalog()
    catalog.llm("bloom-176b")
    (source,) = catalog.sources
    assert source.path == "workloads/llms/bloom-176b.toml"
    assert source.sha256 == hashlib.sha256((ROOT / source.path).read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("method", "name", "told"),
    [
        ("machine", "dgx-h10", "did you mean 'dgx-h100'"),
        ("llm", "llama-70b", "did you mean 'llama2-70b'"),
        ("workload", "chat", "known: coding, conversation"),
        ("family", "splitwise-h", "did you mean 'splitwise-hh'"),
        ("assumptions", "measurd", "did you mean 'measured'"),
        ("slos", "../slos/splitwise", "known: splitwise"),
        ("machine", "", "known: b200, dgx-a100"),
        ("machine", "a\0b", "known: b200, dgx-a100"),
    ],
)
def test_unknown_ids_are_told_with_what_exists(method: str, name: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        getattr(Catalog(), method)(name)
    assert told in problems(caught)


def test_missing_profiles_say_which_exist() -> None:
    with pytest.raises(InputError, match=r"no profile of gpt on dgx-a100 .*dgx-a100__bloom-176b"):
        Catalog().profile("dgx-a100", "gpt", 8)
    with pytest.raises(InputError, match=r"no profile at 4 GPUs \(measured: 8\)"):
        Catalog().profile("dgx-a100", "bloom-176b", 4)


def test_a_users_folder_comes_before_ours(tmp_path: Path) -> None:
    path = own_machine(tmp_path, cost=f'{{ value = 20, unit = "USD/h", {SOURCE} }}')
    catalog = Catalog((tmp_path,))
    assert catalog.machine("dgx-h100").cost_usd_per_hour == 20
    assert catalog.machine("dgx-a100").cost_usd_per_hour == 17.6
    assert catalog.family("splitwise-hh").prompt_machine.cost_usd_per_hour == 20
    [own] = [source for source in catalog.sources if source.location == path]
    assert own.path == f"{tmp_path.name}/hardware/machines/dgx-h100.toml"
    assert Catalog((tmp_path / "hardware",)).machine("dgx-h100").cost_usd_per_hour == 20


def test_everything_wrong_in_a_file_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    path = own_machine(
        tmp_path,
        cost='{ value = 38, unit = "USD/h" }',
        gpus=f'{{ value = 7.5, unit = "GPUs", {SOURCE} }}',
        power_cap=f'{{ value = 1.2, unit = "1", {SOURCE} }}',
        gpu_tdp=f'{{ value = 700, unit = "V", {SOURCE} }}',
        link='"infiniban"\ncolour = 3',
    )
    with pytest.raises(InputError) as caught:
        Catalog((tmp_path,)).machine("dgx-h100")
    told = problems(caught)
    lines = path.read_text(encoding="utf-8").splitlines()
    for key, text in {
        "gpus": "gpus must be a whole number, not 7.5 GPUs",
        "gpu_tdp": "gpu_tdp unit 'V' is not one of power; use 'W', 'kW', 'MW'",
        "cost": "cost.source is missing",
        "power_cap": "power_cap must be above 0 and at most 1, not 1.2 1",
        "colour": "unknown key colour",
    }.items():
        line = next(n for n, text in enumerate(lines, 1) if text.startswith(key))
        assert f"{path}:{line}: {text}" in told


def test_a_machine_of_an_unknown_link(tmp_path: Path) -> None:
    own_machine(tmp_path, link='"infiniband"')
    with pytest.raises(InputError, match=r"toml:\d+: unknown link 'infiniband' \(did you mean"):
        Catalog((tmp_path,)).machine("dgx-h100")


def test_folders_must_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        Catalog((tmp_path / "nowhere",))


def test_slos_in_seconds_any_percentile_and_attainment(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(
        "[ttft]\np99 = { value = 400, unit = 'ms' }\n'p99.9' = 6\n"
        "[[attainment]]\nshare = { value = 90, unit = '%' }\n"
        "ttft = { value = 0.4, unit = 's' }\ntbt = { value = 40, unit = 'ms' }\n",
        encoding="utf-8",
    )
    slos = Catalog().slos(str(path))
    assert [(t.metric, t.percentile, t.limit, t.unit) for t in slos.targets] == [
        ("ttft", 99.0, 0.4, "s"),
        ("ttft", 99.9, 6.0, "slowdown"),
    ]
    (attainment,) = slos.attainments
    assert attainment.share == 0.9
    assert attainment.limits == (("ttft", 0.4, "s"), ("tbt", 0.04, "s"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "sets no limit"),
        ("[ttft]\np101 = 2\n", ":2: ttft.p101 must be a percentile"),
        ("[ttft]\np50 = 0\n", ":2: ttft.p50 must be above 0"),
        ("[ttft]\np50 = { value = 1, unit = 'W' }\n", ":2: ttft.p50 unit 'W' must be 'slowdown'"),
        ("[tpot]\np50 = 2\n", ":1: unknown key tpot"),
        ("[[attainment]]\nshare = 0.9\n", "needs a limit"),
        ("[[attainment]]\nshare = 90\nttft = 1\n", ":2: attainment.0.share must be above 0"),
    ],
)
def test_faulty_slos(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "slo.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Catalog().slos(str(path))
    assert told in problems(caught)


def test_a_machine_that_draws_more_idle_than_rated_is_refused(tmp_path: Path) -> None:
    ours = (our_folder() / "hardware/machines/dgx-h100.toml").read_text(encoding="utf-8")
    text = ours.replace("idle_power = { value = 2800", "idle_power = { value = 99999")
    assert text != ours
    (tmp_path / "machines").mkdir()
    (tmp_path / "machines/dgx-h100.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="check the units"):
        Catalog((tmp_path,)).machine("dgx-h100")
