"""Design in, evaluation out: the one way to judge a design, whoever chose it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from threading import Lock

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.sampling import requests_for
from splitwise_plan.facts.scenario import Scenario
from splitwise_plan.search.confidence import decide, estimates, looks
from splitwise_plan.search.details import details_of
from splitwise_plan.search.driver import Jobs, here, in_order
from splitwise_plan.search.outcome import Details, Evaluation, Replication
from splitwise_plan.search.spare import judge_losses, seem_to_do
from splitwise_plan.sim.metrics import Latencies, latencies
from splitwise_plan.sim.records import Run, Stop
from splitwise_plan.sim.simulator import Simulator
from splitwise_plan.sim.verdict import MISSED, Verdict, target_results, verdict

WORST_FIRST: tuple[Verdict, ...] = ("unstable", "misses", "undecided", "meets")
"""Of single runs; `undecided` is one that measured nothing."""


class Evaluator:
    """Judges designs of a scenario, all on the same requests: one list a replication.

    A replayed trace is one replication, whatever is asked for. Safe to use from several threads.
    """

    def __init__(self, scenario: Scenario, seeds: int | None = None) -> None:
        """Judge on `seeds` replications exactly, or as the scenario says if None."""
        self.scenario = scenario
        self.seeds = seeds
        first, last = (scenario.seeds, scenario.max_seeds) if seeds is None else (seeds, seeds)
        if scenario.arrivals.process == "trace":
            first = last = 1
        self.looks = looks(first, max(first, last) if first > 1 else 1)
        self._simulators: list[Simulator] = []
        self._known: dict[Design, Evaluation] = {}
        spare = scenario.spare
        self._of_losses = self
        if spare is not None and spare.slos is not None:
            self._of_losses = Evaluator(replace(scenario, slos=spare.slos, spare=None), seeds)
        self._lock = Lock()
        self._pickled = b""

    def __reduce__(
        self,
    ) -> tuple[Callable[[bytes, int | None], Evaluator], tuple[bytes, int | None]]:
        """As the facts it was built from: in another process all copies become one evaluator."""
        self._pickled = self._pickled or pickle.dumps(self.scenario)
        return _unpickled, (self._pickled, self.seeds)

    @property
    def parts(self) -> tuple[Evaluator, ...]:
        """The evaluators of the loads that a design is judged under: this one alone."""
        return (self,)

    def simulator(self, replication: int) -> Simulator:
        """The simulator of a replication; its requests are drawn when first asked for."""
        with self._lock:
            while len(self._simulators) <= replication:
                number = len(self._simulators)
                requests = requests_for(self.scenario, number)
                self._simulators.append(Simulator.of(self.scenario, requests, number))
            return self._simulators[replication]

    def simulators(self, replications: int) -> list[Simulator]:
        """The first `replications` simulators."""
        return [self.simulator(number) for number in range(replications)]

    def judge(self, design: Design) -> Evaluation:
        """The verdict on a design, whole and with the machines gone that the scenario allows for.

        What was judged once is remembered: what is left of a design is often another one whole.
        """
        whole, spare = self.judge_whole(design), self.scenario.spare
        if spare is None or whole.verdict != "meets":
            return whole
        return judge_losses(spare, whole, self._of_losses.judge_whole)

    def judge_whole(self, design: Design) -> Evaluation:
        """The verdict on a design as it is."""
        known = self._known.get(design)
        if known is None:
            known = self._known[design] = self._judge(design)
        return known

    def _judge(self, design: Design) -> Evaluation:
        """Simulate replications until the verdict is sure enough (see `confidence`).

        Runs end as soon as they are proven to miss. A design that misses in every replication of
        the first look is not simulated any further.
        """
        simulations = 0
        done: list[Replication] = []
        for number in range(self.looks[0]):
            done.append(self._replicate(design, number, stop_when_missed=True))
            simulations += 1
        verdicts = {replication.verdict for replication in done}
        if len(done) == 1 or "meets" not in verdicts:
            worst = next(one for one in WORST_FIRST if one in verdicts)
            return Evaluation(design, worst, tuple(done), simulations)
        for number, replication in enumerate(done):
            if not replication.results:
                done[number] = self._replicate(design, number)
                simulations += 1
        for look in self.looks:
            while len(done) < look:
                done.append(self._replicate(design, len(done)))
                simulations += 1
            verdict = decide(estimates([replication.results for replication in done]))
            if verdict != "undecided":
                break
        return Evaluation(design, verdict, tuple(done), simulations)

    def seems_to_meet(self, design: Design) -> bool:
        """A quick look without a stated error: every replication of the first look meets."""
        spare = self.scenario.spare
        return self.whole_seems_to_meet(design) and (
            spare is None or seem_to_do(spare, design, self._of_losses.whole_seems_to_meet)
        )

    def whole_seems_to_meet(self, design: Design) -> bool:
        """A quick look at a design as it is."""
        return all(
            self._replicate(design, number, stop_when_missed=True).verdict == "meets"
            for number in range(self.looks[0])
        )

    def _replicate(
        self, design: Design, number: int, *, stop_when_missed: bool = False
    ) -> Replication:
        simulator = self.simulator(number)
        run = simulator.run_unless_missed(design) if stop_when_missed else simulator.run(design)
        return replicate(simulator, number, run) if run else Replication(number, "misses", ())

    def detail(
        self,
        design: Design,
        replications: int | None = None,
        jobs: Jobs = 1,
        *,
        stop_when_missed: bool = False,
    ) -> Details:
        """Simulate replications (default: those of the first look) and report all.

        They go to their end unless `stop_when_missed`: then a run ends when it is proven to miss,
        and latencies of the requests that had not finished are inf.
        """
        simulators = self.simulators(replications or self.looks[0])

        def run_one(simulator: Simulator) -> Run:
            return simulator.run(design, stop_when_missed=stop_when_missed)

        runs = list(in_order(run_one, simulators, here(jobs)))
        found = [latencies(s, run) for s, run in zip(simulators, runs, strict=True)]
        done = tuple(
            replicate(simulator, number, run, latency)
            for number, (simulator, run, latency) in enumerate(
                zip(simulators, runs, found, strict=True)
            )
        )
        evaluation = Evaluation(design, joint_verdict(done), done, len(done))
        return details_of(evaluation, simulators, runs, found)


@lru_cache(maxsize=4)
def _unpickled(scenario: bytes, seeds: int | None) -> Evaluator:
    """Requests are drawn once for all designs that are sent to a process."""
    return Evaluator(pickle.loads(scenario), seeds)


def detail(
    scenario: Scenario,
    design: Design,
    replications: int | None = None,
    jobs: Jobs = 1,
    *,
    stop_when_missed: bool = False,
) -> Details:
    """Everything about one design, over `replications` (default: the scenario's seeds)."""
    evaluator = Evaluator(scenario, replications)
    return evaluator.detail(design, jobs=jobs, stop_when_missed=stop_when_missed)


def records(
    scenario: Scenario, design: Design, *, stop_when_missed: bool = False
) -> tuple[Simulator, Run]:
    """The per-request records of the first replication."""
    simulator = Simulator.of(scenario, requests_for(scenario, 0))
    return simulator, simulator.run(design, stop_when_missed=stop_when_missed)


def replicate(
    simulator: Simulator, number: int, run: Run, latency: Latencies | None = None
) -> Replication:
    """What one run says of its design."""
    if run.stop == Stop.MISSES:
        return Replication(number, "misses", ())
    latency = latency or latencies(simulator, run)
    results = target_results(simulator.scenario.slos, latency)
    return Replication(number, verdict(run, results, latency), tuple(results))


def as_judged(details: Details, judged: Evaluation) -> Details:
    """Details with the verdict that the design was judged to have.

    A design that misses in every replication of the first look misses, though the intervals of so
    few may be too wide to tell by how much. What is left with machines gone is judged only once.
    """
    found = details.evaluation
    if judged.reduced:
        whole = replace(found, verdict=judged.verdict, reduced=judged.reduced)
        return replace(details, evaluation=whole)
    if found.verdict != "undecided" or judged.verdict == "undecided":
        return details
    return replace(details, evaluation=replace(found, verdict=judged.verdict))


def joint_verdict(replications: Sequence[Replication]) -> Verdict:
    """The verdict of complete replications, as far as they decide it.

    Where one was ended early there is nothing to average: the design misses.
    """
    if len(replications) == 1:
        return replications[0].verdict
    if not all(replication.results for replication in replications):
        return "misses"
    verdict = decide(estimates([replication.results for replication in replications]))
    return miss_named(verdict, [replication.verdict for replication in replications])


def miss_named(verdict: Verdict, of_replications: Sequence[Verdict]) -> Verdict:
    """A miss is called unstable where the backlog grew in at least half of the replications."""
    growing = sum(one == "unstable" for one in of_replications)
    return "unstable" if verdict in MISSED and 2 * growing >= len(of_replications) else verdict
