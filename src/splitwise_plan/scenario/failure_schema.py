"""What `[failures]` of a scenario may say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from splitwise_plan.facts.quantity import Quantity, Strict, number_in, within
from splitwise_plan.facts.schema import MAX_MACHINES
from splitwise_plan.facts.toml_text import table
from splitwise_plan.scenario.failures import Failures, Maintenance, Outage, PoolName, Straggler

Seconds = Annotated[Quantity, number_in("s"), within("time", 0, 1e10)]
Lasting = Annotated[Quantity, number_in("s"), within("time", 1, 1e10)]
Machine = Annotated[int, Field(ge=1, le=MAX_MACHINES)]


class OutageTable(Strict):
    """An entry of `at`; its times are from the start of the run."""

    pool: PoolName
    machine: Machine = 1
    start: Seconds
    end: Seconds

    @model_validator(mode="after")
    def _in_order(self) -> OutageTable:
        if self.end.si <= self.start.si:
            raise PydanticCustomError("outage", "must end after its start", {})
        return self

    def outage(self) -> Outage:
        return Outage(self.pool, self.machine, self.start.si, self.end.si)


class MaintenanceTable(Strict):
    """`maintenance`: `every` is `for` unless it is given."""

    for_: Lasting = Field(alias="for")
    every: Lasting | None = None
    start: Seconds = Quantity(value=0.0, unit="s")
    drain: Seconds = Quantity(value=0.0, unit="s")

    def maintenance(self) -> Maintenance:
        every_s = self.every.si if self.every else self.for_.si
        return Maintenance(self.start.si, every_s, self.for_.si, self.drain.si)


class StragglerTable(Strict):
    """`straggler`"""

    pool: PoolName
    machine: Machine = 1
    factor: Annotated[Quantity, number_in("1"), within("count", 1, 1e3)]

    def straggler(self) -> Straggler:
        return Straggler(self.pool, self.machine, self.factor.si)


class FailureTable(Strict):
    """`[failures]`"""

    mtbf: Lasting | None = None
    mttr: Lasting | None = None
    at: list[OutageTable] = Field(default_factory=list, max_length=10_000)
    maintenance: MaintenanceTable | None = None
    straggler: StragglerTable | None = None
    restart: Literal["scratch", "checkpoint"] = "scratch"
    checkpoint_interval_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    checkpoint_cost: Annotated[Quantity, number_in("1"), within("count", 0, 10)] | None = None

    @model_validator(mode="after")
    def _whole(self) -> FailureTable:
        for what in self._faults():
            raise PydanticCustomError("failures", "{what}", {"what": what})
        return self

    def _faults(self) -> Iterator[str]:
        if (self.mtbf is None) != (self.mttr is None):
            yield "needs both mtbf and mttr, or neither"
        if self.restart == "checkpoint" and self.checkpoint_interval_tokens is None:
            yield "needs checkpoint_interval_tokens for restart = 'checkpoint'"
        if self.restart == "scratch" and (self.checkpoint_interval_tokens or self.checkpoint_cost):
            yield "has checkpoints, which need restart = 'checkpoint'"

    def failures(self) -> Failures:
        return Failures(
            mtbf_s=self.mtbf.si if self.mtbf else None,
            mttr_s=self.mttr.si if self.mttr else 0.0,
            outages=tuple(one.outage() for one in self.at),
            maintenance=self.maintenance.maintenance() if self.maintenance else None,
            straggler=self.straggler.straggler() if self.straggler else None,
            checkpoint_interval_tokens=self.checkpoint_interval_tokens or 0,
            checkpoint_cost=self.checkpoint_cost.si if self.checkpoint_cost else 0.0,
        )


def failure_lines(failures: Failures) -> Iterator[str]:
    """The table, every choice spelled out: reading it gives the same."""
    content: dict[str, Any] = {}
    if failures.mtbf_s is not None:
        content |= {"mtbf": _seconds(failures.mtbf_s), "mttr": _seconds(failures.mttr_s)}
    if failures.outages:
        content["at"] = [
            {
                **{"pool": one.pool, "machine": one.machine},
                **{"start": _seconds(one.start_s), "end": _seconds(one.end_s)},
            }
            for one in failures.outages
        ]
    content["restart"] = "scratch"
    if failures.checkpoint_interval_tokens:
        content["restart"] = "checkpoint"
        content["checkpoint_interval_tokens"] = failures.checkpoint_interval_tokens
        content["checkpoint_cost"] = {"value": failures.checkpoint_cost, "unit": "1"}
    if (plan := failures.maintenance) is not None:
        content["maintenance"] = {
            **{"for": _seconds(plan.for_s), "every": _seconds(plan.every_s)},
            **{"start": _seconds(plan.start_s), "drain": _seconds(plan.drain_s)},
        }
    if (slow := failures.straggler) is not None:
        factor = {"value": slow.factor, "unit": "1"}
        content["straggler"] = {"pool": slow.pool, "machine": slow.machine, "factor": factor}
    yield from table(("failures",), content)


def _seconds(value: float) -> dict[str, Any]:
    return {"value": value, "unit": "s"}
