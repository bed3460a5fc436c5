"""Figs. 14 and 15: how long a KV cache takes to move, and what that adds to a request."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from splitwise_paper import figures
from splitwise_paper.figures import Axis, Panel, Series
from splitwise_paper.finding import Finding, Line, Tolerance, Value, value
from splitwise_paper.hardware import ONE_BANDWIDTH
from splitwise_paper.machines import A100, H100, NAMES, Placed, placed
from splitwise_paper.study import Stack, Study
from splitwise_plan.models.kv_transfer import layerwise_s, serialized_s
from splitwise_plan.report.figures.style import Row

MODES = ("serialized", "layerwise")
LAYERWISE_AT = 1024
"""Prompt tokens at which the flat line of layer-wise transfers is read."""
DRAWN = tuple(range(64, 2049, 64))
READ = Tolerance(share=0.05, step=0.3)
"""Figures are read to 0.2 ms."""
NEAR = Tolerance(share=0.08)
COLOURS = {
    "A100 serialized": "#56b4e9",
    "A100 layerwise": "#0072b2",
    "H100 serialized": "#e69f00",
    "H100 layerwise": "#d55e00",
}
PAPER_COLOUR = {figures.PAPER: figures.COLOURS[figures.PAPER]}


def fig14(study: Study) -> Finding:
    """Transfer time against prompt size, BLOOM-176B."""
    lines = []
    points: list[Row] = []
    for machine in (A100, H100):
        for size in study.paper.below("fig14", "serialized", machine):
            quoted = study.paper("fig14", "serialized", machine, size)
            ours = {s.id: value(_ms(placed(study, s, machine), int(size))) for s in study.stacks}
            what = f"serialized, {int(size):,} tokens, {NAMES[machine]}"
            lines.append(Line(what, "ms", quoted, ours, READ, elsewhere=ONE_BANDWIDTH))
            points.append({"x": float(size), "y": quoted.low, "series": figures.PAPER})
    for machine in (A100, H100):
        quoted = study.paper("fig14", "layerwise", machine)
        what = f"layer by layer, {LAYERWISE_AT:,} tokens, {NAMES[machine]}"
        lines.append(Line(what, "ms", quoted, _where_layerwise(study, machine, _layerwise), READ))
        points += [{"x": float(x), "y": (quoted.low + quoted.high) / 2, "series": figures.PAPER}
                   for x in (512, 1024, 1536, 2048)]  # fmt: skip
    for machine in (A100, H100):
        quoted = study.paper("fig14", "crossover", machine)
        what = f"prompt from which layer by layer is faster, {NAMES[machine]}"
        lines.append(
            Line(what, "tokens", quoted, _where_layerwise(study, machine, _crossover), NEAR)
        )
    panels = [
        Panel(stack.id, Axis("prompt tokens"), Axis("ms", domain=(0, 46)),
              _rows(study, stack), points)
        for stack in study.stacks
    ]  # fmt: skip
    notes = (
        "SplitwiseSim sends every KV cache after its prompt (serialized); it has no layer-wise "
        "transfer. measured takes the faster of the two for each request.",
    )
    figure = figures.curves(
        "fig14", "KV-cache transfer, BLOOM-176B", "Dots: the paper's figure.", panels,
        Series(COLOURS | PAPER_COLOUR), 2,
    )  # fmt: skip
    return Finding(tuple(lines), figure, notes)


def fig15(study: Study) -> Finding:
    """What a transfer adds to a coding request that runs alone on DGX-A100."""
    lines = []
    for key, of in (("second", 0), ("e2e", 1)):
        for mode in MODES:
            ours: dict[str, Value | None] = {}
            for stack in study.stacks:
                one = placed(study, stack, A100, workload="coding")
                added = _added(one, *_median_request(one), mode)
                ours[stack.id] = value(added[of]) if _has(one, mode) else None
            name = "the time to the second token" if key == "second" else "E2E"
            told = "layer by layer" if mode == "layerwise" else mode
            quoted = study.paper("fig15", f"{key}_{mode}")
            what = f"added to {name}, {told}"
            lines.append(Line(what, "%", quoted, ours, NEAR, elsewhere=ONE_BANDWIDTH))
    output = _median_request(placed(study, study.stacks[0], A100, workload="coding"))[1]
    panels = []
    for title, of in (("Added to the gap to the second token", 0), ("Added to E2E", 1)):
        rows: list[Row] = []
        for machine in (A100, H100):
            one = placed(study, study.stacks[-1], machine, workload="coding")
            for mode in MODES:
                series = f"{NAMES[machine]} {mode}"
                rows += [
                    {"x": float(p), "y": _added(one, p, output, mode)[of] / 100, "series": series}
                    for p in DRAWN
                    if _has(one, mode)
                ]
        panels.append(Panel(title, Axis("prompt tokens"), Axis("more", format=".1%"), rows))
    notes = (
        "The median coding request of the trace (as of Fig. 3), BLOOM-176B, one at a time on "
        "DGX-A100: the machine at which the paper's four numbers agree with each other. The second "
        "token is compared by its gap to the first. TTFT does not change: the first token comes "
        "before the transfer.",
    )
    figure = figures.curves(
        "fig15", "What the transfer adds, coding, BLOOM-176B",
        f"A request of {output} output tokens under {study.stacks[-1].id}.", panels,
        Series(COLOURS), 2,
    )  # fmt: skip
    return Finding(tuple(lines), figure, notes)


def added_to_e2e(study: Study, stack: Stack, machine: str) -> float:
    """Per cent that the stack's transfers add to the E2E of the median coding request."""
    one = placed(study, stack, machine, workload="coding")
    prompt, output = _median_request(one)
    modes = [mode for mode in MODES if _has(one, mode)]
    return min(_added(one, prompt, output, mode)[1] for mode in modes)


def _has(one: Placed, mode: str) -> bool:
    """Whether a stack ever transfers so."""
    return one.scenario.assumptions.kv_transfer in (mode, "auto")


def _ms(one: Placed, prompt: int) -> float:
    return 1e3 * float(serialized_s(one.route, prompt))


def _layerwise(one: Placed) -> float:
    prompt_s = one.times.prompt_s(LAYERWISE_AT)
    return 1e3 * float(layerwise_s(one.route, LAYERWISE_AT, prompt_s))


def _crossover(one: Placed) -> float:
    sizes = np.arange(1, 4096)
    faster = layerwise_s(one.route, sizes, one.times.prompt_s(sizes)) < serialized_s(
        one.route, sizes
    )
    return float(sizes[np.argmax(faster)])


def _where_layerwise(
    study: Study, machine: str, of: Callable[[Placed], float]
) -> dict[str, Value | None]:
    ours: dict[str, Value | None] = {}
    for stack in study.stacks:
        one = placed(study, stack, machine)
        ours[stack.id] = value(of(one)) if _has(one, "layerwise") else None
    return ours


def _median_request(one: Placed) -> tuple[int, int]:
    """Prompt and output tokens: medians of the workload."""
    workload = one.scenario.workload
    if workload is None:
        raise ValueError("needs a workload")
    table = workload.lengths
    medians = [
        int(np.median(np.repeat(tokens, table.count)))
        for tokens in (table.prompt_tokens, table.output_tokens)
    ]
    return medians[0], medians[1]


def _added(one: Placed, prompt: int, output: int, mode: str) -> tuple[float, float]:
    """Per cent more than on one machine: gap to the second token, and E2E."""
    prompt_s = float(one.times.prompt_s(prompt))
    if mode == "serialized":
        visible_s = float(serialized_s(one.route, prompt))
    else:
        visible_s = float(layerwise_s(one.route, prompt, prompt_s))
    gap_s = float(one.times.token_s(1.0, float(prompt)))
    return 100 * visible_s / gap_s, 100 * visible_s / (prompt_s + (output - 1) * gap_s)


def _rows(study: Study, stack: Stack) -> list[Row]:
    rows: list[Row] = []
    for machine in (A100, H100):
        one = placed(study, stack, machine)
        sizes = np.array(DRAWN)
        times = {"serialized": serialized_s(one.route, sizes)}
        times["layerwise"] = layerwise_s(one.route, sizes, one.times.prompt_s(sizes))
        for mode in MODES:
            if _has(one, mode):
                rows += [
                    {"x": float(x), "y": 1e3 * float(y), "series": f"{NAMES[machine]} {mode}"}
                    for x, y in zip(sizes, times[mode], strict=True)
                ]
    return rows
