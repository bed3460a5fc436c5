"""What price files may say, and the `[energy]` table of a scenario.

name = "Our contract"
date = 2026-01-31
[regions.eu-west.machines.dgx-h100]
on-demand = { value = 38, unit = "USD/h per machine", source = "…" }
reserved = { value = 2.9, unit = "USD/h per GPU", source = "…" }
[regions.eu-west.energy]
price = { value = 0.11, unit = "USD/kWh", source = "…" }
"""

from __future__ import annotations

import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from splitwise_plan.facts.prices import TERMS, Energy, PriceList, RegionPrices, Rent, Term
from splitwise_plan.facts.quantity import Fact, Name, Quantity, Strict, number_in, within
from splitwise_plan.units import UNITS

MAX_PRICE = 1e9
PER_MACHINE, PER_GPU = UNITS["machine price"], UNITS["GPU price"]


class PriceFact(Fact):
    """A price; `date`: where it is not that of the file."""

    date: datetime.date | None = None


def _of_what(quantity: PriceFact) -> PriceFact:
    if quantity.unit not in (*PER_MACHINE, *PER_GPU):
        what = "unit '{unit}' must say of what: 'USD/h per machine' or 'USD/h per GPU'"
        raise PydanticCustomError("unit", what, {"unit": quantity.unit})
    if not 0 <= quantity.value <= MAX_PRICE:
        raise PydanticCustomError("range", "must be at least 0 and at most 1e9", {})
    return quantity


Price = Annotated[PriceFact, AfterValidator(_of_what)]
PUE = within("count", 1, 10)
PowerPrice = within("energy price", 0, 1e3)
GridIntensity = within("carbon intensity", 0, 1e4)


class TermsTable(Strict):
    """`[regions.<region>.machines.<id>]`"""

    model_config = ConfigDict(populate_by_name=True)

    on_demand: Price | None = Field(default=None, alias="on-demand")
    reserved: Price | None = None
    spot: Price | None = None

    @model_validator(mode="after")
    def _some_price(self) -> TermsTable:
        if not self.rents():
            what = "has no price: give {terms}"
            raise PydanticCustomError("price", what, {"terms": ", ".join(TERMS)})
        return self

    def rents(self) -> dict[Term, Rent]:
        given = zip(TERMS, (self.on_demand, self.reserved, self.spot), strict=True)
        return {
            term: Rent(price.si, "GPU" if price.unit in PER_GPU else "machine")
            for term, price in given
            if price is not None
        }


class EnergyFacts(Strict):
    """`[regions.<region>.energy]`"""

    price: Annotated[Fact, PowerPrice] | None = None
    pue: Annotated[Fact, PUE] | None = None
    grid_intensity: Annotated[Fact, GridIntensity] | None = None

    def energy(self) -> Energy:
        return Energy(_si(self.price), _si(self.pue), _si(self.grid_intensity))


class RegionTable(Strict):
    """`[regions.<region>]`"""

    machines: dict[Name, TermsTable] = Field(min_length=1)
    energy: EnergyFacts = EnergyFacts()

    def prices(self) -> RegionPrices:
        rents = {machine: terms.rents() for machine, terms in self.machines.items()}
        return RegionPrices(rents, self.energy.energy())


class PriceFile(Strict):
    """`hardware/prices/<id>.toml`, or a file of the user's. `date`: when these prices held."""

    name: Name
    date: datetime.date
    regions: dict[Name, RegionTable] = Field(min_length=1)

    def price_list(self, price_id: str, where: str) -> PriceList:
        regions = {name: region.prices() for name, region in self.regions.items()}
        return PriceList(price_id, self.name, regions, where)


class EnergyTable(Strict):
    """`[energy]` of a scenario: each key comes before that of the price file."""

    price: Annotated[Quantity, number_in("USD/kWh"), PowerPrice] | None = None
    pue: Annotated[Quantity, number_in("1"), PUE] | None = None
    grid_intensity: Annotated[Quantity, number_in("gCO2/kWh"), GridIntensity] | None = None
    in_cost: bool = False

    def over(self, below: Energy) -> Energy:
        """These facts, and those of the price file where this table is silent."""
        return Energy(
            _first(_si(self.price), below.price_usd_per_kwh),
            _first(_si(self.pue), below.pue),
            _first(_si(self.grid_intensity), below.grid_gco2_per_kwh),
            self.in_cost,
        )


def _si(quantity: Quantity | None) -> float | None:
    return None if quantity is None else quantity.si


def _first(own: Any, below: Any) -> Any:
    return below if own is None else own
