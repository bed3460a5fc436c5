"""Design in, evaluation out: the one way to judge a design, whoever chose it.

What is asked decides how: about the steady state (`steady`), or about a window (`windows`).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Protocol

from splitwise_plan.facts.design import Design
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.outcome import Details, Evaluation
from splitwise_plan.planner.spare import judge_losses, seem_to_do
from splitwise_plan.planner.steady import SteadyState
from splitwise_plan.planner.windows import Windows
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator
from splitwise_plan.sim.verdict import MISSED


class Judging(Protocol):
    """How designs are judged as they are, all on the same requests. Thread-safe."""

    looks: list[int]
    """Numbers of replications at which a verdict may be reached."""

    def screen(self, design: Design) -> Evaluation | None:
        """The verdict if it comes soon."""

    def judge(self, design: Design, *, first_look: bool = False, jobs: Jobs = 1) -> Evaluation:
        """The verdict, as sure as it is said to be; `first_look`: where the first look decides."""

    def may_decide(self, evaluation: Evaluation) -> bool:
        """Whether more than the first look would be likely to decide an undecided verdict."""

    def seems_to_meet(self, design: Design) -> bool:
        """A quick look without a stated error."""

    def detail(
        self, design: Design, replications: int, jobs: Jobs, *, stop_when_missed: bool
    ) -> Details:
        """Everything about a design, over so many replications."""

    def simulator(self, replication: int) -> Simulator:
        """Runs that numbers are taken from which no verdict rests on."""

    def first_simulator(self) -> Simulator:
        """The first run that a verdict rests on."""


class Evaluator:
    """Judges designs of a scenario, all on the same requests: one list a replication.

    Safe to use from several threads.
    """

    def __init__(self, scenario: Scenario, seeds: int | None = None) -> None:
        """Judge on `seeds` replications exactly, or as the scenario says if None."""
        self.scenario = scenario
        self.seeds = seeds
        in_steady_state = scenario.horizon == "steady"
        self._judging: Judging = (SteadyState if in_steady_state else Windows)(scenario, seeds)
        self.looks = self._judging.looks
        self._known: dict[Design, Evaluation] = {}
        spare = scenario.spare
        self._of_losses = self
        if spare is not None and spare.slos is not None:
            self._of_losses = Evaluator(replace(scenario, slos=spare.slos, spare=None), seeds)
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
        return self._judging.simulator(replication)

    def first_simulator(self) -> Simulator:
        """That of the first run that a verdict rests on."""
        return self._judging.first_simulator()

    def simulators(self, replications: int) -> list[Simulator]:
        """The first `replications` simulators."""
        return [self.simulator(number) for number in range(replications)]

    def judge(self, design: Design, *, first_look: bool = False, jobs: Jobs = 1) -> Evaluation:
        """The verdict on a design, whole and with the machines gone that the scenario allows for.

        What was judged once is remembered: what is left of a design is often another one whole.
        `first_look`: where that is close it stays undecided, which takes a fraction of the time.
        """
        whole, spare = (
            self.judge_whole(design, first_look=first_look, jobs=jobs),
            self.scenario.spare,
        )
        if spare is None or whole.verdict != "meets":
            return whole
        judge_left = partial(self._of_losses.judge_whole, first_look=first_look, jobs=jobs)
        return judge_losses(spare, whole, judge_left)

    def screen(self, design: Design) -> Evaluation | None:
        """The verdict on a design if it soon turns out to miss, with no machine gone."""
        known = self._known.get(design)
        if known is None:
            known = self._judging.screen(design)
            if known is not None:
                self._known[design] = known
        return known if known is not None and known.verdict in MISSED else None

    def judge_whole(
        self, design: Design, *, first_look: bool = False, jobs: Jobs = 1
    ) -> Evaluation:
        """The verdict on a design as it is."""
        known = self._known.get(design)
        if known is None or (not first_look and self._is_open(known)):
            known = self._known[design] = self._judging.judge(
                design, first_look=first_look, jobs=jobs
            )
        return known

    def _is_open(self, known: Evaluation) -> bool:
        return known.verdict == "undecided" and self._judging.may_decide(known)

    def seems_to_meet(self, design: Design) -> bool:
        """A quick look without a stated error."""
        spare = self.scenario.spare
        return self.whole_seems_to_meet(design) and (
            spare is None or seem_to_do(spare, design, self._of_losses.whole_seems_to_meet)
        )

    def whole_seems_to_meet(self, design: Design) -> bool:
        """A quick look at a design as it is."""
        return self._judging.seems_to_meet(design)

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
        return self._judging.detail(
            design, replications or self.looks[0], jobs, stop_when_missed=stop_when_missed
        )


@lru_cache(maxsize=4)
def _unpickled(scenario: bytes, seeds: int | None) -> Evaluator:
    """Requests are drawn once for all designs that are sent to a process."""
    return Evaluator(pickle.loads(scenario), seeds)


def records(
    scenario: Scenario, design: Design, *, stop_when_missed: bool = False
) -> tuple[Simulator, Run]:
    """The per-request records of the first replication."""
    simulator = Evaluator(scenario).first_simulator()
    return simulator, simulator.run(design, stop_when_missed=stop_when_missed)


def as_judged(details: Details, judged: Evaluation) -> Details:
    """Details with the verdict that the design was judged to have.

    A design that misses in every replication of the first look misses, though the intervals of so
    few may be too wide to tell by how much. What is left with machines gone is judged only once.
    """
    found = details.evaluation
    if judged.reduced:
        whole = replace(found, verdict=judged.verdict, reduced=judged.reduced)
        return replace(details, evaluation=whole)
    if found.verdict == "unstable" or judged.verdict == "undecided":
        return details
    return replace(details, evaluation=replace(found, verdict=judged.verdict))
