"""Fig. 12: every Splitwise-HH for coding at 70 requests/s, and the cheapest that meets the SLOs."""

from __future__ import annotations

from dataclasses import replace

from splitwise_paper.finding import Finding, Line, Tolerance, value
from splitwise_paper.sizes import SEED_BUDGET
from splitwise_paper.study import Stack, Study, design
from splitwise_plan.facts.design import CountRange
from splitwise_plan.planner.sweep import MapResult, at_rate, sweep_map
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, quantitative

FAMILY = "splitwise-hh"
PROMPT, TOKEN = CountRange(20, 34), CountRange(1, 12)
TWO = Tolerance(step=2.0)
CLIPPED = 2.0


def fig12(study: Study) -> Finding:
    """The map, its optimum, and what becomes of the paper's."""
    maps = {stack.id: _map(study, stack) for stack in study.stacks}
    prompt, token = study.machines("fig12")
    quoted = replace(
        study.paper("fig12", "prompt_machines"),
        low=float(prompt + token),
        high=float(prompt + token),
        source="Fig. 12: the star, 27P + 3T",
    )
    least = {
        name: value([float(found.optima["cost"][0].design.machines)])
        if found.optima["cost"]
        else None
        for name, found in maps.items()
    }
    why = "how many are needed depends on the trace, which is not published; see the notes"
    lines = (Line("machines of the cheapest design", "machines", quoted, least, TWO, why),)
    notes = tuple(_told(study, name, found) for name, found in maps.items())
    return Finding(lines, _figure(study, maps), notes)


def _map(study: Study, stack: Stack) -> MapResult:
    """Verdicts over several seeds, as a search would have them."""

    def work() -> MapResult:
        asked = study.scenario(stack, workload="coding", families=[FAMILY])
        scenario = at_rate(asked, study.paper("fig12", "rate").low)
        arrivals = replace(scenario.arrivals, duration_s=study.effort.short_s)
        most = SEED_BUDGET * scenario.seeds
        scenario = replace(scenario, arrivals=arrivals, max_seeds=most)
        space = replace(scenario.spaces[0], prompt_machines=PROMPT, token_machines=TOKEN)
        return sweep_map(scenario, space, study.jobs)

    return study.once(("map", stack.id), work)


def _told(study: Study, name: str, found: MapResult) -> str:
    scenario = study.scenario(study.stacks[0], workload="coding", families=[FAMILY])
    theirs = design(scenario, FAMILY, *study.machines("fig12"))
    cell = next(
        one
        for one in found.cells
        if (one.design.prompt_machines, one.design.token_machines)
        == (theirs.prompt_machines, theirs.token_machines)
    )
    tight = cell.tightest
    slo = f", {tight.target.metric.upper()} P{tight.target.percentile:g} at {tight.mean:.2f}x of " \
          f"{tight.target.limit:g}x" if tight else ""  # fmt: skip
    told = f"Under {name} the paper's {theirs.label} {_VERDICTS[cell.verdict]}{slo}"
    best = found.optima["cost"]
    if not best:
        return told + "; no design of the map is sure to meet all nine."
    ties = f" ({len(best) - 1} other splits of as many machines do too)" if len(best) > 1 else ""
    cheapest = f"the cheapest design that is sure to meet all nine is {best[0].design.label}"
    return f"{told}; {cheapest}{ties}."


_VERDICTS = {
    "meets": "meets all nine SLOs",
    "misses": "misses an SLO",
    "unstable": "cannot keep up",
    "undecided": "is too close to call",
}


def _figure(study: Study, maps: dict[str, MapResult]) -> Figure:
    panels = [_panel(study, name, found) for name, found in maps.items()]
    return style.figure(
        "fig12",
        "Splitwise-HH for coding at 70 requests/s",
        "The SLO nearest to its limit, as a share of the limit: blue meets all nine. Circle: the "
        "paper's optimum; cross: ours.",
        {"hconcat": panels, "resolve": {"scale": {"color": "shared"}}},
        "Maps of prompt by token machines, coloured by the tightest SLO over its limit",
    )


def _panel(study: Study, name: str, found: MapResult) -> Spec:
    rows: list[Row] = []
    for cell in found.cells:
        tight = cell.tightest
        rows.append(
            {
                "prompt": cell.design.prompt_machines,
                "token": cell.design.token_machines,
                "ratio": min(tight.mean / tight.target.limit, CLIPPED) if tight else CLIPPED,
            }
        )
    prompt, token = study.machines("fig12")
    marks: list[tuple[str, list[Row]]] = [("circle", [{"prompt": prompt, "token": token}])]
    if found.optima["cost"]:
        best = found.optima["cost"][0].design
        marks.append(("cross", [{"prompt": best.prompt_machines, "token": best.token_machines}]))
    place: Spec = {
        "x": {"field": "prompt", "type": "ordinal", "title": "prompt machines"},
        "y": {"field": "token", "type": "ordinal", "title": "token machines", "sort": "descending"},
    }
    colour = quantitative(
        "ratio", "tightest SLO / limit",
        scale={"domain": [0.5, 1.0, CLIPPED], "range": ["#0072b2", "#e8eef3", "#b3261e"]},
        legend={"format": ".1f"},
    )  # fmt: skip
    layers: list[Spec] = [
        {"data": style.data(rows), "mark": "rect", "encoding": place | {"color": colour}}
    ]
    layers += [
        {
            "data": style.data(of),
            "mark": {"type": "point", "shape": shape, "size": 130, "color": style.INK,
                     "strokeWidth": 2, "filled": shape == "cross"},
            "encoding": place,
        }
        for shape, of in marks
    ]  # fmt: skip
    return {"title": name, "width": {"step": 20}, "height": {"step": 20}, "layer": layers}
