"""The Pareto front over throughput, $/h, provisioned power and machines.

A design's throughput is its capacity (`reach`): the largest multiple of the scenario's
`rate_step_rps` at which it meets the SLOs. A design is on the front if no other has at least that
capacity with no more cost, power and machines, and is better in one of them.

Small spaces exactly: designs in order of cost, power, machines. Each is simulated at the one rate
that decides about it, the step above the best capacity among those that are no worse in the rest.
If it misses there it is dominated, as far as no higher rate is feasible again (which every capacity
search assumes). Otherwise, or where none is known to be no worse, its capacity is found. A bound
may prove the miss without a simulation.

Large spaces by NSGA-II, which minimises the four together, and then the neighbours of what it
found: the result is the best front found, and says how much of the space was seen.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.design_capacity import Challenge, Reach, Reaching
from splitwise_plan.planner.dominance import Vector, front, no_worse
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.exclusion import PromptCapacity
from splitwise_plan.planner.fingerprint import fingerprint
from splitwise_plan.planner.grid import Grid, name_of, size
from splitwise_plan.planner.journal import Journal, Kind, kept_in_order
from splitwise_plan.planner.progress import Progress, ProgressCallback
from splitwise_plan.planner.rates import likely_rate_rps
from splitwise_plan.planner.records import Keeping, Records
from splitwise_plan.planner.run_lengths import shortest_s
from splitwise_plan.planner.sampled import BATCH, EXHAUSTIVE_S, REQUESTS_PER_S, TRIALS
from splitwise_plan.planner.space import COST_STEP_USD_PER_HOUR, designs, provisioned_power
from splitwise_plan.planner.study import Conversation
from splitwise_plan.scenario.scenario import Scenario

Method = Literal["auto", "exhaustive", "optuna"]

LOOKS = 2.0
"""Replications a design takes in the exact front, as a multiple of the scenario's seeds."""


ANSWERS: Kind[Challenge, Reach] = Kind(
    lambda asked: f"reach {asked.level}: {name_of(asked.design)}",
    lambda reach: [reach.level, reach.simulations],
    lambda _, told: Reach(*told),
)


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """A design of the front and what it is worth."""

    design: Design
    rate_rps: float
    cost_usd_per_hour: float
    provisioned_power: float
    """Watts, or the paper's units if the assumptions count in those."""

    @property
    def machines(self) -> int:
        return self.design.machines


@dataclass(frozen=True, slots=True)
class ParetoResult:
    """The front, in order of rate, then cost, power and machines; equals side by side."""

    points: tuple[ParetoPoint, ...]
    space: int
    """Designs of all families."""
    simulated: int
    excluded: int
    """Designs that the bound proved to miss at the rate that decides about them."""
    exact: bool
    """Whether every design was simulated or excluded."""
    seeds: int
    simulations: int
    search_s: float


def pareto(  # noqa: PLR0913, PLR0917
    scenario: Scenario,
    jobs: Jobs,
    method: Method = "auto",
    budget_trials: int = TRIALS,
    storage: str | None = None,
    study_name: str | None = None,
    report: ProgressCallback | None = None,
    journal: Journal | None = None,
) -> ParetoResult:
    """The front of all families.

    `budget_trials`, `storage` and `study_name` are for `optuna` alone; an exact front goes on from
    what is in a `journal`.

    Raises `InputError` for a trace that replays its own arrivals: it has no rate to vary.
    """
    if scenario.arrivals.process == "trace":
        what = "a replayed trace has no rate to vary"
        raise InputError([Problem("trace", what, "draw arrivals: poisson or gamma")])
    start = time.perf_counter()
    finder = Finder(scenario, jobs, report, journal)
    exact = method == "exhaustive" or (method == "auto" and not is_large(scenario))
    if exact:
        finder.go_through()
    else:
        finder.sample(budget_trials, Keeping(storage, study_name))
    return ParetoResult(
        points=tuple(finder.points()),
        space=finder.grid.size,
        simulated=finder.simulated,
        excluded=finder.excluded,
        exact=exact,
        seeds=finder.reaching.rates.evaluator(1).looks[0],
        simulations=finder.simulations,
        search_s=time.perf_counter() - start,
    )


def expected_s(scenario: Scenario) -> float:
    """Expected time of the exact front, in one thread."""
    requests = 0.0
    for space in scenario.spaces:
        rate = likely_rate_rps(scenario, PromptCapacity(scenario, space), [_middle(space)])
        at_it = replace(scenario, arrivals=replace(scenario.arrivals, rate_rps=rate))
        requests += size(space) * rate * shortest_s(at_it)
    return requests * LOOKS * scenario.seeds / REQUESTS_PER_S


def is_large(scenario: Scenario) -> bool:
    """Whether `method = auto` samples the space."""
    return expected_s(scenario) > EXHAUSTIVE_S


@dataclass(frozen=True, slots=True)
class Reached:
    """A capacity as a trial holds it."""

    reach: Reach
    bill: Vector

    @property
    def values(self) -> Vector:
        return (-float(self.reach.level), *self.bill)

    @property
    def excess(self) -> None:
        return None

    def to_json(self) -> dict[str, int]:
        """Without the bill, which follows from the design."""
        return {"level": self.reach.level, "simulations": self.reach.simulations}


@dataclass(frozen=True, slots=True)
class Reacher:
    """Design in, capacity out; may be sent to other processes."""

    reaching: Reaching

    def __call__(self, design: Design) -> Reached:
        """The capacity of a design, and what it costs."""
        return Reached(self.reaching.reach(design), bill(self.reaching.scenario, design))


def bill(scenario: Scenario, design: Design) -> Vector:
    """Cost, power and machines; rounded, as sums of prices differ in their last bits."""
    cost = round(design.cost_usd_per_hour / COST_STEP_USD_PER_HOUR) * COST_STEP_USD_PER_HOUR
    return cost, round(provisioned_power(scenario, design), 6), float(design.machines)


@dataclass(slots=True)
class Finder:
    """The search for a front."""

    scenario: Scenario
    jobs: Jobs
    report: ProgressCallback | None
    journal: Journal | None = None
    found: dict[Design, Vector] = field(default_factory=dict)
    """Capacity (the level, negative), cost, power and machines of designs that reach any."""
    simulated: int = 0
    excluded: int = 0
    simulations: int = 0
    grid: Grid = field(init=False)
    reaching: Reaching = field(init=False)

    def __post_init__(self) -> None:
        self.grid = Grid(self.scenario)
        self.reaching = Reaching(self.scenario)

    def points(self) -> list[ParetoPoint]:
        """The front of what was found, in order of rate, then cost, power and machines."""
        return [
            ParetoPoint(design, self.reaching.rates.rate_rps(int(-level)), cost, power)
            for design, (level, cost, power, _) in sorted(
                self._front().items(), key=lambda pair: (-pair[1][0], *pair[1][1:])
            )
        ]

    def go_through(self) -> None:
        """Every design at the rate that decides about it, in batches of a fixed size."""
        everything = [design for space in self.scenario.spaces for design in designs(space)]
        remaining = iter(sorted(everything, key=lambda one: bill(self.scenario, one)))
        while batch := list(islice(remaining, BATCH)):
            self.found = self._front()
            challenges = [Challenge(design, self._level_to_beat(design)) for design in batch]
            possible = [one for one in challenges if not self.reaching.excludes(one)]
            self.simulated += len(possible)
            self.excluded += len(batch) - len(possible)
            answers = kept_in_order(
                self.journal, ANSWERS, self.reaching.answer, possible, self.jobs
            )
            for challenge, reach in zip(possible, answers, strict=True):
                self.simulations += reach.simulations
                self._keep(challenge.design, reach)
            self._tell(batch[-1])

    def sample(self, trials: int, keeping: Keeping) -> None:
        """NSGA-II in batches of a fixed size, then neighbours, as many designs again at most."""
        question = fingerprint(self.scenario, "front")
        with keeping.notebook(question, self.grid.counts, objectives=4) as notebook:
            self._sample(
                trials,
                Records(
                    notebook,
                    Reacher(self.reaching),
                    lambda design, told: Reached(
                        Reach(told["level"], told["simulations"]), bill(self.scenario, design)
                    ),
                    self.jobs,
                ),
            )

    def _sample(self, trials: int, records: Records[Reached]) -> None:
        first = [self.grid.corner(space) for space in self.scenario.spaces]
        conversation = Conversation(self.grid.shares, 4, self.scenario.seed, first)
        batches = -(-trials // BATCH)
        for _ in range(batches):
            chosen = [self.grid.design(point) for point in conversation.ask(BATCH)]
            conversation.tell((one.values, None) for one in records.of(chosen))
            self._note(records, chosen[-1])
        for _ in range(batches):
            around = dict.fromkeys(
                near
                for point in self.points()
                for near in self.grid.near(point.design, 1)
                if near not in records.known
            )
            if not around:
                break
            chosen = list(around)[:BATCH]
            records.of(chosen)
            self._note(records, chosen[-1])

    def _note(self, records: Records[Reached], last: Design) -> None:
        known = records.known
        for design, one in known.items():
            self._keep(design, one.reach)
        self.simulated = sum(one.reach.simulations > 0 for one in known.values())
        self.excluded = len(known) - self.simulated
        self.simulations = sum(one.reach.simulations for one in known.values())
        self._tell(last)

    def _keep(self, design: Design, reach: Reach) -> None:
        if reach.level:
            self.found[design] = (-float(reach.level), *bill(self.scenario, design))

    def _level_to_beat(self, design: Design) -> int:
        """The least level at which what is found so far does not dominate a design; 0: any."""
        own, level = bill(self.scenario, design), 0
        for reached, *theirs in self.found.values():
            if no_worse(tuple(theirs), own):
                level = max(level, int(-reached) + (tuple(theirs) != own))
        return level

    def _front(self) -> dict[Design, Vector]:
        found = list(self.found.items())
        return dict(found[position] for position in front([vector for _, vector in found]))

    def _tell(self, last: Design) -> None:
        if self.report is not None:
            counts = self.simulated, self.excluded, self.grid.size
            self.report(Progress(last.family.id, *counts, last))


def _middle(space: FamilySpace) -> Design:
    ranges = space.prompt_machines, space.token_machines
    prompt, token = [(one.low + one.high) // 2 if one else 0 for one in ranges]
    return Design(space.family, prompt, token)
