"""What a scenario file may say. The same schema checks what flags override."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BeforeValidator, Field, PlainValidator
from pydantic_core import PydanticCustomError

from splitwise_plan.facts.assumptions import Horizon
from splitwise_plan.facts.design import CountRange
from splitwise_plan.facts.price_schema import EnergyTable
from splitwise_plan.facts.prices import Term
from splitwise_plan.facts.quantity import Quantity, Strict, number_in, within
from splitwise_plan.facts.schema import MAX_MACHINES
from splitwise_plan.facts.trace_window import Window, parsed_window
from splitwise_plan.scenario.arrivals.keys import ArrivalKeys, Rate, Time
from splitwise_plan.scenario.failure_schema import FailureTable
from splitwise_plan.scenario.scenario import Maximize, Minimize
from splitwise_plan.scenario.scheduler import SchedulerOptions
from splitwise_plan.scenario.spare import SpareOf

Id = Annotated[str, Field(min_length=1, max_length=4096)]
Speed = Annotated[Quantity, number_in("1"), within("count", 1e-3, 1e4)]
TraceWindow = Annotated[Window, PlainValidator(parsed_window)]


def _machines(value: Any) -> CountRange:
    """`27`, `"27"` or `"1:39"` as a range of machine counts."""
    example = f"a count such as 27 or a range such as '1:39', of 1 to {MAX_MACHINES:,} machines"
    refused = PydanticCustomError("machines", "must be {example}", {"example": example})
    if isinstance(value, CountRange):
        return value
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise refused
    ends = [value] if isinstance(value, int) else value.split(":")
    if len(ends) not in (1, 2) or any(isinstance(end, str) and not _is_count(end) for end in ends):
        raise refused
    low, high = int(ends[0]), int(ends[-1])
    if low == 0:
        raise PydanticCustomError("machines", "must begin at 1: no pool works with 0 machines", {})
    if not 1 <= low <= MAX_MACHINES or not 1 <= high <= MAX_MACHINES:
        raise refused
    if low > high:
        raise PydanticCustomError("machines", "must be low:high, the smaller count first", {})
    return CountRange(low, high)


def _is_count(text: str) -> bool:
    text = text.strip()
    return text.isascii() and text.isdigit() and len(text) < len(str(MAX_MACHINES)) + 3


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str | int | float) else value


class MachineBudget(NamedTuple):
    """A budget as a number of machines of a type: `40xdgx-h100`."""

    machines: int
    machine: str


def _budget(value: Any) -> Quantity | MachineBudget:
    """`"40xdgx-h100"`, `"1.8 MW"`, or a quantity."""
    if isinstance(value, Quantity | MachineBudget):
        return value
    if isinstance(value, str) and (match := _MACHINE_BUDGET.fullmatch(value)):
        return MachineBudget(int(match[1]), match[2])
    if isinstance(value, str) and (match := _NUMBER_UNIT.fullmatch(value)):
        value = {"value": float(match[1]), "unit": match[2]}
    if isinstance(value, dict):
        return Quantity.model_validate(value)
    units = "'1760 kW' or '1500 USD/h'"
    example = f"a number with its unit, such as {units}, or machines, such as '40xdgx-h100'"
    raise PydanticCustomError("budget", "must be {example}", {"example": example})


_MACHINE_BUDGET = re.compile(r"\s*([1-9]\d{0,5})\s*x\s*([A-Za-z][\w.-]*)\s*", re.ASCII)
_NUMBER_UNIT = re.compile(
    r"\s*(\d+(?:\.\d*)?(?:[eE]\+?\d{1,2})?)\s*([A-Za-z][A-Za-z/]*)\s*", re.ASCII
)

Budget = Annotated[Quantity | MachineBudget, PlainValidator(_budget)]
Machines = Annotated[CountRange, PlainValidator(_machines)]
Ids = Annotated[list[Id], BeforeValidator(_one_or_more)]
Tokens = Annotated[int, Field(ge=1, le=10_000_000)]
Degrees = Annotated[list[Annotated[int, Field(ge=1, le=1024)]], BeforeValidator(_one_or_more)]
Caps = Annotated[list[Annotated[float, Field(gt=0, le=1)]], BeforeValidator(_one_or_more)]

MAX_SPARE = 20
"""What may be left is judged case by case: their number grows with the square."""

_DEFAULT = SchedulerOptions()


class SchedulerTable(Strict):
    """`[scheduler]`"""

    token_end: Literal["booked_memory", "pending_tokens"] = _DEFAULT.token_end
    mixed_return: Literal["idle", "drained"] = _DEFAULT.mixed_return
    prompt_queue_limit_tokens: Tokens = _DEFAULT.prompt_queue_limit_tokens
    max_batch_size: Annotated[int, Field(ge=1, le=1_000_000)] = _DEFAULT.max_batch_size
    max_batch_tokens: Tokens = _DEFAULT.max_batch_tokens
    max_passes: Annotated[int, Field(ge=1, le=1_000_000)] = _DEFAULT.max_passes
    mixing_factor: Annotated[float, Field(ge=1, le=100)] = _DEFAULT.mixing_factor

    def options(self) -> SchedulerOptions:
        return SchedulerOptions(**dict(self))


class RangeTable(Strict):
    """`[ranges."<family>"]`: `machines` for baselines, the other two for split families."""

    machines: Machines | None = None
    prompt_machines: Machines | None = None
    token_machines: Machines | None = None


class ScenarioFile(ArrivalKeys):
    """A scenario. Every key may be left out but `rate`, which a trace or a budget replaces."""

    elsewhere: ClassVar = dict.fromkeys(
        ("loads", "choose", "growth", "day"), "only `robust` and `day` read it"
    )

    workload: Id | None = None
    trace: Id | None = None
    trace_window: TraceWindow | None = None
    trace_speed: Speed | None = None
    llm: Id = "bloom-176b"
    tensor_parallel: Degrees = Field(default=[8], min_length=1)
    assumptions: Id = "measured"
    kv_transfer: Literal["auto", "serialized", "layerwise"] | None = None
    slo: Id = "splitwise"
    spare: Annotated[int, Field(ge=0, le=MAX_SPARE)] = 0
    spare_of: SpareOf | None = None
    degraded_slo: Id | None = None
    minimize: Minimize | None = None
    maximize: Maximize | None = None
    power_budget: Budget | None = None
    cost_budget: Budget | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    seeds: Annotated[int, Field(ge=1, le=10_000)] = 3
    max_seeds: Annotated[int, Field(ge=1, le=10_000)] | None = None
    rate_step: Rate | None = None
    method: Literal["auto", "exhaustive", "optuna"] = "auto"
    trials: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    missing_profiles: Literal["refuse", "estimate"] = "refuse"
    horizon: Horizon | None = None
    warm_up: Time | None = None
    families: Ids | None = Field(default=None, min_length=1)
    power_caps: Caps | None = Field(default=None, min_length=1)
    machines: Machines | None = None
    prompt_machines: Machines | None = None
    token_machines: Machines | None = None
    ranges: dict[str, RangeTable] = Field(default_factory=dict)
    scheduler: SchedulerTable = SchedulerTable()
    failures: FailureTable | None = None
    hardware: Ids = Field(default_factory=list)
    prices: Id | None = None
    region: Id | None = None
    term: Term | None = None
    energy: EnergyTable = EnergyTable()
