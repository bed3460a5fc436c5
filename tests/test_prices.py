"""Prices and electricity: chosen in one file, and the answer follows."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import pytest
from commands import SMALL, run, run_json
from outcomes import design as design_of
from outcomes import details, paper_answer
from outcomes import scenario as scenario_with

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.prices import Energy, Tariff
from splitwise_plan.models.economics import economics
from splitwise_plan.questions.search.rows import search_rows
from splitwise_plan.report import economics as told
from splitwise_plan.report.formats import jsonfmt
from splitwise_plan.report.formats.csvfmt import text
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario

OURS = """
name = "Our contract"
date = 2026-01-31
[regions.west.machines.dgx-h100]
on-demand = { value = 5, unit = "USD/h per GPU", source = "our quotation" }
reserved = { value = 20, unit = "USD/h per machine", source = "our contract", date = 2025-12-01 }
[regions.west.energy]
price = { value = 100, unit = "USD/MWh", source = "our contract" }
pue = { value = 1.5, unit = "1", source = "our meter" }
grid_intensity = { value = 400, unit = "gCO2/kWh", source = "our utility" }
[regions.east.machines.dgx-h100]
spot = { value = 12, unit = "USD/h per machine", source = "our quotation" }
"""
HH = {"families": ["splitwise-hh"], "rate": 5}


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "ours.toml"
    path.write_text(OURS, encoding="utf-8")
    return path


def priced(path: Path | str, **keys: Any) -> Scenario:
    return load_scenario(Catalog(), None, {**HH, "prices": str(path), **keys})


def h100_cost(scenario: Scenario) -> float:
    return scenario.spaces[0].family.prompt_machine.cost_usd_per_hour


def refused(path: Path | str, **keys: Any) -> str:
    with pytest.raises(InputError) as caught:
        priced(path, **keys)
    return str(caught.value)


def test_a_price_per_gpu_is_multiplied_and_one_per_machine_is_not(prices: Path) -> None:
    assert h100_cost(priced(prices, region="west")) == 8 * 5
    assert h100_cost(priced(prices, region="west", term="reserved")) == 20
    assert h100_cost(priced(prices, region="east", term="spot")) == 12


def test_without_prices_a_machine_costs_what_its_file_says() -> None:
    scenario = load_scenario(Catalog(), None, HH)
    assert scenario.tariff == Tariff()
    assert h100_cost(scenario) == 38


@pytest.mark.parametrize("name", Catalog().list("prices"))
def test_our_price_files_agree_with_the_paper(name: str) -> None:
    scenario = load_scenario(Catalog(), None, {"prices": name})
    for space in scenario.spaces:
        for machine in space.family.machines:
            paper = 17.6 if machine.id == "dgx-a100" else 38
            assert machine.cost_usd_per_hour == pytest.approx(paper, rel=0.005)


def test_a_budget_in_machines_counts_their_chosen_price(prices: Path) -> None:
    keys = {"maximize": "throughput", "cost_budget": "3xdgx-h100", "rate": None, "region": "west"}
    assert priced(prices, **keys).cost_budget_usd_per_hour == 120


def test_what_is_wrong_with_the_choice_is_told(prices: Path) -> None:
    assert "region is missing" in refused(prices)
    assert "did you mean 'west'" in refused(prices, region="wst")
    assert "--term: term must be 'on-demand', 'reserved' or 'spot'" in refused(
        prices, term="monthly"
    )
    dear = refused(prices, region="east")
    assert "has no on-demand price of dgx-h100 in east (it has: spot)" in dear
    assert "unknown price file 'coreweave'" in refused("coreweave")


def test_a_machine_without_a_price_is_no_machine_at_another_price(prices: Path) -> None:
    """Not at that of its own file either: prices of two sources would be compared."""
    problem = refused(prices, region="west", families=["splitwise-ha", "splitwise-aa"])
    assert problem.count("has no price of dgx-a100 in west") == 1


def test_a_region_without_prices_has_no_effect_and_is_refused() -> None:
    for key, value in (("region", "west"), ("term", "spot")):
        with pytest.raises(InputError, match=f"{key} has no effect without prices"):
            load_scenario(Catalog(), None, {**HH, key: value})


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("USD/h per GPU", "USD/h", "'USD/h' must say of what: 'USD/h per machine' or 'USD/h per"),
        ("value = 5,", "value = -5,", "must be at least 0"),
        (', source = "our quotation"', "", "source is missing"),
        ("on-demand", "ondemand", "did you mean 'on-demand'"),
        ("USD/MWh", "USD/h", "is not one of energy price; use 'USD/kWh', 'USD/MWh'"),
        ("value = 1.5", "value = 0.5", "must be at least 1 and at most 10"),
        ("date = 2026-01-31\n", "", "date is missing"),
        ("gCO2/kWh", "g", "is not one of carbon intensity"),
    ],
)
def test_broken_price_files(prices: Path, old: str, new: str, problem: str) -> None:
    prices.write_text(OURS.replace(old, new, 1), encoding="utf-8")
    shown = refused(prices, region="west")
    assert problem in shown
    assert f"{prices}:" in shown


def test_the_scenarios_electricity_comes_before_that_of_the_region(prices: Path) -> None:
    scenario = priced(prices, region="west", energy={"pue": 1.2})
    assert scenario.tariff.energy == Energy(0.1, 1.2, 400.0)
    alone = load_scenario(Catalog(), None, {**HH, "energy": {"price": 0.2, "in_cost": True}})
    assert alone.tariff.energy == Energy(0.2, None, None, in_cost=True)


def test_electricity_in_the_cost_is_that_of_provisioned_power(prices: Path) -> None:
    scenario = priced(prices, region="west", energy={"in_cost": True})
    design = design_of(scenario, "splitwise-hh", 2, 1)
    assert design.rent_usd_per_hour == 3 * 40
    assert design.cost_usd_per_hour == pytest.approx(3 * (40 + 10.2 * 1.5 * 0.1))
    with pytest.raises(InputError, match="in_cost needs the price of electricity"):
        load_scenario(Catalog(), None, {**HH, "energy": {"in_cost": True}})


def test_a_cap_between_two_that_are_listed_is_priced_between_them() -> None:
    energy = {"in_cost": True}
    keys = {"families": ["splitwise-hh@85%"], "prices": "coreweave-2023", "energy": energy}
    [space] = load_scenario(Catalog(), None, {**HH, **keys}).spaces
    capped = space.family.machines[-1]
    assert capped.between == ("dgx-h100-cap70", "dgx-h100")
    assert capped.cost_usd_per_hour == pytest.approx(38)
    assert capped.power_usd_per_hour == pytest.approx(0.85 * 10.2 * 1.58 * 0.0892)


@pytest.mark.parametrize("energy", [{}, {"in_cost": True, "price": 0.3}])
def test_the_resolved_scenario_gives_itself_again(
    prices: Path, energy: dict[str, Any], tmp_path: Path
) -> None:
    first = priced(prices, region="west", term="reserved", energy=energy)
    path = tmp_path / "deep" / "again.toml"
    path.parent.mkdir()
    path.write_text(first.resolved_toml, encoding="utf-8")
    again = load_scenario(Catalog(), path)
    assert again.resolved_toml == first.resolved_toml
    assert again.tariff == first.tariff
    assert again.spaces == first.spaces
    assert again.sources == first.sources


def test_another_price_file_on_the_command_line_has_its_own_regions(
    prices: Path, tmp_path: Path
) -> None:
    path = tmp_path / "s.toml"
    path.write_text(f"rate = 5\nfamilies = 'splitwise-hh'\nprices = '{prices}'\nregion = 'west'\n")
    flagged = load_scenario(Catalog(), path, {"prices": "splitwisesim"})
    assert h100_cost(flagged) == pytest.approx(8 * 4.76)


def test_one_price_changes_and_the_answer_follows(tmp_path: Path) -> None:
    """A100s at half their price win; so they do where a GPU's price is meant."""
    words = ("search", *SMALL, "--families", "baseline-a100,baseline-h100", "--machines", "1:12")
    path = tmp_path / "prices.toml"
    winners = []
    for a100 in ("8.8", "60"):
        prices = {"dgx-a100": a100, "dgx-h100": "38"}
        tables = "".join(
            f"[regions.here.machines.{machine}]\n"
            f"on-demand = {{ value = {price}, unit = 'USD/h per machine', source = 'a test' }}\n"
            for machine, price in prices.items()
        )
        path.write_text(f"name = 'x'\ndate = 2026-01-01\n{tables}", encoding="utf-8")
        best = run_json(*words, "--prices", str(path))["best"]["design"]
        winners.append((best["family"], best["cost_usd_per_hour"] / best["machines"]))
    assert winners == [("baseline-a100", 8.8), ("baseline-h100", 38)]


def test_the_arithmetic() -> None:
    """By hand: 1,000 tokens/s are 3.6 million an hour; 10 kW at PUE 1.5 are 15 kW."""
    found = economics(
        Energy(0.1, 1.5, 400.0),
        rent_usd_per_hour=72.0,
        average_power_w=10_000.0,
        wh_per_request=2.0,
        prompt_tokens_per_s=900.0,
        output_tokens_per_s=100.0,
    )
    assert found.rent_usd_per_million_tokens == pytest.approx(20.0)
    assert found.rent_usd_per_million_output_tokens == pytest.approx(200.0)
    assert found.energy_usd_per_hour == pytest.approx(1.5)
    assert found.rent_and_energy_usd_per_hour == pytest.approx(73.5)
    assert found.rent_and_energy_usd_per_million_tokens == pytest.approx(73.5 / 3.6)
    assert found.rent_and_energy_usd_per_million_output_tokens == pytest.approx(73.5 / 0.36)
    assert found.site_wh_per_request == pytest.approx(3.0)
    assert found.gco2_per_request == pytest.approx(1.2)


def test_what_is_not_given_is_not_guessed() -> None:
    found = economics(
        Energy(), rent_usd_per_hour=72.0, average_power_w=10_000.0, wh_per_request=2.0,
        prompt_tokens_per_s=nan, output_tokens_per_s=nan,
    )  # fmt: skip
    assert found.energy_usd_per_hour is None
    assert found.rent_and_energy_usd_per_million_tokens is None
    assert found.gco2_per_request is None
    assert found.site_wh_per_request == 2.0
    assert isnan(found.rent_usd_per_million_tokens)


def test_simulate_tells_what_a_million_tokens_cost() -> None:
    design = ("--family", "splitwise-hh", "--prompt-machines", "2", "--token-machines", "1")
    words = ("simulate", *design, *SMALL, "--prices", "coreweave-2023")
    document = run_json(*words)
    found, energy = document["economics"], document["energy"]
    assert (found["prices"], found["region"]) == ("coreweave-2023", "us-virginia")
    assert found["rent_usd_per_hour"] == 3 * 38
    kw = energy["average_power_w"] / 1e3
    assert found["energy_usd_per_hour"] == pytest.approx(kw * 1.58 * 0.0892)
    assert found["gco2_per_request"] == pytest.approx(energy["wh_per_request"] * 1.58 * 0.39)
    shown = run(*words).stdout
    assert "\nCost        $" in shown
    assert "gCO2" in shown
    assert "prices: coreweave-2023, us-virginia, on-demand" in " ".join(shown.split())
    rows = run(*words, "--format", "csv").stdout.splitlines()
    [row] = [row for row in rows if row.startswith("economics,gco2_per_request,")]
    assert row == f"economics,gco2_per_request,{found['gco2_per_request']!r},gCO2,,"


def test_tokens_are_those_that_arrive(tmp_path: Path) -> None:
    """Eleven requests of 100 + 10 tokens in ten seconds: 110 and 11 tokens/s."""
    path = tmp_path / "t.csv"
    path.write_text("arrival_s,prompt_tokens,output_tokens\n" + "".join(
        f"{i},100,10\n" for i in range(11)
    ))  # fmt: skip
    words = ("simulate", "--family", "baseline-h100", "--machines", "1", "--trace", str(path))
    found = run_json(*words)["economics"]
    assert found["rent_usd_per_million_tokens"] == pytest.approx(38 / 3600 / 121 * 1e6)
    assert found["rent_usd_per_million_output_tokens"] == pytest.approx(38 / 3600 / 11 * 1e6)


def test_a_cluster_that_cannot_keep_up_has_no_price_a_token() -> None:
    design = ("--family", "splitwise-hh", "--prompt-machines", "1", "--token-machines", "1")
    words = ("simulate", *design, "--rate", "40", "--duration", "60", "--horizon", "window")
    document = run_json(*words)
    assert document["slo"]["verdict"] == "unstable"
    assert document["economics"]["rent_usd_per_million_tokens"] is None
    assert "no price a token" in run(*words).stdout


def test_a_search_has_them_for_every_family_in_json_and_csv() -> None:
    asked = scenario_with()
    result = paper_answer(asked)
    document = json.loads(jsonfmt.dumps(jsonfmt.search(asked, result, {})))
    assert document["best"]["economics"]["rent_usd_per_hour"] == 28 * 38
    assert [family["best"] is None for family in document["families"]] == [False, False, True]
    header, *rows = text(search_rows(asked, result)).splitlines()
    columns = header.split(",")
    assert columns[-1] == "gco2_per_request"
    assert {len(row.split(",")) for row in rows} == {len(columns)}
    assert all(told.economics_unit(name) for name in columns[columns.index("seeds") + 1 :])


def test_a_hand_made_outcome_without_tokens_says_so() -> None:
    asked = scenario_with()
    known = details(asked, design_of(asked, "splitwise-hh", 24, 4))
    fact = told.cost_fact(asked, replace(known, output_tokens_per_s=nan))
    assert fact.lines == ("no price a token: not all requests are served, 1.40 Wh a request",)
