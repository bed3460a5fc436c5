"""Figs. 5, 6 and 7: times, throughput and memory of one machine against what is in its batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from splitwise_paper import figures
from splitwise_paper.figures import Axis, Panel, Series
from splitwise_paper.finding import Finding, Line, Tolerance, value
from splitwise_paper.machines import A100, H100, NAMES, Placed, placed
from splitwise_paper.study import Study
from splitwise_plan.models.memory import kv_bytes_per_token, kv_room_bytes
from splitwise_plan.report.figures.style import Row

COLOURS = {A100: "#56b4e9", H100: "#d55e00"}
DASHES = ([1, 0], [5, 3], [2, 2])
PROMPTS = (128, 256, 512, 1024, 2048, 4096, 8192)
BATCHES = (1, 2, 4, 8, 16, 32, 64)
CONTEXT = 512
"""Prompt tokens of each sequence where the profile's batch sweep was measured."""
FIFTEEN, EXACT, NEAR = Tolerance(share=0.15), Tolerance(share=0.001), Tolerance(share=0.05)
FLAT = (
    "SplitwiseSim fits its token times on tokens of context, then looks them up with the number of "
    "sequences, so that its batches hardly cost anything"
)
AGREE = "Where a dashed and a solid line lie on each other, the sets of assumptions agree."
Of = Callable[[Placed, float], float]


def fig5(study: Study) -> Finding:
    """TTFT against the prompt, TBT against the batch, E2E against outputs."""
    lines = []
    for machine in (A100, H100):
        machines = {stack.id: placed(study, stack, machine) for stack in study.stacks}
        growth = {name: value(tbt_ms(one, 64) / tbt_ms(one, 1)) for name, one in machines.items()}
        quoted = study.paper("fig5", "batch_64")
        what = f"TBT at 64 sequences over that of one, {NAMES[machine]}"
        lines.append(Line(what, "x", quoted, growth, FIFTEEN, elsewhere=FLAT))
    for machine in (A100, H100):
        machines = {stack.id: placed(study, stack, machine) for stack in study.stacks}
        worth = {name: value(_ttft(one, 1500) / tbt_ms(one, 1)) for name, one in machines.items()}
        paper = study.paper("fig5", "prompt_1500") if machine == H100 else None
        what = f"1,500 prompt tokens take as long as so many output tokens, {NAMES[machine]}"
        lines.append(Line(what, "tokens", paper, worth, FIFTEEN))
    panels = [
        Panel("TTFT", Axis("prompt tokens"), Axis("ms"), _rows(study, PROMPTS, _ttft)),
        Panel("TBT", Axis("sequences in the batch"), Axis("ms", domain=(0, 110)),
              _rows(study, BATCHES, tbt_ms)),
        Panel("E2E of one request, 1,000-token prompt", Axis("output tokens", log=True),
              Axis("ms", log=True), _rows(study, (1, 3, 10, 30, 100, 300, 1000), _e2e)),
    ]  # fmt: skip
    figure = figures.curves(
        "fig5", "Latency of one machine, BLOOM-176B", AGREE, panels, _series(study)
    )
    return Finding(tuple(lines), figure)


def fig6(study: Study) -> Finding:
    """Throughput of the phases against what is in the batch."""
    sweep = (*PROMPTS, 16384, 32768)
    lines = []
    for key, what, unit, among, rate in (
        ("best_prompt_batch", "prompt batch of most throughput", "tokens", sweep, prompt_rate),
        ("best_token_batch", "token batch of most throughput", "sequences", BATCHES, token_rate),
    ):
        for machine in (A100, H100):
            machines = {stack.id: placed(study, stack, machine) for stack in study.stacks}
            best = {
                name: value(float(among[int(np.argmax([rate(one, size) for size in among]))]))
                for name, one in machines.items()
            }
            quoted = study.paper("fig6", key)
            lines.append(Line(f"{what}, {NAMES[machine]}", unit, quoted, best, EXACT, digits=4))
    for machine in (A100, H100):
        for what, rate, at in (("prompt", prompt_rate, 2048), ("token", token_rate, 64)):
            ours = {s.id: value(rate(placed(study, s, machine), at)) for s in study.stacks}
            size = f"{at:,} {'tokens' if what == 'prompt' else 'sequences'}"
            told = f"{what} throughput at {size}, {NAMES[machine]}"
            lines.append(Line(told, "tokens/s", None, ours))
    panels = [
        Panel("Prompt phase", Axis("tokens in the batch"), Axis("tokens/s"),
              _rows(study, sweep, prompt_rate)),
        Panel("Token phase", Axis("sequences in the batch"), Axis("tokens/s"),
              _rows(study, BATCHES, token_rate)),
    ]  # fmt: skip
    notes = (
        "Batches of the published profile; 64 sequences are the most it has. Under splitwisesim "
        "token throughput grows in proportion to the batch, which is its fault of Fig. 5.",
    )
    figure = figures.curves(
        "fig6", "Throughput of one machine, BLOOM-176B", AGREE, panels, _series(study), 2
    )
    return Finding(tuple(lines), figure, notes)


def fig7(study: Study) -> Finding:
    """Memory of one machine against tokens in its batch."""
    lines = []
    names = {"bloom-176b": "BLOOM-176B", "llama2-70b": "Llama2-70B"}
    for llm, name in names.items():
        machines = {stack.id: placed(study, stack, H100, llm=llm) for stack in study.stacks}
        weights = {n: value(one.scenario.llm.weights_bytes / 1e9) for n, one in machines.items()}
        fits = {n: value(room_bytes(one) / kv_bytes(one)) for n, one in machines.items()}
        each = {n: value(kv_bytes(one) / 2**20) for n, one in machines.items()}
        paper = study.paper("fig7", "weights") if llm == "bloom-176b" else None
        lines += [
            Line(f"weights, {name}", "GB", paper, weights, NEAR),
            Line(f"KV cache of a token, {name}", "MiB", None, each),
            Line(f"tokens of context that fit in a machine, {name}", "tokens", None, fits),
        ]
    tokens = np.unique(np.round(np.geomspace(1, 1e5, 60)))
    rows: list[Row] = []
    colours, dashes = {}, {}
    for (llm, name), colour in zip(names.items(), COLOURS.values(), strict=True):
        for stack, dash in zip(study.stacks, DASHES, strict=False):
            one = placed(study, stack, H100, llm=llm)
            series = f"{name}, {stack.id}"
            colours[series], dashes[series] = colour, dash
            used = (one.scenario.llm.weights_bytes + kv_bytes(one) * tokens) / 1e9
            rows += [
                {"x": float(n), "y": float(y), "series": series}
                for n, y in zip(tokens, used, strict=True)
            ]
    machine = placed(study, study.stacks[0], H100)
    memory = machine.machine.instance_memory_bytes(machine.scenario.tensor_parallel) / 1e9
    panel = Panel(
        "Weights and KV caches", Axis("tokens of context in the batch", log=True),
        Axis("GB", domain=(0, 800)), rows, limits=(memory,),
    )  # fmt: skip
    notes = (
        "Llama2-70B shares keys and values between eight heads (grouped-query attention). "
        "splitwisesim overlooks that, and has eight times its KV cache.",
    )
    figure = figures.curves(
        "fig7", "Memory of one machine", "Dashed red: what eight GPUs have.", [panel],
        Series(colours, dashes),
    )  # fmt: skip
    return Finding(tuple(lines), figure, notes)


def _ttft(one: Placed, prompt: float) -> float:
    return 1e3 * float(one.times.prompt_s(prompt))


def tbt_ms(one: Placed, sequences: float) -> float:
    """Time of a token iteration in the profile's batch sweep."""
    return 1e3 * float(one.times.token_s(sequences, CONTEXT * sequences))


def _e2e(one: Placed, outputs: float) -> float:
    tokens_ms = (outputs - 1) * 1e3 * float(one.times.token_s(1, 1000 + outputs / 2))
    return _ttft(one, 1000) + tokens_ms


def prompt_rate(one: Placed, batch: float) -> float:
    """Prompt tokens/s."""
    return batch / float(one.times.prompt_s(batch))


def token_rate(one: Placed, sequences: float) -> float:
    """Output tokens/s."""
    return 1e3 * sequences / tbt_ms(one, sequences)


def kv_bytes(one: Placed) -> float:
    """Of one token of context."""
    return float(kv_bytes_per_token(one.scenario.llm, one.scenario.assumptions))


def room_bytes(one: Placed) -> float:
    """Memory for KV caches."""
    return kv_room_bytes(one.machine, one.scenario.llm, one.scenario.tensor_parallel)


def _rows(study: Study, xs: Iterable[float], of: Of) -> list[Row]:
    rows: list[Row] = []
    points = list(xs)
    for machine in COLOURS:
        for stack in study.stacks:
            one, series = placed(study, stack, machine), _name(machine, stack.id)
            rows += [{"x": float(x), "y": of(one, x), "series": series} for x in points]
    return rows


def _name(machine: str, stack: str) -> str:
    return f"{NAMES[machine]}, {stack}"


def _series(study: Study) -> Series:
    colours, dashes = {}, {}
    for machine, colour in COLOURS.items():
        for stack, dash in zip(study.stacks, reversed(DASHES[: len(study.stacks)]), strict=True):
            colours[_name(machine, stack.id)] = colour
            dashes[_name(machine, stack.id)] = dash
    return Series(colours, dashes)
