"""Judging by windows: what is asked is about one window of time that begins with an empty cluster.

Replications are windows with other requests; a replayed trace is one, whatever is asked for. How
sure a verdict is: see `confidence`.
"""

from __future__ import annotations

from threading import Lock

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.confidence import looks
from splitwise_plan.planner.details import RunSummary, details_of, summary_of
from splitwise_plan.planner.driver import Jobs, here, in_order
from splitwise_plan.planner.outcome import Details, Evaluation, Replication
from splitwise_plan.planner.replications import joint_verdict, replicate, worst
from splitwise_plan.scenario.sampling import requests_for
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.extrapolation import Extrapolation, beyond_profile
from splitwise_plan.sim.metrics import Latencies, latencies
from splitwise_plan.sim.simulator import Simulator


class Windows:
    """Judges designs, all on the same requests: one list a replication. Thread-safe."""

    def __init__(self, scenario: Scenario, seeds: int | None = None) -> None:
        """Judge on `seeds` replications exactly, or as the scenario says if None."""
        self.scenario = scenario
        first, last = (scenario.seeds, scenario.max_seeds) if seeds is None else (seeds, seeds)
        if scenario.arrivals.process == "trace":
            first = last = 1
        self.looks = looks(first, max(first, last) if first > 1 else 1)
        self._simulators: list[Simulator] = []
        self._lock = Lock()

    def simulator(self, replication: int) -> Simulator:
        """The simulator of a replication; its requests are drawn when first asked for."""
        with self._lock:
            while len(self._simulators) <= replication:
                number = len(self._simulators)
                requests = requests_for(self.scenario, number)
                self._simulators.append(Simulator.of(self.scenario, requests, number))
            return self._simulators[replication]

    def first_simulator(self) -> Simulator:
        """The first window."""
        return self.simulator(0)

    def may_decide(self, evaluation: Evaluation) -> bool:
        """No: all replications were looked at."""
        return False

    def screen(self, design: Design) -> Evaluation:
        """The verdict: windows are short enough."""
        return self.judge(design)

    def judge(self, design: Design, *, first_look: bool = False, jobs: Jobs = 1) -> Evaluation:
        """Simulate replications until the verdict is sure enough, whether asked for `first_look`.

        Runs end as soon as they are proven to miss. A design that misses in every replication of
        the first look is not simulated any further.
        """
        simulations = 0
        done: list[Replication] = []
        for number in range(self.looks[0]):
            done.append(self._replicate(design, number, stop_when_missed=True))
            simulations += 1
        if len(done) == 1 or all(replication.verdict != "meets" for replication in done):
            return Evaluation(design, worst(done), tuple(done), simulations)
        for number, replication in enumerate(done):
            if not replication.results:
                done[number] = self._replicate(design, number)
                simulations += 1
        for look in self.looks:
            while len(done) < look:
                done.append(self._replicate(design, len(done)))
                simulations += 1
            verdict = joint_verdict(done)
            if verdict != "undecided":
                break
        return Evaluation(design, verdict, tuple(done), simulations)

    def seems_to_meet(self, design: Design) -> bool:
        """A quick look without a stated error: every replication of the first look meets."""
        return all(
            self._replicate(design, number, stop_when_missed=True).seems_to_meet
            for number in range(self.looks[0])
        )

    def _replicate(
        self, design: Design, number: int, *, stop_when_missed: bool = False
    ) -> Replication:
        simulator = self.simulator(number)
        run = simulator.run_unless_missed(design) if stop_when_missed else simulator.run(design)
        return replicate(simulator, number, run) if run else Replication(number, "misses", ())

    def detail(
        self, design: Design, replications: int, jobs: Jobs, *, stop_when_missed: bool
    ) -> Details:
        """Simulate replications and report all."""

        def of_run(
            number: int,
        ) -> tuple[Replication, RunSummary, Latencies, tuple[Extrapolation, ...]]:
            simulator = self.simulator(number)
            run = simulator.run(design, stop_when_missed=stop_when_missed)
            found = latencies(simulator, run)
            replication = replicate(simulator, number, run, found)
            beyond = beyond_profile(simulator, design, run) if number == 0 else ()
            return replication, summary_of(simulator, design, run), found, beyond

        done = list(in_order(of_run, range(replications), here(jobs)))
        single, summaries, found, beyond = zip(*done, strict=True)
        evaluation = Evaluation(design, joint_verdict(single), single, len(done))
        return details_of(evaluation, summaries, found, beyond[0])
