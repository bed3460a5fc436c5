"""What machines and electricity cost, by region and term (`hardware/prices/<id>.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.machine import Machine
from splitwise_plan.suggest import did_you_mean

Term = Literal["on-demand", "reserved", "spot"]
TERMS: tuple[Term, ...] = get_args(Term)


@dataclass(frozen=True, slots=True)
class Rent:
    """A price of one machine, or of one GPU of it: never one for the other."""

    usd_per_hour: float
    per: Literal["machine", "GPU"]

    def of(self, machine: Machine) -> float:
        """USD/h of a whole machine."""
        return self.usd_per_hour * (machine.gpus if self.per == "GPU" else 1)


@dataclass(frozen=True, slots=True)
class Energy:
    """Electricity; None: not given. `in_cost`: provisioned power counts as cost."""

    price_usd_per_kwh: float | None = None
    pue: float | None = None
    """Power of the site over that of its machines."""
    grid_gco2_per_kwh: float | None = None
    in_cost: bool = False

    @property
    def site_factor(self) -> float:
        """`pue`; 1 where it is not given, so that only the machines count."""
        return 1.0 if self.pue is None else self.pue


@dataclass(frozen=True, slots=True)
class RegionPrices:
    """Prices in one region. `rents`: by machine id, then term."""

    rents: Mapping[str, Mapping[Term, Rent]]
    energy: Energy


@dataclass(frozen=True, slots=True)
class PriceList:
    """A price file. `where`: how problems name it."""

    id: str
    name: str
    regions: Mapping[str, RegionPrices]
    where: str


@dataclass(frozen=True, slots=True)
class Tariff:
    """The prices a scenario chose: a region and a term of a price file, and its electricity.

    Without a price file (`prices` None) machines cost what their own files say.
    """

    prices: str | None = None
    """Id or path."""
    region: str | None = None
    term: Term = "on-demand"
    energy: Energy = Energy()
    rents: Mapping[str, Mapping[Term, Rent]] = field(default_factory=dict)
    where: str = ""

    def applied(self, machine: Machine) -> Machine:
        """`machine` at these prices. Raises `InputError` where the price file has none for it."""
        if self.prices is not None:
            machine = replace(machine, cost_usd_per_hour=self._rent(machine))
        energy = self.energy
        if energy.in_cost and energy.price_usd_per_kwh is not None:
            kw = machine.provisioned_power_w / 1e3 * energy.site_factor
            machine = replace(machine, power_usd_per_hour=kw * energy.price_usd_per_kwh)
        return machine

    def _rent(self, machine: Machine) -> float:
        terms = self.rents.get(machine.id)
        if terms is None:
            what = f"has no price of {machine.id} in {self.region}"
            raise InputError([Problem(self.where, what, did_you_mean(machine.id, self.rents))])
        if self.term not in terms:
            what = f"has no {self.term} price of {machine.id} in {self.region}"
            raise InputError([Problem(self.where, what, f"it has: {', '.join(terms)}")])
        return terms[self.term].of(machine)


def region_of(prices: PriceList, region: str | None) -> tuple[str, RegionPrices]:
    """A region of a price file: the only one where none is named. Raises `InputError`."""
    if region is None:
        if len(prices.regions) > 1:
            known = ", ".join(prices.regions)
            raise InputError(
                [Problem("region", f"region is missing: {prices.id} has {known}", "name one")]
            )
        region = next(iter(prices.regions))
    if region not in prices.regions:
        what = f"{prices.id} has no region {region!r}"
        raise InputError([Problem("region", what, did_you_mean(region, prices.regions))])
    return region, prices.regions[region]
