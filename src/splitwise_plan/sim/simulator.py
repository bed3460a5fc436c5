"""Simulate designs on given requests: facts in, records out.

A `Simulator` is built once for a scenario and a list of requests and then runs any design; runs
share nothing that they write, so several may go on in threads of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.design import Design, Family
from splitwise_plan.facts.machine import Link, Machine
from splitwise_plan.facts.profile import Curve
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.models.memory import instance_memory_bytes, kv_bytes_per_token
from splitwise_plan.models.performance import phase_times, reference_times, require_positive
from splitwise_plan.models.power import instance_power
from splitwise_plan.models.roofline import with_estimates
from splitwise_plan.scenario.failures import Failures
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.kernel.loop import run, run_with_outages
from splitwise_plan.sim.lower import (
    TRANSFER_MODES,
    InstanceModel,
    Lowered,
    TargetCount,
    arrival_records,
    build_state,
    lower_models,
    new_rules,
    slow_down,
    target_records,
    with_changes,
    write_unseen,
)
from splitwise_plan.sim.outages import Histories, down_s
from splitwise_plan.sim.records import InstanceRecords, Interval, RequestRecords, Run, Stop

NO_TARGETS = target_records(())

COPIED = ("first_token_s", "last_token_s", "kv_transfer_s")

RETRY_S = 1.0
"""[ref] A transfer into full memory tries again after this (SplitwiseSim, interconnect.py)."""


@dataclass(frozen=True, slots=True, eq=False)
class Simulator:
    """What runs of a scenario on one list of requests have in common.

    `alone_s`: float64 (3, N), TTFT, TBT and E2E of each request alone on the reference machine.
    `counted`: bool (N,), arrivals inside the measured window.
    """

    scenario: Scenario
    requests: Requests
    start_s: float
    """When the run starts: at 0, or with the first arrival of a trace."""
    measured: Interval
    """From and until in seconds: the window in which requests, time and energy are counted."""
    alone_s: NDArray[np.float64]
    counted: NDArray[np.bool_]
    families: dict[str, Lowered]
    """By family id."""
    arrivals: np.recarray
    """The requests as the kernel wants them."""
    replication: int = 0
    """Failures are drawn for it."""
    _targets: dict[float, np.recarray] = field(default_factory=dict)
    """By odds, the SLO targets as the early stop counts them."""

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        requests: Requests,
        replication: int = 0,
        measured: Interval | None = None,
    ) -> Simulator:
        """A simulator of the families of a scenario on these requests.

        `measured`: the window that counts; by default from the end of the warm-up to the last
        arrival, so that a cluster which empties is not averaged in.
        """
        scenario = with_estimates(scenario)
        reference = scenario.profile(scenario.reference_machine, scenario.tensor_parallel)
        times = phase_times(reference, scenario.assumptions)
        alone = reference_times(requests, times, scenario.assumptions)
        start_s = float(requests.arrival_s[0]) if scenario.arrivals.process == "trace" else 0.0
        from_s, until_s = measured or _between(requests, start_s + scenario.warm_up_s)
        counted = (requests.arrival_s >= from_s) & (requests.arrival_s <= until_s)
        alone_s = np.stack([alone.ttft_s, alone.tbt_s, alone.e2e_s])
        return cls(
            scenario,
            requests,
            start_s=start_s,
            measured=(from_s, until_s),
            alone_s=alone_s,
            counted=counted,
            families={
                s.family.id: lower_family(scenario, s.family, (from_s, until_s))
                for s in scenario.spaces
            },
            arrivals=arrival_records(requests, counted, alone_s),
            replication=replication,
        )

    @property
    def last_arrival_s(self) -> float:
        """When the last request arrives; the start of the run where none was drawn."""
        return float(self.requests.arrival_s[-1]) if len(self.requests) else self.start_s

    def run(self, design: Design, *, stop_when_missed: bool = False) -> Run:
        """Simulate one design to its end, or until a target is proven missed."""
        state = self._state(design, self.targets() if stop_when_missed else NO_TARGETS)
        stop, end_s = run_kernel(state, outages=self.scenario.has_outages)
        return self._run(state, Stop(stop), end_s)

    def run_unless_missed(self, design: Design, odds: float = 1.0) -> Run | None:
        """Simulate one design to its end; None as soon as a target is proven missed.

        `odds`: missed by so many times the odds that a request may be over the limit.
        """
        state = self._state(design, self.targets(odds))
        stop, end_s = run_kernel(state, outages=self.scenario.has_outages, all_records=False)
        return None if stop == Stop.MISSES else self._run(state, Stop(stop), end_s)

    def targets(self, odds: float = 1.0) -> np.recarray:
        """The SLO targets as the early stop counts them; `odds`: see `target_counts`."""
        if odds not in self._targets:
            counts = target_counts(self.scenario.slos, self.requests, self.counted, odds)
            self._targets[odds] = target_records(counts)
        return self._targets[odds]

    def _run(self, state: k.State, stop: Stop, end_s: float) -> Run:
        from_s, until_s = self.measured
        return _run(state, stop, (from_s, max(from_s, min(until_s, end_s))), end_s)

    def _state(self, design: Design, targets: np.recarray) -> k.State:
        """What the kernel is to run."""
        counts, each = (design.prompt_machines, design.token_machines), _per_machine(design)
        instances = [count * one for count, one in zip(counts, each, strict=False)]
        state = build_state(
            self.families[design.family.id],
            prompt_instances=instances[0],
            token_instances=sum(instances[1:]),
            arrivals=self.arrivals,
            targets=targets.copy().view(np.recarray),
        )
        if self.scenario.failures is None:
            return state
        return self._troubled(self.scenario.failures, state, design, each)

    def _troubled(
        self, failures: Failures, state: k.State, design: Design, per_machine: Sequence[int]
    ) -> k.State:
        """The state with what goes wrong in this replication."""
        stragglers = _stragglers(failures, design, per_machine)
        if stragglers is not None:
            slow_down(state, self.families[design.family.id], stragglers)
        span = (self.start_s, self.last_arrival_s)
        histories = Histories(failures, span, (self.scenario.seed, self.replication))
        return with_changes(state, histories.changes(design, per_machine))


def run_kernel(
    state: k.State, *, outages: bool = False, all_records: bool = True
) -> tuple[int, float]:
    """Run to the end: (reason to stop, seconds). Outages are compiled apart: most have none.

    `outages`: whether the scenario has some. A run of it that happens to have none takes the same
    kernel as its others, so that one has to be compiled, not both. `all_records`: where a run ends
    early, records of requests that have not arrived are needed too; else they are undefined.
    """
    kernel = run_with_outages if outages or len(state.changes) else run
    stop, end_s, arrived = kernel(state)
    if all_records and arrived < len(state.requests):
        write_unseen(state.requests[arrived:], state.arrivals[arrived:])
    return int(stop), float(end_s)


def share_at_odds(share: float, odds: float) -> float:
    """The share whose odds are so many times those of `share`: of 10 % at 2 it is 18.2 %."""
    return odds * share / (1.0 - share + odds * share)


def target_counts(
    slos: SLOSet, requests: Requests, counted: NDArray[np.bool_], odds: float = 1.0
) -> list[TargetCount]:
    """The SLO targets as counts of requests that may exceed their limit.

    A percentile q of n values is above its limit for certain once n - floor(q (n - 1)) of them are:
    the order statistic it interpolates up from is then one of those. One fewer is allowed. `odds`:
    of the percentile at which the odds of being above are so many times those at q.
    """
    everyone = int(counted.sum())
    streaming = int((counted & (requests.output_tokens > 1)).sum())
    counts = {"ttft": everyone, "tbt": streaming, "e2e": everyone}
    return [
        TargetCount(
            target.metric,
            target.unit == "slowdown",
            target.limit,
            n - 1 - floor(_at_odds(np.true_divide(target.percentile, 100), odds) * (n - 1)),
        )
        for target in slos.targets
        if target.metric != "goodput" and (n := counts[target.metric]) > 0
    ]


def _at_odds(percentile: float, odds: float) -> float:
    return percentile if odds == 1.0 else 1.0 - share_at_odds(1.0 - percentile, odds)


def _between(requests: Requests, from_s: float) -> Interval:
    """Until the last arrival; if that leaves no time, until the end of the run."""
    last_s = float(requests.arrival_s[-1]) if len(requests) else from_s
    return from_s, last_s if last_s > from_s else np.inf


def lower_family(scenario: Scenario, family: Family, measured: Interval = (0.0, np.inf)) -> Lowered:
    """The machine types of a family, a straggler's last, and the scenario's rules, as arrays."""
    models = [
        instance_model(scenario, machine, family.tensor_parallel) for machine in family.machines
    ]
    failures = scenario.failures
    if failures is not None:
        models = [model.slower(1.0, 1.0 + failures.checkpoint_cost) for model in models]
        slow = failures.straggler
        if slow is not None:
            like = models[0 if slow.pool == "prompt" else -1]
            models.append(like.slower(slow.factor, slow.factor))
    return lower_models(models, _rules(scenario, family, measured))


def instance_model(scenario: Scenario, machine: Machine, tensor_parallel: int) -> InstanceModel:
    """An instance of the scenario's LLM on a machine, as the assumptions have it."""
    profile = scenario.profile(machine, tensor_parallel)
    times = phase_times(profile, scenario.assumptions)
    require_positive(profile, times, scenario.scheduler.max_batch_size)
    power = instance_power(profile, machine, tensor_parallel)
    fixed = scenario.assumptions.kv_bandwidth_bytes_per_s
    link = machine.link
    if fixed is not None:
        link = Link(link.id, fixed, link.layerwise_visible_s)
    return InstanceModel(
        prompt_time=Curve(times.prompt_x, times.prompt_y),
        token_time=Curve(times.token_x, times.token_y),
        context_slope_s=times.context_slope_s,
        prompt_power=power.prompt_w,
        token_power=power.token_w,
        memory_bytes=instance_memory_bytes(machine, tensor_parallel),
        link=link,
    )


def instances_of(machine: Machine, machines: int, tensor_parallel: int) -> int:
    """Instances that so many machines hold."""
    return machines * (machine.gpus // tensor_parallel)


def _per_machine(design: Design) -> list[int]:
    """Instances of a machine of each pool."""
    degree = design.family.tensor_parallel
    return [instances_of(machine, 1, degree) for machine in design.family.machines]


def _stragglers(failures: Failures, design: Design, per_machine: Sequence[int]) -> slice | None:
    """The instances of the slow machine; None where the design does not have it."""
    slow = failures.straggler
    if slow is None:
        return None
    in_prompt_pool = slow.pool == "prompt"
    if slow.machine > (design.prompt_machines if in_prompt_pool else design.token_machines):
        return None
    before = 0 if in_prompt_pool else design.prompt_machines * per_machine[0]
    each = per_machine[0 if in_prompt_pool else -1]
    first = before + (slow.machine - 1) * each
    return slice(first, first + each)


def _rules(scenario: Scenario, family: Family, measured: Interval) -> np.recarray:
    llm, options, failures = scenario.llm, scenario.scheduler, scenario.failures
    assumptions = scenario.assumptions
    return new_rules(
        weights_bytes=llm.weights_bytes,
        kv_bytes=kv_bytes_per_token(llm, assumptions),
        layers=llm.layers,
        mixing_factor=options.mixing_factor,
        retry_s=RETRY_S,
        measured_from_s=measured[0],
        measured_until_s=measured[1],
        transfer=TRANSFER_MODES[assumptions.kv_transfer],
        tbt_gaps=assumptions.tbt_denominator == "gaps",
        prompt_queue_limit_tokens=options.prompt_queue_limit_tokens,
        max_batch_size=options.max_batch_size,
        max_batch_tokens=options.max_batch_tokens,
        max_passes=options.max_passes,
        checkpoint_tokens=failures.checkpoint_interval_tokens if failures else 0,
        baseline=family.has_one_pool,
        token_end_by_pending=options.token_end == "pending_tokens",
        return_when_drained=options.mixed_return == "drained",
        reserve_whole=assumptions.memory == "reserve_whole",
        mixed_at_least_token=assumptions.mixed_iteration == "longer_of_both",
        pending_order=assumptions.ageing == "pending_order",
        long_prompt_does_not_cut=not assumptions.long_prompt_cuts,
        stop_behind_prompts=assumptions.newcomers == "before_waiting_prompts",
    )


def _column(requests: NDArray[Any], name: str) -> NDArray[Any]:
    """Copied where statistics go through it more than once: records are 19 numbers apart."""
    column = requests[name]
    return column.copy() if name in COPIED else column


def _run(state: k.State, stop: Stop, measured: Interval, end_s: float) -> Run:
    # NOTE: a field of a plain array is taken ten times as fast as one of a `recarray`.
    requests, instances = state.requests.view(np.ndarray), state.instances.view(np.ndarray)
    counters = state.counters
    return Run(
        requests=RequestRecords(*(_column(requests, f.name) for f in fields(RequestRecords))),
        instances=InstanceRecords(
            prompt_busy_s=instances["prompt_busy_s"],
            token_busy_s=instances["token_busy_s"],
            energy_j=instances["energy_j"],
            iterations=instances["iterations"],
            peak_memory_bytes=instances["peak_bytes"],
            down_s=down_s(state.changes, len(instances), *measured),
        ),
        stop=stop,
        measured=measured,
        end_s=end_s,
        finished=int(counters[k.FINISHED]),
        pool_moves=int(counters[k.POOL_MOVES]),
        mixed_requests=int(counters[k.MIXED_REQUESTS]),
        restarts=int(counters[k.RESTARTS]),
        lost_prompt_tokens=int(counters[k.LOST_PROMPT_TOKENS]),
        lost_output_tokens=int(counters[k.LOST_OUTPUT_TOKENS]),
    )
