"""`splitwise-plan reproduce`: the parts that take no minutes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from commands import run, run_json

from splitwise_paper.batching import latencies, machine
from splitwise_paper.capacity import best_splits, capacities
from splitwise_paper.designs import budgeted
from splitwise_paper.finding import Finding, Item, Line, Tolerance, ratio, value
from splitwise_paper.machines import H100, placed
from splitwise_paper.one_machine import MECHANISMS, Mechanism, OneMachine
from splitwise_paper.quoted import Quoted, read_paper
from splitwise_paper.registry import ITEMS
from splitwise_paper.run import new_study, reproduce
from splitwise_paper.sheets import sheet
from splitwise_paper.study import MEASURED, SPLITWISESIM, Stack, Study, design
from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.files import parse_toml
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.sweep import at_rate
from splitwise_plan.report.formats import markdown
from splitwise_plan.report.page import Page
from splitwise_plan.scenario.sampling import requests_for
from splitwise_plan.sim.metrics import request_latencies

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs" / "reproduction.md"

ASKED = (
    *("table1", "table4", "table5", "table6", "batch", "insights", "conclusions"),
    *(f"fig{number}" for number in (*range(2, 10), 12, *range(14, 21))),
)
"""What the reproduction has to hold."""

CHEAP = (
    *("table1", "table4", "table5"),
    *("fig3", "fig5", "fig6", "fig7", "fig8", "fig9", "fig14", "fig15"),
)
"""Items without simulated clusters: the same whatever the effort."""


@pytest.fixture(scope="module")
def study() -> Study:
    return new_study(Catalog(), quick=True)


@pytest.fixture(scope="module")
def cheap(study: Study) -> list[tuple[Item, Finding]]:
    return reproduce(study, CHEAP)


def test_every_item_is_there_once() -> None:
    ids = [item.id for item in ITEMS]
    assert len(ids) == len(set(ids))
    assert set(ASKED) <= set(ids)


def test_every_number_of_the_paper_has_unit_and_source(study: Study) -> None:
    numbers = study.paper.numbers
    assert len(numbers) > 150
    for key, one in numbers.items():
        assert one.unit, key
        assert re.search(r"Table|Fig\.|sec\.|abstract|SplitwiseSim|rps of", one.source), key


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[a]\nx = { value = 1, unit = 's' }", "a.x.source|source is missing"),
        ("[a]\nx = { value = 1, unit = 'parsec', source = 'Fig. 1' }", "unknown unit 'parsec'"),
        ("[a]\nx = { value = 2, high = 1, unit = 's', source = 'Fig. 1' }", "above high 1"),
        ("[a]\nx = 3", "must be a table"),
    ],
)
def test_bad_numbers_of_the_paper_are_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as raised:
        read_paper([parse_toml(text, "paper.toml")])
    assert raised.value.problems[0].line == 2


def test_a_number_given_twice_is_refused() -> None:
    text = "[a]\nx = { value = 1, unit = 's', source = 'Fig. 1' }"
    with pytest.raises(InputError, match="given twice"):
        read_paper([parse_toml(text, "one.toml"), parse_toml(text, "two.toml")])


PAPER = Quoted(2.0, 2.5, "x", "Fig. 1", "printed")


@pytest.mark.parametrize(
    ("ours", "within", "same"),
    [
        (2.3, Tolerance(), True),
        (1.9, Tolerance(), False),
        (1.9, Tolerance(share=0.05), True),
        (2.7, Tolerance(share=0.08), True),
        (2.71, Tolerance(share=0.08), False),
        (3.5, Tolerance(step=1.0), True),
        (3.6, Tolerance(step=1.0), False),
    ],
)
def test_a_line_is_the_same_within_its_tolerance(
    ours: float, within: Tolerance, same: bool
) -> None:
    line = Line("what", "x", PAPER, {"measured": value(ours), "other": None}, within)
    assert line.same("measured") is same
    assert line.same("other") is None


def test_ratios_are_seed_by_seed() -> None:
    found = ratio([120.0, 130.0], [60.0, 50.0])
    assert (found.low, found.mean, found.high) == (2.0, 2.3, 2.6)


def test_lines_have_the_unit_of_the_paper(cheap: list[tuple[Item, Finding]]) -> None:
    for item, found in cheap:
        for line in found.lines:
            assert line.unit, (item.id, line.what)
            assert line.paper is None or line.unit == line.paper.unit, (item.id, line.what)


def test_what_differs_says_why(cheap: list[tuple[Item, Finding]]) -> None:
    for item, found in cheap:
        for stack in (MEASURED, SPLITWISESIM):
            reasons = found.reasons(stack.id, item)
            assert all(reasons), (item.id, stack.id, reasons)
            assert sum(map(len, reasons.values())) == len(found.missed(stack.id))
        assert not found.missed(item.basis) or item.gap


def test_what_was_measured_on_machines_is_the_same(cheap: list[tuple[Item, Finding]]) -> None:
    """The exception is Table IV, whose data is not the published profile."""
    for item, found in cheap:
        if item.basis == MEASURED.id and item.id != "table4":
            compared, same = found.compared(MEASURED.id)
            assert same == compared, item.id


def test_the_fault_of_splitwisesim_shows(cheap: list[tuple[Item, Finding]]) -> None:
    """Its token times do not grow with the batch (paper: 2x at 64 sequences)."""
    found = {item.id: found for item, found in cheap}["fig5"]
    growth = [line for line in found.lines if "64 sequences" in line.what]
    assert len(growth) == 2
    for line in growth:
        ours = [line.ours[stack.id] for stack in (SPLITWISESIM, MEASURED)]
        assert ours[0] is not None
        assert ours[1] is not None
        assert ours[0].mean == pytest.approx(1.0, abs=0.02)
        assert 1.7 < ours[1].mean < 2.1


@pytest.mark.parametrize("stack", [SPLITWISESIM, MEASURED], ids=lambda stack: stack.id)
def test_one_machine_mixed_is_the_simulators(study: Study, stack: Stack) -> None:
    """The plain machine of Fig. 2 and the kernel, whose ageing and queue order it leaves out."""
    scenario = at_rate(study.scenario(stack, workload="conversation", horizon="window"), 1.0)
    simulator = Evaluator(scenario, 1).simulator(0)
    theirs = request_latencies(simulator, simulator.run(design(scenario, "baseline-h100", 1, 0)))
    one = placed(study, stack, H100, workload="conversation")
    iterations = list(machine(one, simulator.requests, "mixed").run())
    ttft, _, _ = latencies(simulator.requests, iterations)
    assert np.median(ttft) == pytest.approx(np.median(theirs["ttft"]), rel=0.05)
    assert np.mean(ttft) == pytest.approx(np.mean(theirs["ttft"]), rel=0.1)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_token_is_made_once(study: Study, mechanism: Mechanism) -> None:
    scenario = at_rate(study.scenario(MEASURED, workload="coding", duration=20), 1.0)
    requests = requests_for(scenario, 0)
    one = placed(study, MEASURED, H100)
    iterations = list(OneMachine(one.times, requests, mechanism).run())
    made = np.zeros(len(requests), dtype=np.int64)
    for iteration in iterations:
        assert iteration.prompts or iteration.tokens
        assert iteration.end_s > iteration.start_s
        if mechanism != "mixed":
            assert not (iteration.prompts and iteration.tokens)
        for at in (*iteration.prompts, *iteration.tokens):
            made[at] += 1
            assert iteration.start_s >= requests.arrival_s[at]
    np.testing.assert_array_equal(made, requests.output_tokens)


def test_capacities_do_not_depend_on_where_one_begins(study: Study) -> None:
    asked = {"workload": "coding", "duration": 150, "horizon": "window", "rate_step": 1}
    scenario = study.scenario(MEASURED, **asked)
    one = design(scenario, "splitwise-hh", 3, 1)
    below, above = (capacities(scenario, [one], [near], 1)[0] for near in (1.0, 30.0))
    assert below == above
    assert 1.0 < below[0] < 30.0


def test_a_best_split_carries_at_least_as_much_as_any(study: Study) -> None:
    asked = {
        "duration": 60,
        "horizon": "window",
        "rate_step": 1,
        "workload": "coding",
        "families": ["splitwise-hh"],
    }
    scenario = study.scenario(MEASURED, maximize="throughput", cost_budget="4xdgx-h100", **asked)
    best = best_splits(scenario, {"splitwise-hh": 5.0}, 1)["splitwise-hh"]
    every = [design(scenario, "splitwise-hh", prompt, 4 - prompt) for prompt in (1, 2, 3)]
    assert best.rates_rps[0] >= max(rate for [rate] in capacities(scenario, every, [5.0] * 3, 1))


def test_budgets_are_those_of_the_paper(study: Study) -> None:
    power = budgeted(study, SPLITWISESIM, "iso-power", "splitwise-aa").power_budget
    assert power == pytest.approx(40 * 44.0)
    cost = budgeted(study, MEASURED, "iso-cost", "splitwise-aa").cost_budget_usd_per_hour
    assert cost == pytest.approx(40 * 38.0)


def test_an_unknown_item_is_refused_with_the_nearest() -> None:
    result = run("reproduce", "fig99", "tabel4", "--seeds", "0")
    assert result.exit_code == 2
    assert "3 problems" in result.stderr
    assert "unknown item 'tabel4' (did you mean 'table4'?" in result.stderr


def test_the_document(study: Study) -> None:
    document = run_json("reproduce", "fig14", "fig15", "--quiet", "--assumptions", "measured")
    assert document["schema"] == "splitwise-plan/reproduction/1"
    assert document["assumptions"] == ["measured"]
    assert [item["id"] for item in document["items"]] == ["fig14", "fig15"]
    line = document["items"][0]["lines"][0]
    assert line["paper"]["unit"] == line["unit"] == "ms"
    assert line["same"] == {"measured": True}


def test_the_folder_of_results(tmp_path: Path) -> None:
    result = run("reproduce", "fig5", "fig14", "--quiet", "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "What reproduces" in result.stdout
    page = (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    for name in re.findall(r"\]\((figures/.*?)\)", page):
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<svg")
    assert page.count("](figures/") == 2
    assert "`splitwise-plan reproduce fig5 fig14`" in page
    assert "paper/machine.toml" in page
    rows = (tmp_path / "reproduction.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("item,what,unit,paper_low")
    assert {row.split(",")[0] for row in rows[1:]} == {"fig5", "fig14"}


def sections(page: str) -> dict[str, str]:
    """The parts of a Markdown page by their headings, without figures."""
    parts = page.split("\n## ")[1:]
    found = {part.partition("\n")[0]: part for part in parts}
    return {title: re.sub(r"\n!\[.*?\n", "\n", part).rstrip() for title, part in found.items()}


def test_the_documentation_is_what_the_simulator_says(
    study: Study, cheap: list[tuple[Item, Finding]]
) -> None:
    """The items that are quick; `make verify` compares more."""
    committed = sections(DOCS.read_text(encoding="utf-8"))
    for item, found in cheap:
        shown = sheet(item, found, study.stacks, f"figures/{item.id}.svg")
        [(title, made)] = sections(markdown.render(Page("", (), (shown,)))).items()
        assert committed[title] == made


def test_the_documentation_shows_its_figures() -> None:
    page = DOCS.read_text(encoding="utf-8")
    figures = re.findall(r"\]\((figures/.*?)\)", page)
    assert len(figures) == len(ITEMS)
    assert all((DOCS.parent / name).is_file() for name in figures)
    assert sum(path.stat().st_size for path in DOCS.parent.glob("figures/*")) < 2_000_000
