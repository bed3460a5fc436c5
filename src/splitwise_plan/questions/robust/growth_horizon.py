"""When a growing load will be more than a design serves: its capacity, as a day.

The capacity is that of `reach`: the design meets the SLOs at a multiple of the step, and not at the
next. A design that meets them at today's rate is looked at from there up. Between the capacity and
the first rate at which it misses for certain the verdict is undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import floor

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.design_capacity import Challenge, Reach, Reaching
from splitwise_plan.planner.driver import Jobs, in_order
from splitwise_plan.planner.rate_search import MOST_UNDECIDED
from splitwise_plan.scenario.loads.schema import LoadSet
from splitwise_plan.sim.verdict import MISSED


@dataclass(frozen=True, slots=True)
class RunOut:
    """A design meets the SLOs up to `low_rps`, and misses them for certain from `high_rps` on.

    `high_rps` None: it was not found near. `first`, `last`: the days on which the load is there;
    None: never, or in centuries.
    """

    design: Design
    low_rps: float
    high_rps: float | None
    first: date | None
    last: date | None
    simulations: int


def run_outs(loads: LoadSet, designs: Sequence[Design], jobs: Jobs) -> tuple[RunOut, ...]:
    """When each design runs out, of the scenario's own load as it grows."""
    reaching = Reaching(replace(loads.base, rate_step_rps=loads.rate_step_rps))
    today = floor((loads.base.arrivals.rate_rps or 0.0) / loads.rate_step_rps + 1e-9)

    def run_out(design: Design) -> RunOut:
        found = reaching.answer(Challenge(design, today))
        if found.level == 0:
            below = reaching.reach(design)
            found = Reach(below.level, found.simulations + below.simulations)
        high, more = _surely_missed(reaching, design, found.level)
        low_rps = reaching.rates.rate_rps(found.level)
        high_rps = None if high is None else reaching.rates.rate_rps(high)
        return RunOut(
            design,
            low_rps,
            high_rps,
            _day(loads, low_rps),
            None if high_rps is None else _day(loads, high_rps),
            found.simulations + more,
        )

    return tuple(in_order(run_out, designs, jobs))


def _surely_missed(reaching: Reaching, design: Design, level: int) -> tuple[int | None, int]:
    """The first level above at which a design misses, and the simulations it took to know."""
    simulations = 0
    for above in range(level + 1, level + 1 + MOST_UNDECIDED):
        if reaching.excludes(Challenge(design, above)):
            return above, simulations
        evaluation = reaching.rates.evaluator(above).judge(design)
        simulations += evaluation.simulations
        if evaluation.verdict in MISSED:
            return above, simulations
    return None, simulations


def _day(loads: LoadSet, rate_rps: float) -> date | None:
    start_rps = loads.base.arrivals.rate_rps
    if loads.growth is None or start_rps is None:
        raise ValueError("needs a growth, and a rate that grows")
    return loads.growth.reaches(rate_rps, start_rps)
