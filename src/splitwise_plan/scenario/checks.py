"""Relations that a scenario must satisfy beyond the type and range of each key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.assumptions import Assumptions
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.mixes import is_mix
from splitwise_plan.facts.quantity import Quantity
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.workload import LengthTable, Workload
from splitwise_plan.scenario.arrivals.keys import arrival_faults, duration_s_of, rate_rps_of
from splitwise_plan.scenario.arrivals.process import STATIONARY, Arrivals
from splitwise_plan.scenario.layers import Layers
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.scenario.schema import MachineBudget, ScenarioFile
from splitwise_plan.units import Dimension, UnitError, to_si

GIB = 2.0**30

MOST_FAILURES = 2000.0
"""Of a machine while requests arrive: they are drawn one by one, and kept."""


def replays(content: ScenarioFile) -> bool:
    """Whether a trace replays its own arrivals."""
    drawn = content.rate or content.maximize or content.piecewise
    return content.trace is not None and not drawn


def arrival_problems(content: ScenarioFile, layers: Layers) -> Iterator[Problem]:
    """Keys that contradict each other: lengths, arrivals, and how many requests."""
    if replays(content) and content.arrivals:
        what = f"arrivals = {content.arrivals!r} needs a rate; without one the trace's own are used"
        yield layers.place(("arrivals",), what, "give rate, or drop arrivals")
    unknown = rate_rps_of(content) is None and content.trace is None
    if unknown and content.maximize is None and layers.file:
        yield layers.place(
            ("rate",), "rate is missing", "add e.g. rate = { value = 70, unit = 'rps' }"
        )
    yield from _trace_problems(content, layers)
    yield from _horizon_problems(content, layers)
    for path, what, fix in arrival_faults(content):
        yield layers.place(path, what, fix)
    if content.max_seeds is not None and content.max_seeds < content.seeds:
        what = f"max_seeds {content.max_seeds} is less than seeds {content.seeds}"
        yield layers.place(("max_seeds",), what, "give at least as many")
    if content.warm_up and not replays(content):
        duration = duration_s_of(content)
        if content.warm_up.si >= duration:
            what = f"warm_up {content.warm_up.si:g} s leaves nothing of {duration:g} s"
            yield layers.place(("warm_up",), what, "must be less than duration")


def _horizon_problems(content: ScenarioFile, layers: Layers) -> Iterator[Problem]:
    """A steady state of what has none."""
    if content.horizon != "steady":
        return
    why = None
    if replays(content):
        why = "a trace that is replayed ends"
    elif (process := content.arrivals or "poisson") not in STATIONARY:
        why = f"the rate of {process} arrivals changes"
    elif content.failures is not None and content.failures.failures().take_down:
        why = "machines go down at times of their own"
    if why is not None:
        what = f"horizon = 'steady' needs arrivals that go on in the same way: {why}"
        yield layers.place(("horizon",), what, "use 'window', or leave it out")


def percentile_problems(scenario: Scenario, layers: Layers) -> Iterator[Problem]:
    """The largest of requests without end."""
    if scenario.horizon != "steady" or scenario.maximize == "throughput_per_cost":
        return
    spare = scenario.spare
    degraded = spare.slos.all_targets if spare and spare.slos else ()
    if any(one.percentile >= 100.0 for one in (*scenario.slos.all_targets, *degraded)):
        what = "a limit on every request (P100): in the steady state some is always slower"
        yield layers.place(("slo",), what, "give p99.9 or so, or horizon = 'window'")


def _trace_problems(content: ScenarioFile, layers: Layers) -> Iterator[Problem]:
    """Keys of a trace without one, and keys that a trace has no use for."""
    if content.workload and content.trace:
        yield layers.place(("trace",), "workload and trace are both given", "keep one of them")
    if not content.trace:
        for key in ("trace_window", "trace_speed"):
            if getattr(content, key):
                yield layers.place((key,), f"{key} needs a trace", "add it, or drop this")
    elif content.trace_speed and not replays(content):
        what = "trace_speed has no effect: arrivals are drawn at the rate"
        yield layers.place(("trace_speed",), what, "drop it, or the rate")
    if replays(content):
        for key in ("seed", "seeds", "max_seeds"):
            if key in content.model_fields_set and getattr(content, key) is not None:
                what = f"{key} has no effect: a trace replays its own requests"
                yield layers.place((key,), what, "drop it, or give a rate to draw arrivals")


def objective_problems(content: ScenarioFile, layers: Layers) -> Iterator[Problem]:
    """What is minimized or maximized, and the keys that go with it."""
    if content.maximize and content.minimize:
        yield layers.place(
            ("minimize",), "minimize and maximize are both given", "keep one of them"
        )
    if content.maximize and not (content.power_budget or content.cost_budget):
        yield layers.place(
            ("maximize",), "maximize needs a budget", "give power_budget or cost_budget"
        )
    if content.maximize == "throughput_per_cost":
        for key in ("slo", "max_seeds", "rate_step"):
            if key in content.model_fields_set:
                what = f"{key} has no effect: requests per dollar are counted without SLOs"
                yield layers.place((key,), what, "drop it")
    if content.maximize == "throughput" and content.rate:
        yield layers.place(("rate",), "rate and maximize are both given", "keep one of them")
    if content.maximize and content.method == "optuna":
        what = "method = 'optuna' is for what is minimized; rates are bisected"
        yield layers.place(("method",), what, "drop it")
    if content.trials is not None and content.method == "exhaustive":
        yield layers.place(("trials",), "trials needs method = 'optuna' or 'auto'", "drop it")
    for key in ("power_budget", "cost_budget"):
        if getattr(content, key) and not content.maximize:
            yield layers.place((key,), f"{key} needs maximize = 'throughput'", "add it")


def spare_problems(content: ScenarioFile, layers: Layers) -> Iterator[Problem]:
    """Keys of machines that may be gone."""
    if content.spare and content.maximize == "throughput_per_cost":
        what = "spare has no effect: requests per dollar are counted without SLOs"
        yield layers.place(("spare",), what, "drop it")
    for key in ("spare_of", "degraded_slo"):
        if getattr(content, key) is not None and not content.spare:
            yield layers.place((key,), f"{key} needs spare", "add e.g. spare = 1, or drop this")


def failure_problems(
    content: ScenarioFile, arrivals: Arrivals, trace: Requests | None, layers: Layers
) -> Iterator[Problem]:
    """Failures without end while requests arrive."""
    table = content.failures
    if table is None or table.mtbf is None or table.mttr is None:
        return
    span_s = arrivals.duration_s
    if trace is not None and arrivals.process == "trace" and len(trace):
        span_s = float(np.ptp(trace.arrival_s))
    times = span_s / (table.mtbf.si + table.mttr.si)
    if times > MOST_FAILURES:
        what = f"a machine fails about {times:,.0f} times in {span_s:g} s"
        fix = f"at most {MOST_FAILURES:,.0f}: make mtbf longer, or the run shorter"
        yield layers.place(("failures", "mtbf"), what, fix)


def instance_problems(
    instances: Sequence[tuple[Machine, int]], llm: LLM, layers: Layers
) -> Iterator[Problem]:
    """Machines whose GPUs do not divide into instances, or do not hold the weights."""
    for machine, tensor_parallel in instances:
        if machine.gpus % tensor_parallel:
            gpus = f"the {machine.gpus} GPUs of {machine.id}"
            what = f"tensor_parallel {tensor_parallel} does not divide {gpus}"
            divisors = [str(n) for n in range(1, machine.gpus + 1) if machine.gpus % n == 0]
            yield layers.place(("tensor_parallel",), what, f"use {', '.join(divisors)}")
        elif machine.instance_memory_bytes(tensor_parallel) <= llm.weights_bytes:
            memory = machine.instance_memory_bytes(tensor_parallel) / GIB
            what = (
                f"the weights of {llm.id} ({llm.weights_bytes / GIB:,.0f} GiB) do not fit into "
                f"{tensor_parallel} GPUs of {machine.id} ({memory:,.0f} GiB)"
            )
            yield layers.place(("tensor_parallel",), what, "use more GPUs or another machine")


def length_problems(
    lengths: Workload | Requests,
    instances: Sequence[tuple[Machine, int]],
    llm: LLM,
    assumptions: Assumptions,
    layers: Layers,
) -> Iterator[Problem]:
    """Requests whose prompt and output do not fit beside the weights on a machine type."""
    key = "workload" if isinstance(lengths, Workload) else "trace"
    if isinstance(lengths, Workload) and is_mix(lengths.id) and assumptions.lengths != "joint":
        what = f"{assumptions.id} draws prompts and outputs apart, so that a mix would mix within"
        yield layers.place((key,), f"{what} requests", "use measured, or one workload")
    table = lengths.lengths if isinstance(lengths, Workload) else lengths
    tokens = table.prompt_tokens + table.output_tokens
    counts = table.count if isinstance(table, LengthTable) else np.ones_like(tokens)
    kv_bytes = llm.kv_bytes_per_token(assumptions.kv_bytes)
    for machine, tensor_parallel in instances:
        room = machine.instance_memory_bytes(tensor_parallel) - llm.weights_bytes
        beyond = tokens * float(kv_bytes) > room
        if not beyond.any():
            continue
        largest = int(np.argmax(tokens))
        what = (
            f"{int(counts[beyond].sum()):,} of {int(counts.sum()):,} requests never fit into "
            f"{tensor_parallel} GPUs of {machine.id}: room for {int(room // kv_bytes):,} tokens, "
            f"the largest has {int(table.prompt_tokens[largest]):,} + "
            f"{int(table.output_tokens[largest]):,}"
        )
        yield layers.place((key,), what, "remove them, or use more GPUs, or another machine")


def budget(
    of: Literal["power", "cost"],
    given: Quantity | MachineBudget | None,
    catalog: Catalog,
    *,
    paper: bool,
) -> float | None:
    """A budget in watts (or the paper's units if `paper`) or USD/h. Raises `InputError`."""
    if given is None:
        return None
    if isinstance(given, MachineBudget):
        machine = catalog.machine(given.machine)
        power = machine.paper_power if paper else machine.provisioned_power_w
        return given.machines * (machine.cost_usd_per_hour if of == "cost" else power)
    dimension: Dimension = "price" if of == "cost" else "accounting" if paper else "power"
    try:
        value = to_si(given.value, given.unit, dimension)
    except UnitError as error:
        raise InputError(
            [Problem(f"{of}_budget", str(error), "or machines, e.g. '40xdgx-h100'")]
        ) from None
    if value <= 0:
        raise InputError([Problem(f"{of}_budget", f"{given.value:g} {given.unit} must be above 0")])
    return value
