"""Judging the steady state: short runs reject, long runs decide.

What is asked is about the stationary regime: arrivals that go on for ever. Every run begins with an
empty cluster, so its start is dropped, a third as long as what is measured; and arrivals go on past
the end of what is measured, so that nothing is measured while the cluster empties (`run_lengths`).

Trials. Empty at first, a cluster is never busier than it will be: what is over a limit soon is over
it in the steady state too. So a design is rejected where in each of a few short runs far more
requests exceed a limit than may: their odds are `Trial.odds` times those allowed. If the share of a
run varies by a standard deviation of c times its mean, n runs of a design that is at its limit are
all over (1 + d) times the share with a probability of (c² / (c² + d²))^n at most (Cantelli).

Looks. Runs give every target an interval (`batch_means`). The one run of the last trial that did
not reject may still do so by its interval. Then come long runs: the first alone decides where even
an interval `ALONE` times as wide does, then as many as `seeds`, twice and four times as many, up to
`max_seeds`. The ends of the intervals are wrong with `SPENT` of `ERROR_RATE`, all looks together. A
design `misses` if a lower end is over its limit. It `meets` if no upper end is, and its backlog
does not grow; it is `unstable` if that grows all the time, whatever the limits. It is `undecided`
at the last look, or as soon as more runs would hardly decide.

How often a verdict is wrong is measured in tests/test_steady_errors.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import sqrt
from threading import Lock
from typing import NamedTuple

import numpy as np

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.confidence import ERROR_RATE, looks
from splitwise_plan.planner.details import details_of
from splitwise_plan.planner.driver import Jobs, here, in_order
from splitwise_plan.planner.long_runs import LongRun, estimates_of, may_decide, misses, verdict_of
from splitwise_plan.planner.outcome import Details, Evaluation, Replication
from splitwise_plan.planner.replications import replicate, worst
from splitwise_plan.planner.run_lengths import LONG, lasting_s, measured_s, warm_up_s
from splitwise_plan.scenario.sampling import lengths_of, requests_over
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.extrapolation import beyond_profile
from splitwise_plan.sim.metrics import attained, latencies
from splitwise_plan.sim.records import STUCK, Run
from splitwise_plan.sim.simulator import Simulator, share_at_odds
from splitwise_plan.sim.verdict import Verdict


class Screening(NamedTuple):
    """A length of runs in units, how many times the odds allowed reject a design, and how often."""

    units: float
    odds: float
    runs: int = 3


GLANCE, SHORT = 1.0, 4.0
"""Units: of a quick look, and of runs for numbers that no verdict rests on."""

SCREENINGS = (
    Screening(1 / 8, 12.0, 1),
    Screening(1 / 8, 3.0),
    Screening(1 / 2, 2.5),
    Screening(GLANCE, 2.0),
    Screening(SHORT, 1.5),
)
LENGTHS = (*sorted({trial.units for trial in SCREENINGS}), LONG)
"""Runs of each length have requests of their own."""

SPENT = (0.4, 0.3, 0.3)
"""Of the error, at each look."""

ALONE = 2.0
"""One run knows too little of what varies slowly: its intervals are so many times as wide."""

KEPT = 8
"""Undecided designs whose runs are kept, in case that more of them are asked for."""


class SteadyState:
    """Judges designs of a scenario in the steady state, all on the same requests. Thread-safe."""

    def __init__(self, scenario: Scenario, seeds: int | None = None) -> None:
        """Decide on `seeds` long runs exactly, or as the scenario says if None."""
        self.scenario = scenario
        first, last = (scenario.seeds, scenario.max_seeds) if seeds is None else (seeds, seeds)
        self.looks = looks(first, max(first, last))
        self._steps = sorted({1, *self.looks})
        """Numbers of long runs at which a verdict may be reached."""
        gap_s, tokens = 1.0 / scenario.arrivals.mean_rps, lengths_of(scenario).mean_tokens
        self._expected_loads = np.array([gap_s, *tokens])
        self._simulators: dict[tuple[float, int], Simulator] = {}
        self._open: dict[Design, int] = {}
        """Designs that trials did not reject, and how many runs that took."""
        self._kept: dict[Design, list[LongRun]] = {}
        self._details: dict[tuple[Design, int], Details] = {}
        self._lock = Lock()

    def simulator(self, replication: int) -> Simulator:
        """A short run, for numbers that no verdict rests on."""
        return self._simulator(SHORT, replication)

    def first_simulator(self) -> Simulator:
        """The first long run."""
        return self._simulator(LONG, 0)

    def _simulator(self, units: float, replication: int) -> Simulator:
        """Requests are drawn when they are first asked for."""
        key, asked = (units, replication), self.scenario
        with self._lock:
            if key not in self._simulators:
                stream = 1 + LENGTHS.index(units)
                requests = requests_over(asked, lasting_s(asked, units), replication, stream)
                from_s = warm_up_s(asked, units)
                window = (from_s, from_s + measured_s(asked, units))
                self._simulators[key] = Simulator.of(asked, requests, replication, window)
            return self._simulators[key]

    def screen(self, design: Design) -> Evaluation | None:
        """The verdict of trials, which can only reject; None: it takes long runs."""
        if design in self._open:
            return None
        simulations, run = 0, None
        for trial in SCREENINGS:
            rejected: list[Replication] = []
            while len(rejected) < trial.runs:
                simulator = self._simulator(trial.units, len(rejected))
                run = simulator.run_unless_missed(design, trial.odds)
                simulations += 1
                verdict = _rejection(simulator, run, trial.odds)
                if verdict is None:
                    break
                rejected.append(Replication(len(rejected), verdict, ()))
            else:
                return Evaluation(design, worst(rejected), tuple(rejected), simulations)
        if run is not None:
            last = self._evaluation(design, [LongRun.of(simulator, design, run)], simulations)
            if misses(last.estimates):
                return replace(last, verdict="misses")
        self._open[design] = simulations
        return None

    def judge(self, design: Design, *, first_look: bool = False, jobs: Jobs = 1) -> Evaluation:
        """Reject a design by trials, or else decide on long runs; `first_look`: on the first."""
        if (rejected := self.screen(design)) is not None:
            return rejected
        tried = self._open[design]
        with self._lock:
            runs = self._kept.pop(design, [])
        for look in self._steps:
            if look <= len(runs):  # it did not decide
                continue
            runs += in_order(partial(self._run, design), range(len(runs), look), jobs)
            evaluation = self._evaluation(design, runs, tried + look)
            if evaluation.verdict != "undecided" or first_look:
                break
            if not self.may_decide(evaluation):
                break
        if evaluation.verdict == "meets":
            self._details[design, len(runs)] = self._detailed(evaluation, runs)
        elif first_look and evaluation.verdict == "undecided":
            self._keep(design, runs)
        return evaluation

    def may_decide(self, evaluation: Evaluation) -> bool:
        """Whether all long runs would be likely to decide what some of them leave undecided."""
        runs, all_runs = len(evaluation.replications), self.looks[-1]
        if runs < self.looks[0]:
            return True
        return runs < all_runs and may_decide(evaluation.estimates, sqrt(runs / all_runs))

    def _keep(self, design: Design, runs: list[LongRun]) -> None:
        with self._lock:
            self._kept[design] = runs
            while len(self._kept) > KEPT:
                self._kept.pop(next(iter(self._kept)))

    def _run(self, design: Design, number: int, *, stop_when_missed: bool = False) -> LongRun:
        simulator = self._simulator(LONG, number)
        run = simulator.run(design, stop_when_missed=stop_when_missed)
        return LongRun.of(simulator, design, run)

    def _evaluation(self, design: Design, runs: Sequence[LongRun], simulations: int) -> Evaluation:
        """What runs say together."""
        look = next((at for at, most in enumerate(self.looks) if len(runs) <= most), -1)
        error = ERROR_RATE * SPENT[look] / sum(SPENT[: len(self.looks)])
        wider = ALONE if len(runs) == 1 < self.looks[-1] else 1.0
        slos, loads = self.scenario.slos, self._expected_loads
        estimates = tuple(estimates_of(runs, slos, loads, error, wider))
        single = tuple(run.replication for run in runs)
        verdict = verdict_of(runs, estimates)
        return Evaluation(design, verdict, single, simulations, estimated=estimates)

    def seems_to_meet(self, design: Design) -> bool:
        """A quick look without a stated error: one run meets."""
        simulator = self._simulator(GLANCE, 0)
        run = simulator.run_unless_missed(design)
        return run is not None and replicate(simulator, 0, run).verdict == "meets"

    def detail(
        self, design: Design, replications: int, jobs: Jobs, *, stop_when_missed: bool
    ) -> Details:
        """Everything over long runs, which are not simulated again for a design that meets."""
        known = self._details.get((design, replications))
        if known is not None:
            return known

        one_run = partial(self._run, design, stop_when_missed=stop_when_missed)
        runs = list(in_order(one_run, range(replications), here(jobs)))
        return self._detailed(self._evaluation(design, runs, len(runs)), runs)

    def _detailed(self, evaluation: Evaluation, runs: Sequence[LongRun]) -> Details:
        """What goes beyond the profiles is told of a short run."""
        simulator, design = self.simulator(0), evaluation.design
        beyond = beyond_profile(simulator, design, simulator.run(design))
        found = [run.latencies for run in runs]
        return details_of(evaluation, [run.summary for run in runs], found, beyond)


def _rejection(simulator: Simulator, run: Run | None, odds: float) -> Verdict | None:
    """The verdict of a trial's run if it rejects the design."""
    if run is None:
        return "misses"
    if run.stop in STUCK:
        return "unstable"
    goodputs = [one.target for one in simulator.scenario.slos.attainments]
    if goodputs:  # which no run counts while it goes on
        found = latencies(simulator, run)
        for target in goodputs:
            may = share_at_odds(1.0 - target.percentile / 100.0, odds)
            if (share := attained(found, target)) is not None and 1.0 - share > may:
                return "misses"
    return None
