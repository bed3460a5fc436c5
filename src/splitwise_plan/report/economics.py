"""What a design costs, in words and for JSON and CSV."""

from __future__ import annotations

from dataclasses import asdict
from math import isinf, isnan, nan
from typing import Any

from splitwise_plan.facts.prices import Tariff
from splitwise_plan.models.economics import Economics, economics
from splitwise_plan.planner.outcome import Details
from splitwise_plan.report.numbers import significant
from splitwise_plan.report.page import Statement
from splitwise_plan.report.wording import price_list_name
from splitwise_plan.scenario.scenario import Scenario


def economics_of(scenario: Scenario, details: Details) -> Economics:
    """The economics of a simulated design; without prices a token where the backlog grows."""
    served = details.evaluation.verdict != "unstable"
    return economics(
        scenario.tariff.energy,
        rent_usd_per_hour=details.evaluation.design.rent_usd_per_hour,
        average_power_w=details.energy.average_power_w,
        wh_per_request=details.energy.wh_per_request,
        prompt_tokens_per_s=details.prompt_tokens_per_s if served else nan,
        output_tokens_per_s=details.output_tokens_per_s if served else nan,
    )


def economics_document(scenario: Scenario, details: Details) -> dict[str, Any]:
    """For JSON: the prices that were chosen, and what follows."""
    tariff, energy = scenario.tariff, scenario.tariff.energy
    return {
        "prices": price_list_name(tariff),
        "region": tariff.region,
        "term": None if tariff.prices is None else tariff.term,
        "energy_usd_per_kwh": energy.price_usd_per_kwh,
        "pue": energy.pue,
        "grid_gco2_per_kwh": energy.grid_gco2_per_kwh,
        "energy_in_cost": energy.in_cost,
        **economics_columns(scenario, details),
    }


def economics_columns(scenario: Scenario, details: Details) -> dict[str, float | None]:
    """The numbers alone, by name."""
    return asdict(economics_of(scenario, details))


def economics_unit(name: str) -> str:
    """The unit of one of them."""
    if name.endswith("tokens"):
        return "USD/million tokens"
    return {"hour": "USD/h", "request": "gCO2" if name.startswith("gco2") else "Wh"}[
        name.rpartition("_")[2]
    ]


def cost_fact(scenario: Scenario, details: Details) -> Statement:
    """`$2.24 a million tokens (output alone: $169), 1.24 Wh and 0.77 gCO2 a request`"""
    found = economics_of(scenario, details)
    lines = [f"{_tokens(found)}, {_request(scenario.tariff, found)}"]
    if found.rent_and_energy_usd_per_hour is not None:
        rent, electricity = found.rent_usd_per_hour, found.energy_usd_per_hour or 0.0
        total = found.rent_and_energy_usd_per_hour
        told = f"${significant(rent)} rent + ${significant(electricity)} electricity"
        dear = found.rent_and_energy_usd_per_million_tokens
        also = "" if dear is None or isnan(dear) else f", ${significant(dear)} a million tokens"
        lines.append(f"{told} = ${significant(total)}/h{also}")
    return Statement("Cost", tuple(lines))


def _tokens(found: Economics) -> str:
    both = found.rent_usd_per_million_tokens
    if isnan(both):
        return "no price a token: not all requests are served"
    output = found.rent_usd_per_million_output_tokens
    return f"${significant(both)} a million tokens (output alone: ${significant(output)})"


def energy_a_request(wh: float) -> str:
    """`1.24 Wh a request`"""
    return "no request finished" if isinf(wh) else f"{significant(wh)} Wh a request"


def _request(tariff: Tariff, found: Economics) -> str:
    if isinf(found.wh_per_request):
        return energy_a_request(found.wh_per_request)
    told = f"{significant(found.wh_per_request)} Wh"
    if tariff.energy.pue is not None:
        told += f" ({significant(found.site_wh_per_request)} with PUE {tariff.energy.pue:g})"
    if found.gco2_per_request is not None:
        told += f" and {significant(found.gco2_per_request)} gCO2"
    return f"{told} a request"
