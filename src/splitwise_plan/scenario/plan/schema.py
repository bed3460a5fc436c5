"""What a plan file may say."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from splitwise_plan.facts.quantity import Name, Quantity, Strict, number_in, within
from splitwise_plan.facts.schema import MAX_MACHINES
from splitwise_plan.scenario.plan.kept_files import KeptFile, unpacked
from splitwise_plan.scenario.plan.plan import AcceptedTarget, PlanProvenance, Tolerances, Undecided
from splitwise_plan.scenario.schema import ScenarioFile

SCHEMA = "splitwise-plan/plan/1"

Share = Annotated[Quantity, number_in("1"), within("count", 0, 1)]
Amount = Annotated[float, Field(ge=0)]
Machines = Annotated[int, Field(ge=0, le=MAX_MACHINES)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class DesignTable(Strict):
    """`[design]`: the design that was chosen. The machines are told for those who read it."""

    family: Name
    prompt_machine: Name
    token_machine: Name | None = None
    prompt_machines: Annotated[int, Field(ge=1, le=MAX_MACHINES)]
    token_machines: Machines = 0
    tensor_parallel: Annotated[int, Field(ge=1, le=1024)]


class TolerancesTable(Strict):
    """`[tolerances]`: how far the facts may move before the plan no longer holds."""

    savings: Share = Quantity(value=5.0, unit="%")
    margin: Share = Quantity(value=0.0, unit="%")
    undecided: Undecided = "undecided"

    def tolerances(self) -> Tolerances:
        return Tolerances(self.savings.si, self.margin.si, self.undecided)


class TargetTable(Strict):
    """`[[result.targets]]`: one SLO as it was met."""

    metric: Literal["ttft", "tbt", "e2e", "goodput"]
    percentile: Annotated[float, Field(gt=0, le=100)]
    unit: Literal["slowdown", "s", "ratio"]
    limit: Annotated[float, Field(gt=0)]
    value: Amount
    low: float
    high: float
    margin: float
    attained: Annotated[float, Field(ge=0, le=1)] | None = None

    def target(self) -> AcceptedTarget:
        return AcceptedTarget(**dict(self))


class CertificateTable(Strict):
    """`[result.certificate]`: what became of the better designs, over all families."""

    space: int
    better_simulated: int
    better_excluded: int
    better_undecided: int
    exact: bool
    seeds: int
    words: list[str]


class ResultTable(Strict):
    """`[result]`: what the plan was accepted with."""

    verdict: Literal["meets"]
    replications: Annotated[int, Field(ge=1)]
    machines: Machines
    cost_usd_per_hour: Amount
    provisioned_power_w: Amount
    certificate: CertificateTable
    targets: list[TargetTable]


class MadeTable(Strict):
    """`[made]`: the versions that made the plan, and the sha256 of its `[scenario]`."""

    splitwise_plan: Name
    python: Name
    numpy: Name
    numba: Name
    scenario_sha256: Sha256

    def made(self) -> PlanProvenance:
        return PlanProvenance(**dict(self))


class FactEntry(Strict):
    """`[[facts]]`: a file as it was read, as text or packed (zlib, then base64)."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    ours: bool = False
    sha256: Sha256
    text: str | None = None
    packed: str | None = None

    @model_validator(mode="after")
    def _one_form(self) -> FactEntry:
        if (self.text is None) == (self.packed is None):
            raise PydanticCustomError("form", "must have either text or packed", {})
        return self

    def kept(self) -> KeptFile:
        data = (self.text or "").encode() if self.packed is None else unpacked(self.packed)
        return KeptFile(self.path, self.ours, self.sha256, data)


def _sound(entry: FactEntry) -> FactEntry:
    """Demand that the content is what its sha256 says."""
    try:
        sound = entry.kept().is_sound
    except ValueError as error:
        raise PydanticCustomError("packed", "{why}", {"why": str(error)}) from None
    if not sound:
        what = "is not what its sha256 says: facts of a plan are not to be edited"
        raise PydanticCustomError("sha256", what, {})
    return entry


class PlanFile(Strict):
    """A plan: a question, the design that answers it, and every fact that went into it."""

    schema_: Literal["splitwise-plan/plan/1"] = Field(alias="schema")
    design: DesignTable
    tolerances: TolerancesTable = TolerancesTable()
    scenario: ScenarioFile
    """Checked here so that all problems are told together; loaded from the same table."""
    result: ResultTable
    made: MadeTable
    facts: list[Annotated[FactEntry, AfterValidator(_sound)]]
