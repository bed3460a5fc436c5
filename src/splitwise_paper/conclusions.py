"""The paper's conclusions, and which of them hold in each stack. One stack more is one column more.

Each is asked of the best split of a family, not of the paper's: a planner would take the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from splitwise_paper import figures
from splitwise_paper.capacity import tightest
from splitwise_paper.claims import Claim, Sentence, Verdict, answered
from splitwise_paper.designs import AT, BASELINES, FIGURES, SPLIT, Budget, best, budgeted, short
from splitwise_paper.finding import Finding, Line, Value, ratio, value
from splitwise_paper.machines import A100
from splitwise_paper.robustness import SETBACK, setback
from splitwise_paper.saturation import saturated
from splitwise_paper.sizes import Objective, saving, sizes
from splitwise_paper.study import SPLITWISESIM, Stack, Study
from splitwise_paper.transfer import added_to_e2e
from splitwise_plan.facts.design import Design
from splitwise_plan.report.wording import target_name

SLACK = 0.08
"""A factor within 8 % of the paper's holds."""
NOTICED = 3.0
"""Per cent of throughput below which nothing was lost."""


def conclusions(study: Study) -> Finding:
    """Every conclusion in every stack."""
    stacks = (*study.stacks, *study.further)
    groups = {
        AT[budget].capitalize(): [
            Line(short(family), "rps", None, _rates(study, stacks, budget, family))
            for family in (*BASELINES, *SPLIT)
        ]
        for budget in FIGURES
    }
    figure = figures.bars(
        "conclusions", "What the best split of each family carries",
        "Conversation, BLOOM-176B, within the nine SLOs and the budget of 40 DGX-H100. Thin lines: "
        "least and most of the seeds.", groups, stacks,
    )  # fmt: skip
    notes = (
        "Conversation, the workload of the paper's own conclusions. In part: the direction holds, "
        "the size does not. Each factor compares the best split of each family within the budget: "
        f"under {SPLITWISESIM.id} for each seed the best on that seed's requests (the paper's "
        "search had one trace), else in the steady state; power "
        "under measured is rated watts.",
    )
    return Finding((), figure, notes, answered(study, SENTENCES, stacks))


def _rates(
    study: Study, stacks: Sequence[Stack], budget: Budget, family: str
) -> dict[str, Value | None]:
    return {stack.id: value(best(study, stack, budget, family).rates_rps) for stack in stacks}


def _better(
    budget: Budget, above: str, below: str, printed: str = ""
) -> Callable[[Study, Stack], Claim]:
    """Whether a family carries as many times more than another as the paper has it.

    `printed`: the factor's key, where the paper prints one or several.
    """

    def of(study: Study, stack: Stack) -> Claim:
        if printed:
            theirs = study.paper("fig18", "ratios", printed).low
        else:
            theirs = study.paper("fig18", budget, above, "throughput").low
            theirs /= study.paper("fig18", budget, below, "throughput").low
        return _factor(study, stack, (budget, above), (budget, below), theirs)

    return of


def _factor(
    study: Study, stack: Stack, ours: tuple[Budget, str], other: tuple[Budget, str], theirs: float
) -> Claim:
    one, base = best(study, stack, *ours), best(study, stack, *other)
    found = ratio(one.rates_rps, base.rates_rps)
    return Claim(
        _judged(found.mean, found.low, theirs),
        f"{_carries(study, stack, *ours)}; {short(other[1])} {_span(value(base.rates_rps))} rps: "
        f"{_times(found)}",
    )


def _judged(mean: float, low: float, theirs: float) -> Verdict:
    if low <= 1.0:
        return "does not hold"
    return "holds" if mean >= theirs * (1 - SLACK) else "in part"


def _carries(study: Study, stack: Stack, budget: Budget, family: str) -> str:
    """`Splitwise-HA 9P + 48T 50 rps (TBT P50 binds, 1.23x of 1.25x)`"""
    found = best(study, stack, budget, family)
    rate, split = found.rates_rps[0], found.designs[0]
    if split is None:
        return f"{short(family)} carries nothing"
    slo = tightest(budgeted(study, stack, budget, family), split, rate)
    limit = f"{slo.value:.2f}x of {slo.target.limit:g}x"
    return (
        f"{short(family)} {_label(split)} {_span(value(found.rates_rps))} rps "
        f"({target_name(slo.target)} binds, {limit})"
    )


def _label(split: Design) -> str:
    return f"{split.machines}" if split.family.has_one_pool else split.label


def _headline(study: Study, stack: Stack) -> Claim:
    """The abstract: 1.4x at 20 % lower cost; of the family that comes nearest."""
    family = max(SPLIT, key=lambda one: sum(best(study, stack, "cheaper", one).rates_rps))
    theirs = study.paper("headline", "cheaper").low
    return _factor(study, stack, ("cheaper", family), ("iso-cost", "baseline-h100"), theirs)


def _cheaper(objective: Objective, family: str, key: str) -> Callable[[Study, Stack], Claim]:
    """Whether a family needs so much less than Baseline-H100 for 70 requests/s."""

    def of(study: Study, stack: Stack) -> Claim:
        found = saving(study, stack, objective, family)
        theirs = study.paper("fig19", "claims", key).high
        verdict: Verdict = "in part" if found.high < 0 else "does not hold"
        if found.mean <= theirs * (1 - SLACK):
            verdict = "holds"
        designs = sizes(study, stack, objective).designs
        one, base = (designs[name][0] for name in (family, "baseline-h100"))
        labels = [_label(each) if each else "none" for each in (one, base)]
        return Claim(
            verdict,
            f"{_span(found)} % {objective}: {labels[0]} instead of {labels[1]} machines at 70 rps",
        )

    return of


def _batch(study: Study, stack: Stack) -> Claim:
    found = saturated(study, stack)
    old, new = found["baseline-a100"], found["baseline-h100"]
    verdict: Verdict = "holds" if old.low > new.high else "does not hold"
    return Claim(
        verdict,
        f"{old.mean:.2f} rps/(USD/h) of A100 against {new.mean:.2f} of H100, "
        f"{old.mean / new.mean:.2f}x",
    )


def _robust(study: Study, stack: Stack) -> Claim:
    found = setback(study, stack)
    unhurt = all(found[one].mean > -NOTICED for one in SPLIT if one not in SETBACK)
    hurt = any(found[one].mean <= -NOTICED for one in SETBACK)
    told = ", ".join(f"{short(one)} {_span(found[one])} %" for one in SPLIT)
    if not unhurt:
        return Claim("does not hold", told)
    return Claim("holds" if hurt else "in part", told)


def _transfer(study: Study, stack: Stack) -> Claim:
    added = added_to_e2e(study, stack, A100)
    how = study.scenario(stack).assumptions.kv_transfer
    mode = "all after the prompt" if how == "serialized" else "layer by layer where that is faster"
    return Claim(
        "holds" if added < 1.0 else "does not hold",
        f"{added:.1f} % of E2E of the median coding request on DGX-A100 ({mode})",
    )


SENTENCES = (
    Sentence("equal power, H100", "splitting the phases over H100 carries 1.09x of Baseline-H100",
             "Fig. 18a", _better("iso-power", "splitwise-hh", "baseline-h100")),
    Sentence("equal power, A100", "splitting the phases over A100 carries 2.15x to 2.4x of "
             "Baseline-A100 (the abstract's 2.35x at the same cost and power)", "Fig. 18a",
             _better("iso-power", "splitwise-aa", "baseline-a100",
                     "aa_over_baseline_a100")),
    Sentence("A100 token machines", "H100 for prompts and A100 for tokens carry 1.18x of "
             "Baseline-H100 at equal power", "Fig. 18a",
             _better("iso-power", "splitwise-ha", "baseline-h100",
                     "ha_over_baseline_h100")),
    Sentence("capped token machines", "H100 with capped token machines carry 1.27x of "
             "Baseline-H100 at equal power", "Fig. 18a",
             _better("iso-power", "splitwise-hhcap", "baseline-h100",
                     "hhcap_over_baseline_h100")),
    Sentence("equal cost", "A100 alone, split, carry 1.36x to 1.4x of Baseline-H100", "Fig. 18b",
             _better("iso-cost", "splitwise-aa", "baseline-h100",
                     "aa_over_baseline_h100_iso_cost")),
    Sentence("20 % lower cost", "1.4x the throughput of Baseline-H100",
             "abstract; Fig. 18a itself has 1.09x, for Splitwise-AA at 19 % lower cost", _headline),
    Sentence("least cost", "Splitwise-AA carries the same for 20 to 25 % less than Baseline-H100",
             "Fig. 19b", _cheaper("cost", "splitwise-aa", "aa_cost")),
    Sentence("least power", "Splitwise-HHcap carries the same with 20 to 25 % less power than "
             "Baseline-H100", "Fig. 19a", _cheaper("power", "splitwise-hhcap", "hhcap_power")),
    Sentence("batch", "without SLOs A100 give more for a dollar than H100, 0.89 against 0.75",
             "sec. VI", _batch),
    Sentence("another workload", "AA and HH built for coding serve conversation without a setback, "
             "HA and HHcap lose 7 %", "Fig. 20a", _robust),
    Sentence("KV transfer", "moving KV caches adds less than 1 % to E2E", "sec. VI-A", _transfer),
)  # fmt: skip


def _span(found: Value) -> str:
    """`50`, or `50 to 60` where seeds differ."""
    if found.low == found.high:
        return f"{found.mean:.3g}"
    return f"{found.low:.3g} to {found.high:.3g}"


def _times(found: Value) -> str:
    if f"{found.low:.2f}" == f"{found.high:.2f}":
        return f"{found.mean:.2f}x"
    return f"{found.low:.2f}x to {found.high:.2f}x"
