"""Figs. 4 and 17: for how much of the time how many tokens are active."""

from __future__ import annotations

import numpy as np

from splitwise_paper import figures
from splitwise_paper.figures import Axis, Panel, Series
from splitwise_paper.finding import Finding, Line, Tolerance, Value, value
from splitwise_paper.machines import H100, Placed, placed
from splitwise_paper.requests import WORKLOADS
from splitwise_paper.study import Stack, Study, design
from splitwise_plan.facts.design import Design
from splitwise_plan.planner.driver import in_order
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.sweep import at_rate
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Row
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.occupancy import Occupancy, merged, occupancy

LLMS = {"bloom-176b": "BLOOM-176B", "llama2-70b": "Llama2-70B"}
ONE_MACHINE_RPS = 2.0
FEW = 20
"""Active tokens that Fig. 4 is read at."""
SOME = 50
"""More than batches have here, and fewer than prompts."""
LOW_FEW = 15
SHARE = Tolerance(step=10.0)
"""Percentage points: the paper's shares are read off a figure."""
POINTS = 60


def fig4(study: Study) -> Finding:
    """One machine at 2 requests/s."""
    lines, panels = [], []
    for stack in study.stacks:
        rows = []
        for workload in WORKLOADS:
            for llm, name in LLMS.items():
                pool = merged(_one_machine(study, stack, workload, llm))
                rows += _steps(pool, f"{workload}, {name}")
        panels.append(Panel(stack.id, _TOKENS, _TIME, rows, step=True))
    for workload in WORKLOADS:
        for llm, name in LLMS.items():
            ours = {
                stack.id: value(
                    100 * _at(pool, FEW) for pool in _one_machine(study, stack, workload, llm)
                )
                for stack in study.stacks
            }
            why = _why_fuller(study, workload, llm)
            what = f"time at {FEW} active tokens or fewer, {workload}, {name}"
            quoted = study.paper("fig4", workload, llm)
            lines.append(Line(what, "%", quoted, ours, SHARE, why, why))
    colours = {
        f"{workload}, {name}": colour
        for (workload, name), colour in zip(
            ((w, n) for w in WORKLOADS for n in LLMS.values()),
            ("#0072b2", "#56b4e9", "#d55e00", "#e69f00"),
            strict=True,
        )
    }
    notes = (
        f"One DGX-H100 with mixed continuous batching at {ONE_MACHINE_RPS:g} requests/s. Active "
        "tokens: one a sequence in its token phase, all tokens of a prompt while it is computed.",
    )
    caption = "Share of the time at so many active tokens or fewer, one DGX-H100 at 2 requests/s."
    figure = figures.curves("fig4", "Active tokens", caption, panels, Series(colours), 2)
    return Finding(tuple(lines), figure, notes)


def fig17(study: Study) -> Finding:
    """Baseline-H100 and Splitwise-HH at low and high load, conversation."""
    panels = []
    reached: dict[str, list[Occupancy]] = {}
    means: dict[tuple[str, str], dict[str, Value | None]] = {}
    loads = {name: study.paper("fig17", name).low for name in ("low", "high")}
    for stack in study.stacks:
        for load, rate in loads.items():
            rows = []
            scenario = at_rate(study.scenario(stack, workload="conversation"), rate)
            for family in ("baseline-h100", "splitwise-hh"):
                one = design(scenario, family, *study.machines("fig18", "iso-power", family))
                for pools in _pools(scenario, one, study.jobs):
                    name = f"{one.family.name}, {pools[0].pool} machines"
                    rows += _steps(merged(pools), name)
                    means.setdefault((name, load), {})[stack.id] = value(p.mean for p in pools)
                    if family == "baseline-h100" and load == "low":
                        reached[stack.id] = pools
            panels.append(
                Panel(f"{stack.id}, {rate:g} requests/s", _PHASES, _TIME, rows, step=True)
            )
    share = {name: value(100 * _at(pool, LOW_FEW) for pool in of) for name, of in reached.items()}
    quoted = study.paper("fig17", "share_at_15")
    at_share = {name: value(_reaching(pool, quoted.low / 100) for pool in of)
                for name, of in reached.items()}  # fmt: skip
    baseline = placed(study, study.stacks[0], H100, workload="conversation")
    machines = study.machines("fig18", "iso-power", "baseline-h100")[0]
    _, sequences = _unhindered(baseline, loads["low"] / machines)
    why = (
        "the shortest queue keeps all machines near the same number of sequences, so the curve is "
        f"steep: {quoted.low:g} % of the time is reached at "
        f"{at_share[study.stacks[0].id].mean:.0f} active token phases rather than {LOW_FEW}. By "
        f"Little's law a machine has {sequences:.1f} of them on average even if nothing delays "
        "any; prompts that run beside them do"
    )
    lines = (
        Line(f"Baseline-H100 at low load: time at {LOW_FEW} active token phases or fewer", "%",
             quoted, share, SHARE, why),
        Line(f"active token phases of {quoted.low:g} % of the time, at most", "sequences", None,
             at_share),
        *(Line(f"{name}, {load} load: active token phases on average", "sequences", None, of)
          for (name, load), of in means.items()),
    )  # fmt: skip
    series = Series(
        {
            "Baseline-H100, shared machines": style.FAMILY_COLOURS["baseline-h100"],
            "Splitwise-HH, token machines": style.FAMILY_COLOURS["splitwise-hh"],
            "Splitwise-HH, prompt machines": style.FAMILY_COLOURS["splitwise-hhcap"],
        },
        {"Splitwise-HH, prompt machines": [5, 3]},
    )
    notes = (
        "Designs of Fig. 18a, conversation. The paper's text speaks of 35 prompt machines of "
        "Splitwise-HH here, its legend, and we, of 25.",
    )
    caption = "Share of the time at so many active token phases or fewer."
    figure = figures.curves("fig17", "Batch occupancy", caption, panels, series, 2)
    return Finding(lines, figure, notes)


_PHASES = Axis("active token phases (1: one or none)", log=True, domain=(1, 200))
_TOKENS = Axis("active tokens", log=True, domain=(1, 10_000))
_TIME = Axis("share of the time", domain=(0.0, 1.0), format=".0%")


def _one_machine(study: Study, stack: Stack, workload: str, llm: str) -> list[Occupancy]:
    """A seed each."""

    def work() -> list[Occupancy]:
        asked = study.scenario(stack, workload=workload, llm=llm)
        scenario = at_rate(asked, ONE_MACHINE_RPS)
        evaluator = Evaluator(scenario, scenario.seeds)
        one = design(scenario, "baseline-h100", 1, 0)
        simulators = evaluator.simulators(scenario.seeds)
        return [occupancy(s, one, s.run(one), prompt_tokens=True)[0] for s in simulators]

    return study.once(("one machine", stack.id, workload, llm), work)


def _pools(scenario: Scenario, one: Design, jobs: int) -> list[list[Occupancy]]:
    """Of each pool, a seed each."""
    simulators = Evaluator(scenario, scenario.seeds).simulators(scenario.seeds)
    found = list(in_order(lambda s: occupancy(s, one, s.run(one)), simulators, jobs))
    return [list(pool) for pool in zip(*found, strict=True)]


def _at(pool: Occupancy, active: int) -> float:
    """Share of the time at so many or fewer."""
    return float(pool.share[pool.active <= active].sum())


def _reaching(pool: Occupancy, share: float) -> float:
    """The number active that so much of the time stays within."""
    return float(pool.active[np.searchsorted(pool.cumulative, share)])


def time_at_few(study: Study, stack: Stack, workload: str, llm: str) -> tuple[float, float]:
    """Share of the time of Fig. 4 at `FEW` active tokens or fewer, and at `SOME`."""
    pool = merged(_one_machine(study, stack, workload, llm))
    return _at(pool, FEW), _at(pool, SOME)


def _unhindered(one: Placed, rate_rps: float) -> tuple[float, float]:
    """By Little's law, at so many requests/s on one machine: the share of its time that prompts
    take, and the sequences in their token phase, were each request alone."""
    workload = one.scenario.workload
    if workload is None:
        raise ValueError("needs a workload")
    table = workload.lengths
    prompts_s = np.average(one.times.prompt_s(table.prompt_tokens), weights=table.count)
    token_s = float(one.times.token_s(1.0, 1024.0))
    tokens_s = np.average(table.output_tokens - 1, weights=table.count) * token_s
    return rate_rps * float(prompts_s), rate_rps * float(tokens_s)


def _why_fuller(study: Study, workload: str, llm: str) -> str:
    one = placed(study, study.stacks[-1], H100, workload=workload, llm=llm)
    prompts, sequences = _unhindered(one, ONE_MACHINE_RPS)
    paper = study.paper("fig4", workload, llm).low
    some = time_at_few(study, study.stacks[-1], workload, llm)[1]
    return (
        f"by the published profile prompts alone take {100 * prompts:.0f} % of the machine's time, "
        f"and {sequences:.1f} sequences are in flight even if nothing delays them (Little's law); "
        f"ours is {100 * some:.0f} % at {SOME} active tokens. The paper's {paper:g} % leaves "
        f"{100 - paper:g} % for prompts and fuller batches; it was measured on vLLM with a trace "
        "that is not published, and its published profile does not imply it"
    )


def _steps(pool: Occupancy, series: str) -> list[Row]:
    """A cumulative distribution in a few steps."""
    wanted = np.searchsorted(pool.cumulative, np.linspace(pool.cumulative[0], 1.0, POINTS))
    kept = np.unique(np.minimum(wanted, len(pool.active) - 1))
    return [
        {"x": float(max(pool.active[at], 1)), "y": float(pool.cumulative[at]), "series": series}
        for at in kept
    ]
