"""The paper's seven insights (sec. III), each as one measured sentence a stack."""

from __future__ import annotations

import numpy as np

from splitwise_paper import figures
from splitwise_paper.claims import Claim, Sentence, Verdict, answered
from splitwise_paper.figures import Axis, Panel, Series
from splitwise_paper.finding import Finding
from splitwise_paper.machine_figures import (
    BATCHES,
    COLOURS,
    kv_bytes,
    prompt_rate,
    room_bytes,
    tbt_ms,
    token_rate,
)
from splitwise_paper.machines import A100, H100, NAMES, Placed, placed
from splitwise_paper.occupancy import FEW, SOME, time_at_few
from splitwise_paper.requests import WORKLOADS, alone, lengths
from splitwise_paper.study import Stack, Study
from splitwise_plan.report.figures.style import Row

TBT_LIMIT = 1.25
"""P50 of TBT in Table VI: the limit that binds token machines."""
PROMPT_BEST, PROMPT_LARGE, TOKEN_LARGE = 2048, 8192, 64


def insights(study: Study) -> Finding:
    """Insights I to VII."""
    rows: list[Row] = []
    for machine in (A100, H100):
        for stack in study.stacks:
            rows += [
                {"x": _per_dollar(placed(study, stack, machine), n),
                 "y": _slowdown(study, stack, machine, n), "series": _name(machine, stack)}
                for n in BATCHES
            ]  # fmt: skip
    colours = {_name(m, s): COLOURS[m] for m in (A100, H100) for s in study.stacks}
    dashes = {_name(m, s): [5, 3] for m in (A100, H100) for s in study.stacks[:-1]}
    panel = Panel(
        "Insight VII: token throughput for a dollar, and TBT",
        Axis("tokens/s for a USD/h"), Axis("TBT over that of a DGX-A100 alone", domain=(0.5, 2.2)),
        rows, limits=(TBT_LIMIT,),
    )  # fmt: skip
    figure = figures.curves(
        "insights", "What a token machine gives for its price",
        "Batches of 1 to 64 sequences, BLOOM-176B. Dashed red: the SLO on the median TBT.",
        [panel], Series(colours, dashes),
    )  # fmt: skip
    return Finding((), figure, (), answered(study, SENTENCES, study.stacks))


def _first(study: Study, stack: Stack) -> Claim:
    told = []
    for workload in WORKLOADS:
        prompt, output = (np.median(one) for one in lengths(study, stack, workload))
        told.append(
            f"{workload} has a median of {prompt:,.0f} prompt and {output:,.0f} output tokens"
        )
    return Claim("holds", "; ".join(told))


def _second(study: Study, stack: Stack) -> Claim:
    few, some = time_at_few(study, stack, "conversation", "bloom-176b")
    paper = study.paper("fig4", "conversation", "bloom-176b").low
    verdict: Verdict = "holds" if few > 0.5 else "in part" if some > 0.5 else "does not hold"
    return Claim(
        verdict,
        f"at 2 requests/s of conversation a DGX-H100 has {FEW} active tokens or fewer for "
        f"{100 * few:.0f} % of the time (the paper: {paper:g} %), {SOME} or fewer for "
        f"{100 * some:.0f} %",
    )


def _third(study: Study, stack: Stack) -> Claim:
    shares = []
    for workload in WORKLOADS:
        prompt, output = lengths(study, stack, workload)
        ttft, _, e2e, _ = alone(placed(study, stack, H100), prompt, output)
        shares.append(float(np.mean(ttft < e2e / 2)))
    told = " and ".join(
        f"{100 * share:.0f} % of {workload}"
        for share, workload in zip(shares, WORKLOADS, strict=True)
    )
    verdict: Verdict = "holds" if min(shares) > 0.5 else "in part"
    return Claim(verdict, f"alone on a DGX-H100, {told} requests spend most of E2E in it")


def _fourth(study: Study, stack: Stack) -> Claim:
    one = placed(study, stack, H100)
    loss = 1 - prompt_rate(one, PROMPT_LARGE) / prompt_rate(one, PROMPT_BEST)
    gain = token_rate(one, TOKEN_LARGE) / token_rate(one, 1)
    slower = tbt_ms(one, TOKEN_LARGE) / tbt_ms(one, 1)
    verdict: Verdict = "holds" if slower < TBT_LIMIT else "in part"
    return Claim(
        verdict,
        f"prompt throughput falls by {100 * loss:.0f} % from {PROMPT_BEST:,} to {PROMPT_LARGE:,} "
        f"tokens in the batch; {TOKEN_LARGE} sequences give {gain:.0f}x the token throughput of "
        f"one, at {slower:.2f}x its TBT",
    )


def _fifth(study: Study, stack: Stack) -> Claim:
    one = placed(study, stack, H100)
    prompt, output = lengths(study, stack, "conversation")
    fits = room_bytes(one) / kv_bytes(one) / float(np.mean(prompt + output))
    growth = float(one.times.prompt_s(2048.0) / one.times.prompt_s(512.0))
    used = PROMPT_BEST * kv_bytes(one) / room_bytes(one)
    return Claim(
        "holds",
        f"4 times the prompt tokens (512 to 2,048) take {growth:.1f} times as long and "
        f"{100 * used:.0f} % of the memory for KV caches; {fits:.0f} average conversations fill it",
    )


def _sixth(study: Study, stack: Stack) -> Claim:
    profile = placed(study, stack, A100).profile
    prompt = float(profile.prompt_power(float(PROMPT_BEST)))
    low, high = (float(profile.token_power(x)) for x in profile.token_power.x[[0, -1]])
    verdict: Verdict = "holds" if high < prompt else "does not hold"
    return Claim(
        verdict,
        f"GPUs of a DGX-A100 draw {100 * prompt:.0f} % of TDP for {PROMPT_BEST:,} prompt tokens, "
        f"{100 * low:.0f} to {100 * high:.0f} % in the token phase (H100: not in the profile)",
    )


def _seventh(study: Study, stack: Stack) -> Claim:
    most = {machine: _within_slo(study, stack, machine) for machine in (A100, H100)}
    free, bound = (
        _per_dollar(placed(study, stack, A100), sizes[0])
        / _per_dollar(placed(study, stack, H100), sizes[1])
        for sizes in ((TOKEN_LARGE, TOKEN_LARGE), (most[A100], most[H100]))
    )
    verdict: Verdict = "holds" if bound > 1.05 else "does not hold"
    return Claim(
        verdict,
        f"for a dollar a DGX-A100 gives {free:.2f}x the tokens/s of a DGX-H100 with {TOKEN_LARGE} "
        f"sequences each, but {bound:.2f}x with as many as keep TBT within {TBT_LIMIT:g}x "
        f"({most[A100]} and {most[H100]})",
    )


SENTENCES = (
    Sentence("I", "services differ widely in their prompt and output lengths", "sec. III-A",
             _first),
    Sentence("II", "mixed continuous batching has very few active tokens for most of the time",
             "sec. III-B", _second),
    Sentence("III", "most requests spend most of their E2E time in the token phase", "sec. III-C",
             _third),
    Sentence("IV", "prompt batches should be limited; batching the token phase gives throughput "
             "without a downside", "sec. III-D", _fourth),
    Sentence("V", "batching prompts is bound by compute, batching tokens by memory", "sec. III-D",
             _fifth),
    Sentence("VI", "the prompt phase uses the power budget, the token phase does not",
             "sec. III-E", _sixth),
    Sentence("VII", "tokens can be generated on less capable hardware for better performance per "
             "watt and per dollar", "sec. III-F", _seventh),
)  # fmt: skip


def _within_slo(study: Study, stack: Stack, machine: str) -> int:
    """The most sequences, up to 64, in a batch whose TBT is within the limit."""
    sizes = range(1, TOKEN_LARGE + 1)
    return max((n for n in sizes if _slowdown(study, stack, machine, n) <= TBT_LIMIT), default=1)


def _slowdown(study: Study, stack: Stack, machine: str, sequences: int) -> float:
    return tbt_ms(placed(study, stack, machine), sequences) / tbt_ms(placed(study, stack, A100), 1)


def _per_dollar(one: Placed, sequences: int) -> float:
    """Tokens/s for a USD/h."""
    return token_rate(one, sequences) / one.machine.cost_usd_per_hour


def _name(machine: str, stack: Stack) -> str:
    return f"{NAMES[machine]}, {stack.id}"
