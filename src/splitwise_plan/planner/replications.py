"""Single runs of a design, and what several of them say together."""

from __future__ import annotations

from collections.abc import Sequence

from splitwise_plan.planner.confidence import decide, estimates
from splitwise_plan.planner.outcome import Replication
from splitwise_plan.sim.metrics import Latencies, latencies
from splitwise_plan.sim.records import Run, Stop
from splitwise_plan.sim.simulator import Simulator
from splitwise_plan.sim.verdict import Verdict, target_results, verdict

WORST_FIRST: tuple[Verdict, ...] = ("unstable", "misses", "undecided", "meets")
"""Of single runs; `undecided` is one that measured nothing, or too little."""


def replicate(
    simulator: Simulator, number: int, run: Run, latency: Latencies | None = None
) -> Replication:
    """What one run says of its design."""
    if run.stop == Stop.MISSES:
        return Replication(number, "misses", ())
    latency = latency or latencies(simulator, run)
    results = target_results(simulator.scenario.slos, latency)
    arrivals = simulator.scenario.arrivals
    return Replication(number, verdict(run, results, latency, arrivals), tuple(results))


def worst(replications: Sequence[Replication]) -> Verdict:
    """The worst verdict of single runs."""
    verdicts = {replication.verdict for replication in replications}
    return next(one for one in WORST_FIRST if one in verdicts)


def joint_verdict(replications: Sequence[Replication]) -> Verdict:
    """The verdict of complete replications, as far as they decide it.

    Where one was ended early there is nothing to average: the design misses.
    """
    if len(replications) == 1:
        return replications[0].verdict
    if not all(replication.results for replication in replications):
        return "misses"
    verdict = decide(estimates([replication.results for replication in replications]))
    return as_replications_say(verdict, [replication.verdict for replication in replications])


def as_replications_say(verdict: Verdict, of_replications: Sequence[Verdict]) -> Verdict:
    """A verdict over all replications, and what single ones know better.

    One in at least half of whose replications the backlog grew is `unstable`, whatever the limits;
    one that would meet, but for replications that measured too little, is `undecided`.
    """
    growing = sum(one == "unstable" for one in of_replications)
    if 2 * growing >= len(of_replications):
        return "unstable"
    if verdict == "meets" and "undecided" in of_replications:
        return "undecided"
    return verdict
