"""What SLO files may say: limits by percentile, and attainments (goodput).

[ttft]
p99 = { value = 400, unit = "ms" }        absolute, any percentile
[tbt]
p50 = 1.25                                a plain number is a slowdown
[[attainment]]                            90 % of requests meet both
share = { value = 90, unit = "%" }
ttft = { value = 0.4, unit = "s" }
tbt = { value = 0.04, unit = "s" }
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from splitwise_plan.facts.quantity import Name, Quantity, Strict, number_in, within
from splitwise_plan.facts.slo import METRICS, Attainment, SLOSet, SLOTarget
from splitwise_plan.units import UNITS

_PERCENTILE = re.compile(r"p(\d{1,3}(?:\.\d+)?)", re.ASCII)
MAX_LIMIT, MAX_PERCENTILE = 1e9, 100.0
_SLOWDOWN = tuple(UNITS["slowdown"])


def _limit(quantity: Quantity) -> Quantity:
    if quantity.unit not in (*_SLOWDOWN, *UNITS["time"]):
        what = "unit '{unit}' must be 'slowdown' or a time ('s', 'ms')"
        raise PydanticCustomError("unit", what, {"unit": quantity.unit})
    if not 0 < quantity.value <= MAX_LIMIT:
        raise PydanticCustomError("range", "must be above 0 and at most 1e9", {})
    return quantity


def _percentile(key: str) -> str:
    match = _PERCENTILE.fullmatch(key)
    if match is None or not 0 < float(match[1]) <= MAX_PERCENTILE:
        raise PydanticCustomError("percentile", "must be a percentile: p50, p90, p99, p99.9", {})
    return key


Limit = Annotated[Quantity, number_in("slowdown"), AfterValidator(_limit)]
Percentiles = dict[Annotated[str, AfterValidator(_percentile)], Limit]


class AttainmentEntry(Strict):
    """A share of requests, and the limits each of them meets together."""

    share: Annotated[Quantity, number_in("1"), within("count", 0, 1, above=True)]
    ttft: Limit | None = None
    tbt: Limit | None = None
    e2e: Limit | None = None

    def attainment(self) -> Attainment:
        given = [(metric, getattr(self, metric)) for metric in METRICS]
        limits = tuple((metric, limit.si, _unit(limit)) for metric, limit in given if limit)
        return Attainment(self.share.si, limits)

    @model_validator(mode="after")
    def _some_limit(self) -> AttainmentEntry:
        if not (self.ttft or self.tbt or self.e2e):
            raise PydanticCustomError("limits", "needs a limit: ttft, tbt or e2e", {})
        return self


class SLOFile(Strict):
    """`workloads/slos/<id>.toml`, or a file of the user's."""

    name: Name | None = None
    reference_machine: Annotated[str, Field(min_length=1)] = "dgx-a100"
    ttft: Percentiles = Field(default_factory=dict)
    tbt: Percentiles = Field(default_factory=dict)
    e2e: Percentiles = Field(default_factory=dict)
    attainment: list[AttainmentEntry] = Field(default_factory=list)

    @model_validator(mode="after")
    def _some_target(self) -> SLOFile:
        if not (self.ttft or self.tbt or self.e2e or self.attainment):
            what = "sets no limit: give [ttft], [tbt], [e2e] or [[attainment]]"
            raise PydanticCustomError("targets", "{what}", {"what": what})
        return self

    def slos(self, slo_id: str) -> SLOSet:
        targets = tuple(
            SLOTarget(metric, float(key[1:]), limit.si, _unit(limit))
            for metric in METRICS
            for key, limit in getattr(self, metric).items()
        )
        attainments = tuple(entry.attainment() for entry in self.attainment)
        return SLOSet(slo_id, targets, self.reference_machine, attainments)


def _unit(limit: Quantity) -> Literal["slowdown", "s"]:
    return "slowdown" if limit.unit in _SLOWDOWN else "s"
