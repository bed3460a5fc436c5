"""The prices that a scenario chooses."""

from __future__ import annotations

from functools import partial

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.prices import PriceList, Tariff, region_of
from splitwise_plan.scenario.lookup import Lookup
from splitwise_plan.scenario.schema import ScenarioFile


def tariff_of(lookup: Lookup, content: ScenarioFile, catalog: Catalog) -> Tariff:
    """Region, term and electricity; what is wrong with them is kept in `lookup`."""
    prices = _price_list(lookup, content, catalog)
    if content.prices is None:
        for key in ("region", "term"):
            if getattr(content, key) is not None:
                lookup.add((key,), f"{key} has no effect without prices", "name a price file")
    found = None
    if prices is not None:
        found = lookup.get(("region",), partial(region_of, prices, content.region))
    below = found[1].energy if found else Tariff().energy
    energy = content.energy.over(below)
    if energy.in_cost and energy.price_usd_per_kwh is None and (found or content.prices is None):
        what = "energy.in_cost needs the price of electricity"
        lookup.add(("energy", "in_cost"), what, "give price = { value = 0.08, unit = 'USD/kWh' }")
    if prices is None or found is None:
        return Tariff(energy=energy)
    region, listed = found
    return Tariff(
        prices=prices.id,
        region=region,
        term=content.term or "on-demand",
        energy=energy,
        rents=listed.rents,
        where=prices.where,
    )


def _price_list(lookup: Lookup, content: ScenarioFile, catalog: Catalog) -> PriceList | None:
    prices = content.prices
    if prices is None:
        return None
    if prices.endswith(".toml"):
        prices = str((lookup.layers.folder_of("prices") / prices).absolute())
    return lookup.get(("prices",), partial(catalog.prices, prices))
