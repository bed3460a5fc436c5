"""Fig. 2: three ways to batch, as timelines and as what they do to the tails of TTFT and TBT."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from splitwise_paper.finding import Finding, Line, Value, value
from splitwise_paper.machines import H100, Placed, placed
from splitwise_paper.one_machine import MECHANISMS, Iteration, Mechanism, OneMachine
from splitwise_paper.study import Stack, Study
from splitwise_plan.facts.requests import Requests
from splitwise_plan.planner.sweep import at_rate
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative
from splitwise_plan.scenario.sampling import requests_for

RATE_RPS = 1.0
"""A load that request-level batching can carry too."""
NAMES: dict[Mechanism, str] = {
    "request": "request-level",
    "continuous": "continuous",
    "mixed": "mixed continuous",
}
SHOWN = Requests(
    np.array([0.0, 0.15, 0.4, 0.8]), np.array([1500, 600, 2000, 1000]), np.array([12, 20, 8, 10])
)
"""Four requests, to look at."""


def fig2(study: Study) -> Finding:
    """Batching mechanisms on one DGX-H100, conversation."""
    lines = []
    tails = {
        (stack.id, mechanism): _tails(study, stack, mechanism)
        for stack in study.stacks
        for mechanism in MECHANISMS
    }
    for at, (metric, q) in enumerate(
        (("TTFT", 50), ("TTFT", 99), ("TBT", 50), ("TBT", 99), ("longest gap", 99))
    ):
        unit = "s" if metric == "TTFT" else "ms"
        for mechanism in MECHANISMS:
            ours: dict[str, Value | None] = {
                stack.id: tails[stack.id, mechanism][at] for stack in study.stacks
            }
            lines.append(Line(f"{metric} P{q}, {NAMES[mechanism]}", unit, None, ours))
    notes = (
        f"BLOOM-176B on one DGX-H100, conversation at {RATE_RPS:g} request/s for ten minutes; the "
        "paper prints no numbers here. The longest gap is that between two tokens of a request, "
        "where prompts of others come between.",
        "Request-level batching makes requests wait for whole batches, continuous batching lets "
        "prompts interrupt tokens; mixed batching, which the paper and our simulator use, runs "
        "both together.",
    )
    return Finding(tuple(lines), _figure(study), notes)


def _tails(study: Study, stack: Stack, mechanism: Mechanism) -> list[Value]:
    """TTFT P50 and P99 (s), TBT P50 and P99, and the longest gap's P99 (ms)."""
    scenario = at_rate(study.scenario(stack, workload="conversation"), RATE_RPS)
    one = placed(study, stack, H100, workload="conversation")
    found = []
    for seed in range(scenario.seeds):
        requests = requests_for(scenario, seed)
        ttft, tbt, gap = latencies(requests, list(machine(one, requests, mechanism).run()))
        found.append(
            [
                *(np.percentile(ttft, [50, 99])),
                *(1e3 * np.percentile(tbt, [50, 99])),
                1e3 * np.percentile(gap, 99),
            ]
        )
    return [value(column) for column in zip(*found, strict=True)]


def machine(one: Placed, requests: Requests, mechanism: Mechanism) -> OneMachine:
    """The machine under the rules of a scenario."""
    options, assumptions = one.scenario.scheduler, one.scenario.assumptions
    return OneMachine(
        one.times, requests, mechanism, options.max_batch_tokens, options.max_batch_size,
        options.mixing_factor, assumptions.mixed_iteration == "longer_of_both",
    )  # fmt: skip


def latencies(
    requests: Requests, iterations: list[Iteration]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """TTFT of all requests; mean and longest gap of those with several tokens. Seconds."""
    tokens_s: list[list[float]] = [[] for _ in range(len(requests))]
    for iteration in iterations:
        for at in (*iteration.prompts, *iteration.tokens):
            tokens_s[at].append(iteration.end_s)
    ttft = np.array([times[0] for times in tokens_s]) - requests.arrival_s
    several = [times for times in tokens_s if len(times) > 1]
    mean = np.array([(times[-1] - times[0]) / (len(times) - 1) for times in several])
    longest = np.array([max(b - a for a, b in pairwise(times)) for times in several])
    return ttft, mean, longest


def _figure(study: Study) -> Figure:
    """Four requests on one machine: a bar an iteration and request."""
    one = placed(study, study.stacks[-1], H100, workload="conversation")
    panels = [_timeline(one, mechanism) for mechanism in MECHANISMS]
    return style.figure(
        "fig2",
        "Batching mechanisms",
        f"Four requests on one DGX-H100 under {study.stacks[-1].id}. Orange: prompt; blue: a "
        "token; the tick: when the request arrived.",
        {"vconcat": panels, "spacing": 10},
        "Timelines of four requests under request-level, continuous and mixed batching",
    )


def _timeline(one: Placed, mechanism: Mechanism) -> Spec:
    rows: list[Row] = []
    for iteration in machine(one, SHOWN, mechanism).run():
        span = {"start": 1e3 * iteration.start_s, "end": 1e3 * iteration.end_s}
        for phase, those in (("prompt", iteration.prompts), ("token", iteration.tokens)):
            rows += [{"request": f"request {at + 1}", "phase": phase, **span} for at in those]
    arrivals = [
        {"request": f"request {at + 1}", "start": 1e3 * float(when)}
        for at, when in enumerate(SHOWN.arrival_s)
    ]
    x = quantitative("start", "ms" if mechanism == MECHANISMS[-1] else None,
                     scale={"domain": [0, 2400], "nice": False})  # fmt: skip
    y = nominal("request", None)
    colour = nominal(
        "phase", None, scale={"domain": ["prompt", "token"], "range": ["#e69f00", "#56b4e9"]},
        legend={"orient": "top", "symbolType": "square"} if mechanism == "request" else None,
    )  # fmt: skip
    return {
        "title": NAMES[mechanism], "width": 640, "height": 84,
        "layer": [
            {"data": style.data(rows), "mark": {"type": "bar", "stroke": "white", "height": 14},
             "encoding": {"x": x, "x2": {"field": "end"}, "y": y, "color": colour}},
            {"data": style.data(arrivals),
             "mark": {"type": "tick", "color": style.INK, "thickness": 2},
             "encoding": {"x": x, "y": y}},
        ],
    }  # fmt: skip
