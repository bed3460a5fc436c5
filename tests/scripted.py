"""A search whose designs are judged as the test says, and nothing is simulated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import nan
from typing import cast

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.outcome import (
    Details,
    Evaluation,
    LatencySummary,
    Reduced,
    Replication,
    RequestCounts,
)
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.metrics import Energy
from splitwise_plan.sim.verdict import TargetResult, Verdict

HA = "splitwise-ha"
LIMIT = 10.0
TARGET = SLOTarget("ttft", 50.0, LIMIT)
RUNS = 3

Place = tuple[int, int]
"""Prompt machines, token machines."""


@dataclass(frozen=True)
class Said:
    """A verdict, and what all runs measured: a tenth of the limit is a margin of 0.9."""

    verdict: Verdict
    value: float = LIMIT + 1.0
    without_spare: bool = False
    """Whether it meets the SLOs as long as no machine is gone."""


MEETS, MISSES, UNDECIDED = Said("meets", 9.0), Said("misses"), Said("undecided", LIMIT)


@dataclass
class Script:
    """What an evaluator says, by family and machines; of all others it says that they miss."""

    scenario: Scenario
    lines: Mapping[str, Mapping[Place, Said]]
    looks: tuple[int, ...] = (RUNS, 2 * RUNS)
    parts: tuple[Evaluator, ...] = ()
    seems: Mapping[str, set[Place]] | None = None
    """What quick looks take to meet; None: what does."""
    judged: list[Design] = field(default_factory=list)
    """Every design that was asked about, in that order."""
    looked_at: list[Design] = field(default_factory=list)

    def said(self, design: Design) -> Said:
        of_family = self.lines.get(design.family.id, {})
        return of_family.get(place(design), MISSES)

    def screen(self, design: Design) -> Evaluation | None:
        """Nothing is soon known."""
        return None

    def judge(self, design: Design, *, first_look: bool = False, jobs: int = 1) -> Evaluation:
        self.judged.append(design)
        return self._evaluation(design, RUNS)

    def seems_to_meet(self, design: Design) -> bool:
        self.looked_at.append(design)
        if self.seems is None:
            return self.said(design).verdict == "meets"
        return place(design) in self.seems[design.family.id]

    def detail(self, design: Design, replications: int, jobs: object) -> Details:
        assert jobs == 1
        return details_of(self._evaluation(design, replications))

    def _evaluation(self, design: Design, runs: int) -> Evaluation:
        said = self.said(design)
        results = (TargetResult(TARGET, said.value),)
        reduced = (Reduced(1, 0, "misses"),) if said.without_spare else ()
        replications = tuple(Replication(at, said.verdict, results) for at in range(runs))
        return Evaluation(design, said.verdict, replications, RUNS, reduced)

    @property
    def evaluator(self) -> Evaluator:
        """Itself, as what it stands in for."""
        return cast("Evaluator", self)


def details_of(evaluation: Evaluation) -> Details:
    none = LatencySummary(nan, nan, nan, nan)
    counts = RequestCounts(0, 0, 0, 0)
    return Details(evaluation, counts, 0.0, {}, {}, none, (), Energy(0.0, 0.0), 0, 0)


PRICES = {"dgx-h100": 3.0, "dgx-a100": 2.0}


def priced(scenario: Scenario, prices: Mapping[str, float]) -> Scenario:
    """The scenario with machines at these prices per hour."""

    def of(space: FamilySpace) -> FamilySpace:
        prompt, token = space.family.prompt_machine, space.family.token_machine
        family = replace(
            space.family,
            prompt_machine=replace(prompt, cost_usd_per_hour=prices[prompt.id]),
            token_machine=token and replace(token, cost_usd_per_hour=prices[token.id]),
        )
        return replace(space, family=family)

    return replace(scenario, spaces=tuple(map(of, scenario.spaces)))


def question(*families: str, prices: Mapping[str, float] = PRICES, **keys: object) -> Scenario:
    """Three machines a pool, at prices by which hardly two designs cost the same."""
    one_pool = any(family.startswith("baseline") for family in families)
    two_pools = not all(family.startswith("baseline") for family in families)
    ranges = {"machines": "1:3"} if one_pool else {}
    if two_pools:
        ranges |= {"prompt_machines": "1:3", "token_machines": "1:3"}
    given = {"families": list(families), "method": "exhaustive", **ranges, **keys}
    return priced(load_scenario(Catalog(), None, given), prices)


def place(design: Design) -> Place:
    return design.prompt_machines, design.token_machines


def places(designs: Iterable[Design]) -> list[Place]:
    return [place(one) for one in designs]
