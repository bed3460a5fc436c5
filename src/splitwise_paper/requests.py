"""Fig. 3 and Table IV: how long requests are, and what one costs that runs alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splitwise_paper import figures
from splitwise_paper.figures import Axis, Panel, Series
from splitwise_paper.finding import Finding, Line, Tolerance, value
from splitwise_paper.machines import A100, H100, NAMES, Placed, placed
from splitwise_paper.study import Stack, Study
from splitwise_plan.models.curves import extended

WORKLOADS = {"coding": "#0072b2", "conversation": "#d55e00"}
POINTS = 80
"""Points of a drawn distribution."""
LLAMA = "llama2-70b"
CLOSE = Tolerance(share=0.05)
TENTH = Tolerance(share=0.10)
Floats = NDArray[np.float64]


def fig3(study: Study) -> Finding:
    """Distributions of prompt and output lengths."""
    lines, panels = [], []
    for kind, high in (("prompt", 8000), ("output", 800)):
        rows: list[dict[str, float | str]] = []
        points: list[dict[str, float | str]] = []
        for workload in WORKLOADS:
            tokens = {
                stack.id: lengths(study, stack, workload)[kind == "output"]
                for stack in study.stacks
            }
            quoted = study.paper("fig3", workload, f"{kind}_median")
            ours = {name: value(float(np.median(of))) for name, of in tokens.items()}
            lines.append(
                Line(f"median {kind}, {workload}", "tokens", quoted, ours, CLOSE, digits=4)
            )
            shares = np.linspace(0.0, 1.0, POINTS)
            at = np.quantile(next(iter(tokens.values())), shares)
            rows += [
                {"x": float(x), "y": float(y), "series": workload}
                for x, y in zip(at, shares, strict=True)
            ]
            points.append({"x": quoted.low, "y": 0.5, "series": workload})
        x = Axis(f"{kind} tokens", domain=(0, high))
        y = Axis("share of requests", format=".0%")
        panels.append(Panel(f"{kind.capitalize()} length", x, y, rows, points))
    notes = (
        "The paper's medians are of a trace of another day (11 November 2023, 20 minutes) than the "
        "public one (16 November, 58 minutes).",
    )
    figure = figures.curves(
        "fig3", "Lengths of prompts and outputs", "Dots: the paper's medians.", panels,
        Series(WORKLOADS), 2,
    )  # fmt: skip
    return Finding(tuple(lines), figure, notes)


def table4(study: Study) -> Finding:
    """Medians of requests that run alone, Llama2-70B."""
    metrics = {"ttft": "ms", "tbt": "ms", "e2e": "ms", "cost": "USD", "energy": "Wh"}
    groups: dict[str, list[Line]] = {}
    for key, unit in metrics.items():
        for workload in WORKLOADS:
            for machine in (A100, H100):
                ours = {
                    stack.id: value(_medians(study, stack, workload, machine)[key])
                    for stack in study.stacks
                }
                quoted = study.paper("table4", workload, machine, key)
                name = key.upper() if unit == "ms" else key
                what = f"{name}, {workload}, {NAMES[machine]}"
                why = _why(study, key, machine)
                groups.setdefault(name, []).append(Line(what, unit, quoted, ours, TENTH, why, why))
    notes = (
        "Medians over all requests of the public trace, each alone on its machine; cost is the "
        "median E2E at the price of Table I.",
    )
    caption = "P50 of requests that run alone on one machine, Llama2-70B."
    figure = figures.bars("table4", "A100 against H100, a request", caption, groups, study.stacks)
    return Finding(tuple(line for lines in groups.values() for line in lines), figure, notes)


def _why(study: Study, key: str, machine: str) -> str:
    """What the difference comes from."""
    one = placed(study, study.stacks[-1], machine, llm=LLAMA)
    ttft_ms = 1e3 * float(one.times.prompt_s(1500.0))
    tbt_ms = 1e3 * float(one.times.token_s(1.0, 1500.0))
    printed = [study.paper("table4", "coding", machine, name).low for name in ("ttft", "tbt")]
    if key == "energy":
        watts = [float(one.power.prompt_w(1500.0)), float(one.power.token_w(1.0))]
        flat = study.paper("table4", "conversation", machine, "energy").low * 3600
        flat /= study.paper("table4", "conversation", machine, "e2e").low / 1e3
        return (
            f"the paper charges a constant {flat / 1e3:.1f} kW whatever the phase; the profile's "
            f"power is {watts[0] / 1e3:.1f} kW for such a prompt and {watts[1] / 1e3:.1f} kW for "
            "one sequence of tokens, and that for E2E times which differ as above"
        )
    return (
        f"the published profile is not the data behind Table IV: on {NAMES[machine]} it has "
        f"{ttft_ms:.0f} ms for the 1,500 tokens of a median coding prompt and {tbt_ms:.0f} ms a "
        f"token, where the table has {printed[0]:.0f} ms and {printed[1]:.0f} ms (the table's own "
        "ratio of TBT, 0.70x, is 0.60x by its numbers)"
    )


def _medians(study: Study, stack: Stack, workload: str, machine: str) -> dict[str, float]:
    """Medians of what requests take alone: ms, USD, Wh."""

    def work() -> dict[str, float]:
        one = placed(study, stack, machine, llm=LLAMA, workload=workload)
        every = alone(one, *lengths(study, stack, workload))
        ttft, tbt, e2e, energy_j = (float(np.median(of)) for of in every)
        cost = e2e / 3600 * one.machine.cost_usd_per_hour
        times = {"ttft": 1e3 * ttft, "tbt": 1e3 * tbt, "e2e": 1e3 * e2e}
        return {**times, "cost": cost, "energy": energy_j / 3600}

    return study.once(("medians", stack.id, workload, machine), work)


def alone(one: Placed, prompt: Floats, output: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """TTFT, TBT and E2E in seconds and energy in joules of requests alone on a machine: (N,)."""
    ttft = one.times.prompt_s(prompt)
    tbt = one.times.token_s(np.ones_like(prompt), prompt + output / 2)
    rest = (output - 1) * tbt
    drawn = one.power.prompt_w
    energy = extended(drawn.x, drawn.y, prompt) * ttft + one.power.token_w(1.0) * rest
    return ttft, tbt, ttft + rest, energy


def lengths(study: Study, stack: Stack, workload: str) -> tuple[Floats, Floats]:
    """Prompt and output tokens of every request of the trace: (N,) each."""
    found = study.scenario(stack, workload=workload).workload
    if found is None:
        raise ValueError(f"{workload} is no workload")
    table = found.lengths
    prompt, output = (
        np.repeat(tokens, table.count).astype(np.float64)
        for tokens in (table.prompt_tokens, table.output_tokens)
    )
    return prompt, output
