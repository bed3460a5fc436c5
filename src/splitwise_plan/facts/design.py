"""A cluster design: which machines, how many, in which pool."""

from __future__ import annotations

from dataclasses import dataclass

from splitwise_plan.facts.machine import Machine


@dataclass(frozen=True, slots=True)
class Family:
    """Designs of the same machine types. `token_machine` None: one pool for both phases."""

    id: str
    name: str
    prompt_machine: Machine
    token_machine: Machine | None
    tensor_parallel: int = 8
    """GPUs of an instance, in both pools."""

    @property
    def machines(self) -> tuple[Machine, ...]:
        """Its machine types, the prompt machine first; one where there is one pool."""
        if self.token_machine is None:
            return (self.prompt_machine,)
        return self.prompt_machine, self.token_machine

    @property
    def has_one_pool(self) -> bool:
        return self.token_machine is None


@dataclass(frozen=True, slots=True)
class Design:
    """`prompt_machines` + `token_machines` servers of a family (baselines: all prompt machines)."""

    family: Family
    prompt_machines: int
    token_machines: int = 0

    @property
    def machines(self) -> int:
        return self.prompt_machines + self.token_machines

    def total(self, of: str) -> float:
        """Sum of a per-machine attribute, e.g. `cost_usd_per_hour`, over all machines."""
        prompt, token = self.family.prompt_machine, self.family.token_machine
        total: float = self.prompt_machines * getattr(prompt, of)
        return total + (self.token_machines * getattr(token, of) if token else 0.0)

    @property
    def rent_usd_per_hour(self) -> float:
        return self.total("cost_usd_per_hour")

    @property
    def cost_usd_per_hour(self) -> float:
        """What is minimised: the rent, and provisioned electricity if the scenario counts it."""
        return self.rent_usd_per_hour + self.total("power_usd_per_hour")

    @property
    def provisioned_power_w(self) -> float:
        return self.total("provisioned_power_w")

    @property
    def label(self) -> str:
        if self.family.has_one_pool:
            return str(self.prompt_machines)
        return f"{self.prompt_machines}P + {self.token_machines}T"


@dataclass(frozen=True, slots=True)
class CountRange:
    """Machine counts `low` to `high`, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class FamilySpace:
    """The designs of a family that a search looks at (baselines: `token_machines` is None).

    `prompt_open`, `token_open`: nobody asked for that range, so a search may look beyond its end.
    """

    family: Family
    prompt_machines: CountRange
    token_machines: CountRange | None
    prompt_open: bool = False
    token_open: bool = False
