"""What following the day saves: machines off, or in the other pool, while the load is low.

The fixed cluster is the least that meets the SLOs in every part of the day (`joint`). Of the same
machines each part then has its own least design: with pools as they are (some machines off), and,
where both pools are of one machine type, with machines free to change pools from part to part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from splitwise_plan.facts.design import CountRange, Design, FamilySpace
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import search
from splitwise_plan.planner.journal import Journal, part_of
from splitwise_plan.planner.multi_load import MultiLoadEvaluator
from splitwise_plan.planner.outcome import SearchResult, best_of
from splitwise_plan.planner.progress import Progress, ProgressCallback
from splitwise_plan.questions.day.periods import Day, Period, same_load
from splitwise_plan.scenario.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Sized:
    """The least designs for a load: of the fixed pools, and of as many machines in any pool.

    `switched` None: the pools are of different machines, or there is one pool.
    """

    least: Design
    switched: Design | None
    simulations: int


@dataclass(frozen=True, slots=True, eq=False)
class Hour:
    """A part of the day; watts of all machines, those not needed drawing idle power or nothing."""

    period: Period
    sized: Sized
    all_on_w: float
    rest_idle_w: float
    rest_off_w: float
    switched_off_w: float | None


@dataclass(frozen=True, slots=True, eq=False)
class DayResult:
    """`fixed`: the search for one cluster that serves the whole day; no hours where none does."""

    day: Day
    fixed: SearchResult
    hours: tuple[Hour, ...]
    simulations: int

    @property
    def cluster(self) -> Design | None:
        """The fixed cluster."""
        return best_of(self.fixed)

    @property
    def switched_machines(self) -> int | None:
        """Machines of a cluster whose machines change pools; None where they cannot."""
        counts = [one.sized.switched.machines for one in self.hours if one.sized.switched]
        return max(counts, default=None)


def follow(
    day: Day, jobs: Jobs, progress: ProgressCallback | None = None, journal: Journal | None = None
) -> DayResult:
    """Size a fixed cluster for the day, then each part of it with the same machines.

    `journal`: to go on from.
    """
    loads = day.loads()
    joint = MultiLoadEvaluator(day.base, [Evaluator(one.scenario) for one in loads.loads])
    fixed = search(day.base, jobs, progress, part_of(journal, "whole day"), joint)
    cluster = best_of(fixed)
    if cluster is None:
        return DayResult(day, fixed, (), fixed.simulations)
    sized: dict[object, Sized] = {}
    for done, load in enumerate(loads.loads):
        if progress is not None:
            progress(Progress(load.name, done, 0, len(loads.loads), cluster))
        kept = part_of(journal, f"load {done}")
        sized[same_load(load.scenario)] = size(load.scenario, cluster, jobs, kept)
    hours = _hours(day, sized, cluster, jobs)
    simulations = fixed.simulations + sum(one.simulations for one in sized.values())
    return DayResult(day, fixed, hours, simulations)


def size(scenario: Scenario, cluster: Design, jobs: Jobs, journal: Journal | None = None) -> Sized:
    """The least of a cluster's machines that meet the SLOs under a load; all of them do."""
    family, most = cluster.family, cluster.machines
    pools = (cluster.prompt_machines, cluster.token_machines)
    least, simulations = _least(scenario, cluster, pools, jobs, journal)
    if family.token_machine is None or family.token_machine != family.prompt_machine:
        return Sized(least, None, simulations)
    switched, more = _least(scenario, cluster, (most - 1, most - 1), jobs, journal)
    if switched.machines == least.machines:  # no machine changes pools for nothing
        switched = least
    return Sized(least, switched, simulations + more)


def _least(
    scenario: Scenario,
    cluster: Design,
    most: tuple[int, int],
    jobs: Jobs,
    journal: Journal | None,
) -> tuple[Design, int]:
    """The best design of up to so many machines in each pool, and the simulations it took."""
    prompt, token = most
    tokens = CountRange(1, token) if cluster.family.token_machine is not None else None
    space = FamilySpace(cluster.family, CountRange(1, prompt), tokens)
    found = search(replace(scenario, spaces=(space,), method="exhaustive"), jobs, journal=journal)
    return best_of(found) or cluster, found.simulations


def _hours(
    day: Day, sized: Mapping[object, Sized], cluster: Design, jobs: Jobs
) -> tuple[Hour, ...]:
    powers: dict[object, dict[Design, float]] = {}
    hours = []
    for period in day.periods:
        own = sized[same_load(period.busiest)]
        known = powers.setdefault(same_load(period.mean), {})
        evaluator = Evaluator(period.mean)
        enough = 1 if period.mean.horizon == "steady" else None  # long runs: power varies little
        for design in (cluster, own.least, own.switched):
            if design is not None and design not in known:
                known[design] = evaluator.detail(design, enough, jobs).energy.average_power_w
        off_w = known[own.least]
        hours.append(
            Hour(
                period=period,
                sized=own,
                all_on_w=known[cluster],
                rest_idle_w=off_w + _idle_w(cluster) - _idle_w(own.least),
                rest_off_w=off_w,
                switched_off_w=known[own.switched] if own.switched else None,
            )
        )
    return tuple(hours)


def _idle_w(design: Design) -> float:
    return design.total("idle_power_w")
