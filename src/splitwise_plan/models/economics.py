"""Dollars an hour, dollars a million tokens, watt-hours and grams of CO2 a request.

    electricity, USD/h       = average power, kW x PUE x price, USD/kWh
    USD a million tokens     = USD/h / 3600 / (tokens/s) x 1e6
    site energy a request    = machines' energy a request x PUE
    CO2 a request            = site energy a request x grid intensity

Tokens a second are those that arrive: a cluster that keeps up serves as many.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from splitwise_plan.facts.prices import Energy


@dataclass(frozen=True, slots=True)
class Economics:
    """None: its price or intensity is not given. nan: not all requests were served.

    `tokens` are prompt and output tokens together. `wh_per_request` is drawn by the machines,
    `site_wh_per_request` by the site.
    """

    rent_usd_per_hour: float
    energy_usd_per_hour: float | None
    rent_and_energy_usd_per_hour: float | None
    rent_usd_per_million_tokens: float
    rent_usd_per_million_output_tokens: float
    rent_and_energy_usd_per_million_tokens: float | None
    rent_and_energy_usd_per_million_output_tokens: float | None
    wh_per_request: float
    site_wh_per_request: float
    gco2_per_request: float | None


def economics(  # noqa: PLR0913
    energy: Energy,
    *,
    rent_usd_per_hour: float,
    average_power_w: float,
    wh_per_request: float,
    prompt_tokens_per_s: float,
    output_tokens_per_s: float,
) -> Economics:
    """What a cluster costs under a load; `average_power_w` and `wh_per_request`: of machines."""
    electricity = total = None
    if energy.price_usd_per_kwh is not None:
        site_kw = average_power_w / 1e3 * energy.site_factor
        electricity = site_kw * energy.price_usd_per_kwh
        total = rent_usd_per_hour + electricity
    tokens_per_s = prompt_tokens_per_s + output_tokens_per_s
    site_wh = wh_per_request * energy.site_factor
    grid = energy.grid_gco2_per_kwh
    return Economics(
        rent_usd_per_hour=rent_usd_per_hour,
        energy_usd_per_hour=electricity,
        rent_and_energy_usd_per_hour=total,
        rent_usd_per_million_tokens=_per_million(rent_usd_per_hour, tokens_per_s),
        rent_usd_per_million_output_tokens=_per_million(rent_usd_per_hour, output_tokens_per_s),
        rent_and_energy_usd_per_million_tokens=(
            None if total is None else _per_million(total, tokens_per_s)
        ),
        rent_and_energy_usd_per_million_output_tokens=(
            None if total is None else _per_million(total, output_tokens_per_s)
        ),
        wh_per_request=wh_per_request,
        site_wh_per_request=site_wh,
        gco2_per_request=None if grid is None else site_wh / 1e3 * grid,
    )


def _per_million(usd_per_hour: float, tokens_per_s: float) -> float:
    return usd_per_hour / 3600.0 / tokens_per_s * 1e6 if tokens_per_s != 0 else inf
