"""A plan: a question, the design that answers it, what it was accepted with, and every fact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from splitwise_plan.facts.files import TomlFile
from splitwise_plan.scenario.plan.kept_files import KeptFile

Outcome = Literal["holds", "undecided", "fails"]
"""Of a plan, or of one thing that it promises, under today's facts."""
Undecided = Literal["undecided", "fails", "holds"]


@dataclass(frozen=True, slots=True)
class Tolerances:
    """How far facts may move before a plan no longer holds."""

    savings: float
    """Of its own objective (cost, say), what a better design may save at most: 0..1."""
    margin: float
    """Of each limit, what the measured value must leave: 0..1."""
    undecided: Undecided
    """What it counts as that the seeds cannot decide whether the SLOs are met."""


@dataclass(frozen=True, slots=True)
class AcceptedTarget:
    """One SLO as it was met when the plan was made; `value`, `limit` in `unit`."""

    metric: str
    percentile: float
    unit: str
    limit: float
    value: float
    low: float
    high: float
    margin: float
    attained: float | None = None
    """Of a goodput: the share of requests that met its limits."""


@dataclass(frozen=True, slots=True)
class PlanProvenance:
    """Versions that made a plan, and the sha256 of the scenario they were asked."""

    splitwise_plan: str
    python: str
    numpy: str
    numba: str
    scenario_sha256: str


@dataclass(frozen=True, slots=True)
class PlannedDesign:
    """A design by the id of its family."""

    family: str
    prompt_machines: int
    token_machines: int
    tensor_parallel: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Built by `scenario.plan.reader.read_plan`."""

    where: str
    sha256: str
    scenario: TomlFile
    """Its table `[scenario]`, as a file of its own whose lines are the plan's."""
    design: PlannedDesign
    tolerances: Tolerances
    replications: int
    """Runs that the verdict `meets` was reached with."""
    cost_usd_per_hour: float
    provisioned_power_w: float
    targets: tuple[AcceptedTarget, ...]
    certificate: tuple[str, ...]
    """What the search said of the better designs."""
    made: PlanProvenance
    kept: tuple[KeptFile, ...]
