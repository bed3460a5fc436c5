"""Figs. 8 and 9: power against the batch, and what a cap costs. What the profile has of it."""

from __future__ import annotations

from splitwise_paper import figures
from splitwise_paper.figures import Axis, Panel, Series
from splitwise_paper.finding import Finding, Line, Tolerance, value
from splitwise_paper.machines import A100, CAPPED, H100, placed
from splitwise_paper.study import Stack, Study
from splitwise_plan.facts.profile import Curve

LLMS = {"bloom-176b": "BLOOM-176B", "llama2-70b": "Llama2-70B"}
COLOURS = {"BLOOM-176B": "#0072b2", "Llama2-70B": "#e69f00"}
CAPPED_NAME = "machine capped at 70 %"
CAPS = {"no cap": H100, CAPPED_NAME: CAPPED}
NEAR = Tolerance(share=0.03)


def fig8(study: Study) -> Finding:
    """Power of the GPUs against what is in the batch, as a share of TDP."""
    lines = []
    panels = []
    for what, unit, sizes, axis in (
        ("prompt", "tokens", (512, 2048, 8192), Axis("prompt tokens in the batch", log=True)),
        ("token", "sequences", (1, 16), Axis("sequences in the batch")),
    ):
        rows = []
        for llm, name in LLMS.items():
            for size in sizes:
                ours = {
                    stack.id: value(100 * _power(study, stack, llm, what)(size))
                    for stack in study.stacks
                }
                told = f"{what} phase, {size:,} {unit if size > 1 else unit[:-1]}, {name}"
                lines.append(Line(told, "% of TDP", None, ours))
            curve = _power(study, study.stacks[0], llm, what)
            rows += [
                {"x": float(x), "y": float(y), "series": name}
                for x, y in zip(curve.x, curve.y, strict=True)
            ]
        y = Axis("share of TDP", domain=(0.0, 1.2), format=".0%")
        panels.append(Panel(f"{what.capitalize()} phase", axis, y, rows, rows))
    notes = (
        "What was measured: DGX-A100, up to 16 sequences and 8,192 prompt tokens. The published "
        "profile has no power of an H100 (its rows are 0), so the A100's shares of TDP stand for "
        "it, and the paper's Fig. 8 prints no values to compare with.",
    )
    figure = figures.curves(
        "fig8", "Power of DGX-A100's GPUs", "Medians of the profile.", panels, Series(COLOURS), 2
    )
    return Finding(tuple(lines), figure, notes)


def _power(study: Study, stack: Stack, llm: str, phase: str) -> Curve:
    profile = placed(study, stack, A100, llm=llm).profile
    return profile.prompt_power if phase == "prompt" else profile.token_power


def fig9(study: Study) -> Finding:
    """What a power cap costs in each phase, BLOOM-176B."""
    lines, panels = [], []
    for phase, at, batches in (
        ("prompt", 2048, (512, 1024, 2048, 4096, 8192)),
        ("token", 64, (1, 4, 16, 64)),
    ):
        ours = {}
        for stack in study.stacks:
            capped, free = (_ms(study, stack, one, phase, at) for one in (CAPPED, H100))
            ours[stack.id] = value(capped / free)
        quoted = study.paper("fig9", "token_time") if phase == "token" else None
        lines.append(Line(f"{phase} time at the cap over that without", "x", quoted, ours, NEAR))
        rows = [
            {"x": float(n), "y": _ms(study, study.stacks[-1], machine, phase, n), "series": name}
            for name, machine in CAPS.items()
            for n in batches
        ]
        axis = Axis("tokens in the batch" if phase == "prompt" else "sequences in the batch")
        panels.append(Panel(f"{phase.capitalize()} phase", axis, Axis("ms"), rows))
    series = Series(dict(zip(CAPS, ("#3e4c59", "#d55e00"), strict=True)), {CAPPED_NAME: [5, 3]})
    notes = (
        "The profile has one cap only, 50 % of each GPU, and its rows are those without a cap with "
        "prompt times x 1.3 and token times x 1.0: the paper's finding written down, not measured "
        "again. The curve of Fig. 9 from 700 to 200 W is in no published data.",
    )
    figure = figures.curves(
        "fig9", "A power cap on DGX-H100, BLOOM-176B",
        "Solid and dashed lie on each other in the token phase.", panels, series, 2,
    )  # fmt: skip
    return Finding(tuple(lines), figure, notes)


def _ms(study: Study, stack: Stack, machine: str, phase: str, batch: int) -> float:
    """Time of an iteration of so many prompt tokens, or sequences of 512 tokens."""
    times = placed(study, stack, machine).times
    seconds = times.prompt_s(batch) if phase == "prompt" else times.token_s(batch, 512 * batch)
    return 1e3 * float(seconds)
