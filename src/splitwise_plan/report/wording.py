"""The sentences of the reports."""

from __future__ import annotations

import math
from pathlib import Path

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.prices import Tariff
from splitwise_plan.facts.slo import SLOTarget
from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.planner.outcome import Details, Evaluation
from splitwise_plan.planner.run_lengths import measured_s
from splitwise_plan.report import estimates
from splitwise_plan.report.numbers import (
    count,
    in_words,
    kilowatts,
    percentile_name,
    significant,
    usd,
)
from splitwise_plan.report.page import Statement
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.scenario.spare import Spare
from splitwise_plan.sim.verdict import requests_for_percentile

OBJECTIVES = {"cost": "least cost", "power": "least power", "machines": "fewest machines"}


def question(scenario: Scenario, *, objective: bool) -> str:
    """Load, model, SLOs and assumptions in a line; what is searched for if `objective`."""
    parts = [load(scenario, duration=not objective), scenario.llm.name, slo_count(scenario)]
    parts += ["with failures"] if scenario.failures else []
    parts += [spare_words(scenario.spare)] if scenario.spare and objective else []
    parts += [objective_words(scenario)] if objective else []
    parts += [f"prices: {prices_words(scenario.tariff)}"] if scenario.tariff.prices else []
    parts += basis(scenario)
    names = ", ".join(scenario.estimated_machines)
    return " · ".join([*parts, *([f"times of {names} estimated"] if names else [])])


def spare_words(spare: Spare) -> str:
    """`with any machine gone too`, `with any 2 prompt machines gone too, by degraded.toml`"""
    of = "" if spare.of == "any" else f"{spare.of} "
    number = "" if spare.machines == 1 else f"{spare.machines} "
    told = f"with any {number}{of}machine{'' if spare.machines == 1 else 's'} gone too"
    return f"{told}, by {Path(spare.slos.id).name}" if spare.slos else told


def assumptions(scenario: Scenario) -> str:
    """`assumptions: measured`, and what the scenario says instead of them."""
    own = f" but {scenario.assumptions.kv_transfer} KV transfer" if scenario.own_kv_transfer else ""
    return f"assumptions: {scenario.assumptions.id}{own}"


def basis(scenario: Scenario) -> list[str]:
    """By which rules, and what percentiles are of."""
    return [assumptions(scenario), *horizon(scenario)]


def horizon(scenario: Scenario) -> list[str]:
    """`steady state`, or that it is about a window; nothing of a trace, which is judged on itself.

    Of batch work neither: it is saturated.
    """
    if scenario.arrivals.process == "trace" or scenario.maximize == "throughput_per_cost":
        return []
    return ["steady state" if scenario.horizon == "steady" else "a window begun empty"]


def runs(scenario: Scenario, number: int) -> str:
    """`1 run of 2,880 s in steady state`, `3 seeds of 120 s`"""
    if scenario.horizon == "steady":
        at_a_rate = scenario.arrivals.rate_rps is not None
        lasting = f" of {significant(measured_s(scenario))} s" if at_a_rate else ""
        return f"{count(number, 'run')}{lasting} in steady state"
    return f"{count(number, 'seed')} of {scenario.arrivals.duration_s:,g} s"


def too_few_words(scenario: Scenario, details: Details) -> str:
    """That a window has too few requests for a percentile, and what to do about it; or nothing."""
    most = max((one.percentile for one in scenario.slos.all_targets), default=50.0)
    needed = math.ceil(requests_for_percentile(most))
    requests = details.requests.arrived / len(details.evaluation.replications)
    if requests >= needed:
        return ""
    told = f"too few requests for a {percentile_name(most)}: {significant(requests)} in the window"
    if scenario.arrivals.process == "trace":
        return told
    rate_rps = scenario.arrivals.rate_rps
    lasting = f" of {significant(needed / rate_rps)} s" if rate_rps else ""
    return f"{told}, ask for a {'' if lasting else 'longer '}duration{lasting}"


def objective_words(scenario: Scenario) -> str:
    """`least cost`, `most requests/s within 1,760 kW`"""
    if scenario.maximize is None:
        counted = scenario.minimize == "cost" and scenario.tariff.energy.in_cost
        return OBJECTIVES[scenario.minimize] + (" with provisioned electricity" if counted else "")
    budgets = []
    if scenario.power_budget is not None:
        paper = scenario.assumptions.power_accounting == "paper"
        units = f"{scenario.power_budget:,.1f} paper units"
        budgets.append(units if paper else f"{kilowatts(scenario.power_budget)} kW")
    if scenario.cost_budget_usd_per_hour is not None:
        budgets.append(f"{usd(scenario.cost_budget_usd_per_hour)}/h")
    most = "requests/s" if scenario.maximize == "throughput" else "requests per dollar"
    return f"most {most} within {' and '.join(budgets)}"


def interpolated(scenario: Scenario) -> str:
    """Machines whose facts lie between measured ones; empty if there are none."""
    machines = {m.id: m.between for space in scenario.spaces for m in space.family.machines}
    told = [f"{name} between {pair[0]} and {pair[1]}" for name, pair in machines.items() if pair]
    return f"{', '.join(told)}: power and iteration times linear in the cap" if told else ""


def lengths(scenario: Scenario) -> str:
    """Where prompt and output lengths come from."""
    if scenario.workload is not None:
        return scenario.workload.id
    requests, window_s = count(len(scenario.trace or ()), "request"), scenario.arrivals.window_s
    if window_s is not None:
        return f"the busiest {window_s:,g} s of a trace, {requests}"
    return f"a trace of {requests}"


def prices_words(tariff: Tariff) -> str:
    """`coreweave-2023, us-virginia, on-demand`"""
    return f"{price_list_name(tariff)}, {tariff.region}, {tariff.term}"


def price_list_name(tariff: Tariff) -> str | None:
    """The id of the prices, or the name of their file, whatever its place."""
    return None if tariff.prices is None else Path(tariff.prices).name


def load(scenario: Scenario, *, duration: bool) -> str:
    """Lengths and arrivals."""
    arrivals = scenario.arrivals
    of = lengths(scenario)
    if arrivals.process == "trace":
        whole = arrivals.window_s == arrivals.duration_s
        over = "" if whole else f" over {significant(arrivals.duration_s)} s"
        speed = "" if arrivals.speed == 1.0 else f", {arrivals.speed:g} times as fast as recorded"
        return of + over + speed
    if arrivals.rate_rps is None:
        return of
    rate, steady = f"{arrivals.rate_rps:,g} requests/s", scenario.horizon == "steady"
    bursts = "" if arrivals.process == "poisson" else f" ({arrivals.process})"
    lasting = f" for {arrivals.duration_s:,g} s" if duration and not steady else ""
    return f"{of} at {rate}{bursts}{lasting}"


def trace_facts(scenario: Scenario) -> tuple[Statement, ...]:
    """What became of a trace's requests while it was read; nothing where all are as they were."""
    return (Statement("Trace", scenario.notes),) if scenario.notes else ()


def slo_count(scenario: Scenario) -> str:
    """`nine SLOs`"""
    number = len(scenario.slos.all_targets)
    return f"{in_words(number)} SLO{'' if number == 1 else 's'}"


def design_line(scenario: Scenario, design: Design) -> str:
    """`Splitwise-HH, 24 prompt + 4 token = 28 DGX-H100: $1,064/h, 286 kW`"""
    machines = _machines(design)
    return f"{design.family.name}, {machines}: {price(scenario, design)}"


def price(scenario: Scenario, design: Design) -> str:
    """Cost and provisioned power; the paper's units too where budgets count in those."""
    electricity = " with provisioned electricity" if scenario.tariff.energy.in_cost else ""
    cost = f"{usd(design.cost_usd_per_hour)}/h{electricity}"
    told = f"{cost}, {kilowatts(design.provisioned_power_w)} kW"
    if scenario.assumptions.power_accounting == "paper":
        told += f" ({design.total('paper_power'):,.1f} paper units)"
    return told


def _machines(design: Design) -> str:
    prompt, token = design.family.prompt_machine, design.family.token_machine
    if token is None:
        return f"{design.prompt_machines:,} {_name(prompt)}"
    if token.id == prompt.id:
        pools = f"{design.prompt_machines:,} prompt + {design.token_machines:,} token"
        return f"{pools} = {design.machines:,} {_name(prompt)}"
    pools = (
        f"{design.prompt_machines:,} {_name(prompt)} (prompt) + "
        f"{design.token_machines:,} {_name(token)} (token)"
    )
    return f"{pools} = {design.machines:,} machines"


def _name(machine: Machine) -> str:
    return machine.name


def target_name(target: SLOTarget) -> str:
    """`TBT P50`; a share of requests that meet limits together is `90 % goodput`."""
    if target.metric == "goodput":
        return f"{target.percentile:g} % goodput"
    return f"{target.metric.upper()} {percentile_name(target.percentile)}"


def margin(estimate: Estimate) -> float:
    """Room left by the measured value, as a share of the limit; negative where there is none."""
    return 1.0 - estimate.mean / estimate.target.limit


def tightest(evaluation: Evaluation) -> Estimate | None:
    """The target whose interval reaches furthest, None if none has a value."""
    return max(evaluation.estimates, key=lambda e: e.high / e.target.limit, default=None)


def mark(estimate: Estimate) -> str:
    """Whether a target is met: ✓, ✗, or ? where its interval holds the limit."""
    if estimate.high <= estimate.target.limit:
        return "✓"
    return "✗" if estimate.low > estimate.target.limit else "?"


def verdict(scenario: Scenario, evaluation: Evaluation) -> str:
    """The verdict on a design, with the SLO that binds and its margin."""
    if evaluation.meets_whole and evaluation.verdict != "meets":
        return f"{evaluation.verdict} with machines gone: {_lost(evaluation)}; whole it meets them"
    return _verdict(scenario, evaluation)


def _verdict(scenario: Scenario, evaluation: Evaluation) -> str:
    """The verdict on a design as long as no machine is gone."""
    binds = tightest(evaluation)
    if not all(replication.results for replication in evaluation.replications):
        return f"{evaluation.verdict}: proven before the end, and so ended"
    if binds is None:
        return evaluation.verdict
    marks = [mark(estimate) for estimate in evaluation.estimates]
    total, told = len(scenario.slos.all_targets), binding(binds, evaluation)
    if evaluation.verdict == "meets":
        judged = len(marks)
        which = _all(total) if judged == total else f"the {in_words(judged)} SLOs that apply"
        return f"meets {which}; {'tightest is ' if judged > 1 else ''}{told}"
    missed = marks.count("✗")
    worst = "worst is " if missed > 1 else ""
    if evaluation.verdict == "misses":
        if missed == 0:
            return f"misses in each of {_repetitions(evaluation)}: worst is {told}"
        return f"misses {missed} of {total}: {worst}{told}"
    seeds, close = _repetitions(evaluation), marks.count("?")
    too_few = "too few requests for a percentile"
    others = {
        "unstable": f"unstable, the backlog grows all the time: {worst}{told}",
        "undecided": f"undecided after {seeds}, {close} of {total} too close to call: {told}"
        if close
        else f"undecided, {too_few}: {told}",
    }
    return others[evaluation.verdict]


def short_verdict(evaluation: Evaluation) -> str:
    """`meets`, `misses TBT P50`, `unstable`"""
    binds = tightest(evaluation)
    if evaluation.meets_whole and evaluation.verdict != "meets":
        return f"{evaluation.verdict} as {_lost(evaluation)}"
    if evaluation.verdict == "misses" and binds is not None:
        return f"misses {target_name(binds.target)}"
    return evaluation.verdict


def _lost(evaluation: Evaluation) -> str:
    """What is left with machines gone and does not meet the SLOs for sure."""
    worst = [one for one in evaluation.reduced if one.verdict == evaluation.verdict]
    last = (worst or [one for one in evaluation.reduced if one.verdict != "meets"])[-1]
    left = Design(evaluation.design.family, last.prompt_machines, last.token_machines)
    return left.label


def binding(estimate: Estimate, evaluation: Evaluation) -> str:
    """`TBT P50, 1.21x of 1.25x allowed, 3.2 % to spare (95 %: 1.19x to 1.23x over 3 seeds)`"""
    goodput = estimate.attained is not None
    name = target_name(estimate.target)
    if math.isinf(estimate.mean) and not goodput:
        return f"{name}, which rests on unfinished requests"
    value, limit = estimates.beside(estimate)
    told = f"{name}, {value} of {limit} {'wanted' if goodput else 'allowed'}"
    if estimates.is_spare(estimate):
        told += f", {estimates.room(estimate)} to spare"
    elif goodput or margin(estimate) >= -1:
        told += f", {estimates.room(estimate)} {'short' if goodput else 'over'}"
    return told + _interval(estimate, evaluation)


def _all(number: int) -> str:
    return {1: "the one SLO", 2: "both"}.get(number, f"all {in_words(number)}")


def _interval(estimate: Estimate, evaluation: Evaluation) -> str:
    if estimate.low == estimate.high:
        return ""
    return f" (95 %: {estimates.interval(estimate)} over {_repetitions(evaluation)})"


def _repetitions(evaluation: Evaluation) -> str:
    """`3 runs` of the steady state, `3 seeds` of a window."""
    return count(len(evaluation.replications), "run" if evaluation.estimated else "seed")
