"""Scale factors of a profile that make a simulated load look like one that was measured.

The requests of the benchmark are replayed on one server; what is compared are percentiles of TTFT,
TBT and E2E, in relative error. The simulator runs prompts whole: a server that cuts them into
chunks is matched in its percentiles as far as two factors allow, and the report says how far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.assumptions import Assumptions
from splitwise_plan.facts.design import CountRange, Design, Family, FamilySpace
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.load_results import LoadResults
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.profile import Profile
from splitwise_plan.facts.slo import METRICS, Metric, SLOSet
from splitwise_plan.models.memory import fits, kv_bytes_per_token, kv_room_bytes
from splitwise_plan.models.scaling import Factors, scaled
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.scenario.scheduler import SchedulerOptions
from splitwise_plan.sim.metrics import percentile, request_latencies
from splitwise_plan.sim.simulator import Simulator

Floats = NDArray[np.float64]

PERCENTILES = tuple(np.arange(1.0, 100.0, 2.0).tolist())
"""Compared in each metric, all with the same weight."""
SHOWN = (50.0, 90.0, 99.0)
MOST, FOREVER_S = 10.0, 1e12
"""No error counts more than e^10-fold; a request that did not finish takes this long."""
TOLERANCE = 1e-4
MAX_RUNS = 300
STEPS = (0.3, 0.1, 0.03)
"""Sizes of the simplex, in ln of a factor: started again where it ended, it does not get stuck."""


@dataclass(frozen=True, slots=True)
class Server:
    """What was benchmarked: `instances` of an LLM on `tensor_parallel` GPUs each, load balanced."""

    machine: Machine
    llm: LLM
    tensor_parallel: int
    instances: int
    assumptions: Assumptions
    profile: Profile


class Match(NamedTuple):
    """A percentile as measured, and as simulated with the profile as it was and as it is now."""

    metric: Metric
    percentile: float
    measured_s: float
    before_s: float
    after_s: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """`error_before`, `error`: root mean square of ln(simulated / measured) over percentiles."""

    factors: Factors
    matches: tuple[Match, ...]
    error_before: float
    error: float
    simulations: int


def calibrate(results: LoadResults, server: Server, *, overhead: bool = False) -> Calibration:
    """Find the factors; with `overhead` a constant time of each prompt iteration too.

    Minimises by Nelder-Mead: the error is continuous in the factors but for batches that change.
    """
    from scipy.optimize import minimize

    _require_room(results, server)
    replay = _Replay(results, server)
    before = replay.latencies(Factors())
    point = np.array(_first_guess(results, before))
    if overhead:
        point = np.append(point, 0.0)
    for step in STEPS:
        simplex = np.vstack([point, point + step * np.eye(len(point))])
        options = {"initial_simplex": simplex, "xatol": TOLERANCE, "fatol": TOLERANCE}
        point = minimize(
            lambda at: replay.error(_factors(at, replay.overhead_scale_s)),
            point,
            method="Nelder-Mead",
            options={**options, "maxfev": MAX_RUNS},
        ).x
    factors = _factors(point, replay.overhead_scale_s)
    after = replay.latencies(factors)
    measured = replay.measured
    matches = [
        Match(metric, q, *(percentile(one[metric], q) for one in (measured, before, after)))
        for metric in METRICS
        for q in SHOWN
    ]
    errors = (_distance(measured, before), _distance(measured, after))
    return Calibration(factors, tuple(matches), *errors, replay.runs)


def _require_room(results: LoadResults, server: Server) -> None:
    """Raise `InputError` where the model, or a request, does not fit into the server."""
    room = kv_room_bytes(server.machine, server.llm, server.tensor_parallel)
    kv_bytes = kv_bytes_per_token(server.llm, server.assumptions)
    beyond = int(np.count_nonzero(~fits(results.requests, room, kv_bytes)))
    if beyond:
        where = f"{server.tensor_parallel} GPUs of {server.machine.id}"
        what = f"{beyond:,} of {len(results.requests):,} requests do not fit into {where}"
        raise InputError([Problem("--tensor-parallel", what, "give the GPUs that were used")])


class _Replay:
    """Simulates the measured load with a scaled profile; counts its runs."""

    def __init__(self, results: LoadResults, server: Server) -> None:
        self.results, self.server, self.runs = results, server, 0
        self.measured: dict[Metric, Floats] = {
            "ttft": results.ttft_s,
            "tbt": results.tbt_s,
            "e2e": results.e2e_s,
        }
        self.overhead_scale_s = float(np.median(results.ttft_s))

    def latencies(self, factors: Factors) -> dict[Metric, Floats]:
        self.runs += 1
        scenario = replay_scenario(
            self.results, replace(self.server, profile=scaled(self.server.profile, factors))
        )
        family = scenario.spaces[0].family
        design = Design(family, 1)
        simulator = Simulator.of(scenario, self.results.requests)
        return request_latencies(simulator, simulator.run(design))

    def error(self, factors: Factors) -> float:
        return _distance(self.measured, self.latencies(factors))


def replay_scenario(results: LoadResults, server: Server) -> Scenario:
    """The benchmark as a scenario: a machine with as many GPUs as were used, and its own times."""
    gpus = server.tensor_parallel * server.instances
    machine = replace(server.machine, gpus=gpus)
    family = Family("benchmarked", "Benchmarked", machine, None, server.tensor_parallel)
    last_s = float(results.requests.arrival_s[-1])
    return Scenario(
        workload=None,
        trace=results.requests,
        arrivals=Arrivals("trace", None, last_s or 1.0),
        llm=server.llm,
        tensor_parallel=server.tensor_parallel,
        slos=SLOSet("none", (), machine.id),
        assumptions=server.assumptions,
        scheduler=SchedulerOptions(),
        profiles={(machine.profile, server.tensor_parallel): server.profile},
        reference_machine=machine,
        spaces=(FamilySpace(family, CountRange(1, 1), None),),
        minimize="cost",
        seed=0,
        seeds=1,
        sources=(),
    )


def _first_guess(results: LoadResults, before: dict[Metric, Floats]) -> tuple[float, float]:
    """Logarithms of the factors, were there no queueing: ratios of medians."""
    ratios = (
        percentile(results.ttft_s, 50) / percentile(before["ttft"], 50),
        percentile(results.tbt_s, 50) / percentile(before["tbt"], 50),
    )
    prompt, token = (float(np.log(r)) if np.isfinite(r) and r > 0 else 0.0 for r in ratios)
    return prompt, token


def _factors(point: Floats, overhead_scale_s: float) -> Factors:
    """Factors at a point of the search; an overhead is not negative."""
    overhead = abs(float(point[2])) * overhead_scale_s if len(point) > 2 else 0.0
    return Factors(float(np.exp(point[0])), float(np.exp(point[1])), overhead)


def _distance(measured: dict[Metric, Floats], simulated: dict[Metric, Floats]) -> float:
    """Root mean square of ln(simulated / measured) over the percentiles of all metrics."""
    errors = []
    for metric in METRICS:
        if np.isnan(measured[metric]).all():
            continue
        ratio = _percentiles(simulated[metric]) / _percentiles(measured[metric])
        errors.append(np.clip(np.log(ratio), -MOST, MOST))
    return float(np.sqrt(np.mean(np.square(errors))))


def _percentiles(values: Floats) -> Floats:
    """All `PERCENTILES` of a metric; what did not finish takes for ever."""
    values = values[~np.isnan(values)]
    found: Floats = np.percentile(np.where(np.isfinite(values), values, FOREVER_S), PERCENTILES)
    return found
