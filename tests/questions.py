"""Random small planning questions: a workload, targets, and the designs of a small space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
from scenes import BOTH, scenario_of

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.slo import METRICS, SLOSet, SLOTarget
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.metrics import latencies, percentile
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator
from splitwise_plan.sim.verdict import target_results, verdict

PERCENTILES = (1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0)


@dataclass(frozen=True, eq=False)
class Question:
    """A simulator of random requests, and designs of one family to ask it about."""

    rng: np.random.Generator
    simulator: Simulator
    designs: list[Design]

    def with_targets(self, targets: tuple[SLOTarget, ...]) -> Question:
        slos = SLOSet("random", targets, "dgx-a100")
        scenario = replace(self.simulator.scenario, slos=slos)
        return replace(self, simulator=Simulator.of(scenario, self.simulator.requests))

    def meets(self, run: Run) -> bool:
        found = latencies(self.simulator, run)
        results = target_results(self.simulator.scenario.slos, found)
        return verdict(run, results, found, self.simulator.scenario.arrivals) == "meets"

    def targets_near(self, run: Run, factors: tuple[float, ...]) -> tuple[SLOTarget, ...]:
        """One to three random targets at a factor of what the run reached."""
        found = latencies(self.simulator, run)
        targets = []
        for _ in range(int(self.rng.integers(1, 4))):
            metric = METRICS[self.rng.integers(3)]
            q = float(self.rng.choice(PERCENTILES))
            slowdown = bool(self.rng.random() < 0.5)
            values = found.slowdown[metric] if slowdown else found.seconds[metric]
            reached = percentile(values, q)
            limit = reached * self.rng.choice(factors) if 0.0 < reached < np.inf else 1.0
            targets.append(SLOTarget(metric, q, float(limit), "slowdown" if slowdown else "s"))
        return tuple(targets)


@cache
def _scenario(family: str, llm: str, assumptions: str) -> Scenario:
    return scenario_of(family, llm=llm, assumptions=assumptions)


def random_requests(rng: np.random.Generator) -> Requests:
    """Few or many, in bursts or spread out, all alike or all different."""
    count = int(rng.choice([1, 2, 5, 40, 200]))
    gap_s = float(rng.choice([0.0, 0.02, 0.2, 1.0]))
    arrival = np.cumsum(rng.exponential(gap_s, count) * rng.integers(0, 2, count))
    prompts = rng.choice([1, 100, 512, 1024, 2048, 4000], (count if rng.random() < 0.7 else 1))
    outputs = np.maximum(1, rng.geometric(1 / rng.choice([1.0, 5.0, 100.0]), count))
    return Requests(
        arrival + rng.choice([0.0, 30.0]), np.resize(prompts, count), outputs.astype(np.int64)
    )


def random_question(seed: int) -> Question:
    """Whatever may break a rule about targets: see `random_requests`; warm-up too."""
    rng = np.random.default_rng(seed)
    family = str(rng.choice(Catalog().list("families")))
    scenario = _scenario(
        family, str(rng.choice(["bloom-176b", "llama2-70b"])), str(rng.choice(BOTH))
    )
    requests = random_requests(rng)
    warm_up_s = float(rng.choice([0.0, 0.0, np.median(requests.arrival_s)]))
    simulator = Simulator.of(replace(scenario, warm_up_s=warm_up_s), requests)
    [space] = scenario.spaces
    tokens = (0,) if space.family.has_one_pool else (1, 2, 3)
    designs = [Design(space.family, p, t) for p, t in product((1, 2, 3), tokens)]
    return Question(rng, simulator, designs)
