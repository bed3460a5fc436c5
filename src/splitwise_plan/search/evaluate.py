"""Design in, evaluation out: the one way to judge a design, whoever chose it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.sampling import requests_for
from splitwise_plan.facts.scenario import Scenario
from splitwise_plan.facts.slo import METRICS
from splitwise_plan.search.outcome import (
    Details,
    Evaluation,
    LatencySummary,
    Replication,
    RequestCounts,
)
from splitwise_plan.sim.metrics import Energy, Latencies, Pool, energy, latencies, percentile, pools
from splitwise_plan.sim.records import Run, Stop
from splitwise_plan.sim.simulator import Simulator
from splitwise_plan.sim.verdict import Verdict, target_results, verdict


@dataclass(frozen=True, slots=True, eq=False)
class Evaluator:
    """Judges designs of a scenario, all on the same requests: one list a replication."""

    simulators: Sequence[Simulator]

    @classmethod
    def of(cls, scenario: Scenario, replications: int | None = None) -> Evaluator:
        """Draw the requests. A replayed trace is one replication, whatever is asked for."""
        count = scenario.seeds if replications is None else replications
        if scenario.arrivals.process == "trace":
            count = 1
        return cls([Simulator.of(scenario, requests_for(scenario, r)) for r in range(count)])

    def judge(self, design: Design) -> Evaluation:
        """Simulate replication after replication until one does not meet the SLOs.

        Runs end as soon as they are proven to miss; the verdict is the same as without.
        """
        done: list[Replication] = []
        for number, simulator in enumerate(self.simulators):
            run = simulator.run(design, stop_when_missed=True)
            done.append(replicate(simulator, number, run))
            if done[-1].verdict != "meets":
                break
        return Evaluation(design, done[-1].verdict, tuple(done))

    def detail(self, design: Design) -> Details:
        """Simulate every replication to its end and report all there is to say."""
        runs = [simulator.run(design) for simulator in self.simulators]
        found = [latencies(s, run) for s, run in zip(self.simulators, runs, strict=True)]
        replications = tuple(
            replicate(simulator, number, run, latency)
            for number, (simulator, run, latency) in enumerate(
                zip(self.simulators, runs, found, strict=True)
            )
        )
        evaluation = Evaluation(design, joint_verdict(replications), replications)
        of_pools = [pools(s, design, run) for s, run in zip(self.simulators, runs, strict=True)]
        energies = [energy(run, p) for run, p in zip(runs, of_pools, strict=True)]
        arrived = sum(len(simulator.requests) for simulator in self.simulators)
        finished = sum(run.finished for run in runs)
        return Details(
            evaluation=evaluation,
            requests=RequestCounts(arrived, finished, arrived - finished, 0),
            throughput_rps=float(np.mean([_throughput_rps(s, r) for s, r in zip(self.simulators, runs, strict=True)])),
            latency_s={m: _summary([f.seconds[m] for f in found]) for m in METRICS},
            slowdown={m: _summary([f.slowdown[m] for f in found]) for m in METRICS},
            kv_transfer_s=_summary([_moved(run) for run in runs]),
            pools=tuple(_average_pools(of_pools)),
            energy=Energy(
                float(np.mean([e.average_power_w for e in energies])),
                float(np.mean([e.wh_per_request for e in energies])),
            ),
            pool_moves=sum(run.pool_moves for run in runs),
            mixed_requests=sum(run.mixed_requests for run in runs),
        )


def detail(scenario: Scenario, design: Design, replications: int | None = None) -> Details:
    """Everything about one design, over `replications` (default: the scenario's seeds)."""
    return Evaluator.of(scenario, replications).detail(design)


def records(scenario: Scenario, design: Design, replication: int = 0) -> tuple[Simulator, Run]:
    """The per-request records of one replication."""
    simulator = Simulator.of(scenario, requests_for(scenario, replication))
    return simulator, simulator.run(design)


def replicate(
    simulator: Simulator, number: int, run: Run, latency: Latencies | None = None
) -> Replication:
    """What one run says of its design."""
    if run.stop == Stop.MISSES:
        return Replication(number, "misses", ())
    latency = latency or latencies(simulator, run)
    results = target_results(simulator.scenario.slos, latency)
    return Replication(number, verdict(run, results, latency), tuple(results))


def joint_verdict(replications: Sequence[Replication]) -> Verdict:
    """`meets` or `misses` where all agree; `unstable` if one is; `undecided` where they differ."""
    verdicts = {replication.verdict for replication in replications}
    if "unstable" in verdicts:
        return "unstable"
    return verdicts.pop() if len(verdicts) == 1 else "undecided"


def _throughput_rps(simulator: Simulator, run: Run) -> float:
    last_arrival_s = float(simulator.requests.arrival_s[-1])
    finished = int(np.count_nonzero(run.requests.last_token_s <= last_arrival_s))
    return finished / last_arrival_s if last_arrival_s > 0 else float("nan")


def _summary(parts: Sequence[NDArray[np.float64]]) -> LatencySummary:
    values = np.concatenate(parts)
    if len(values) == 0:
        return LatencySummary(*[float("nan")] * 4)
    return LatencySummary(
        float(np.mean(values)), *(percentile(values, q) for q in (50.0, 90.0, 99.0))
    )


def _moved(run: Run) -> NDArray[np.float64]:
    return run.requests.kv_transfer_s[run.requests.kv_transfer_s > 0.0]


def _average_pools(replications: Sequence[Sequence[Pool]]) -> list[Pool]:
    return [
        Pool(
            pool=same[0].pool,
            machine=same[0].machine,
            machines=same[0].machines,
            utilisation=float(np.mean([p.utilisation for p in same])),
            prompt_share=float(np.mean([p.prompt_share for p in same])),
            peak_memory_bytes=max(p.peak_memory_bytes for p in same),
            average_power_w=float(np.mean([p.average_power_w for p in same])),
        )
        for same in zip(*replications, strict=True)
    ]
