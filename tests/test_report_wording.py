from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import pytest
from outcomes import (
    E2E,
    MEETS,
    MISSES,
    TBT,
    TTFT,
    UNFINISHED,
    design,
    details,
    evaluation,
    family_result,
    paper_answer,
    scenario,
    search_result,
)

from splitwise_plan.planner.confidence import Estimate
from splitwise_plan.report import numbers, wording
from splitwise_plan.report.proof import answer, proof

ASKED, WINDOW = scenario(), scenario(horizon="window")
HH = design(ASKED, "splitwise-hh", 24, 4)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.0521, "0.0521"),
        (4.314, "4.31"),
        (15.77, "15.8"),
        (1064.4, "1,064"),
        (0.0, "0"),
        (inf, "inf"),
        (nan, "-"),
    ],
)
def test_three_digits_are_shown_and_no_more(value: float, told: str) -> None:
    assert numbers.significant(value) == told


def test_cents_are_shown_only_where_there_are_some() -> None:
    assert numbers.usd(1064.0) == "$1,064"
    assert numbers.usd(1234.4) == "$1,234.40"


@pytest.mark.parametrize(
    ("value", "told"),
    [(1.21, "1.21x"), (1.2501, "1.2501x"), (1.25, "1.25x"), (1.24999, "1.24999x"), (nan, "-")],
)
def test_a_value_off_its_limit_never_looks_like_it(value: float, told: str) -> None:
    assert numbers.beside_limit(value, 1.25, "slowdown") == (told, "1.25x")


def test_singular_and_plural() -> None:
    assert numbers.count(1, "tie") == "1 tie"
    assert numbers.count(0, "tie") == "0 ties"
    assert numbers.count(1234, "family", "families") == "1,234 families"


def test_the_question_names_load_model_slos_objective_and_assumptions() -> None:
    assert wording.question(ASKED, objective=True) == (
        "coding at 70 requests/s · BLOOM-176B · nine SLOs · least cost · assumptions: measured"
        " · steady state"
    )
    assert wording.question(ASKED, objective=False) == (
        "coding at 70 requests/s · BLOOM-176B · nine SLOs · assumptions: measured · steady state"
    )


def test_a_question_about_a_window_says_how_long_it_is_and_how_it_begins() -> None:
    assert wording.question(WINDOW, objective=True).endswith("measured · a window begun empty")
    assert wording.question(WINDOW, objective=False) == (
        "coding at 70 requests/s for 120 s · BLOOM-176B · nine SLOs · assumptions: measured"
        " · a window begun empty"
    )


def test_a_design_is_told_with_its_machines_cost_and_power() -> None:
    lines = [
        wording.design_line(ASKED, design(ASKED, family, *counts))
        for family, counts in (
            ("splitwise-hh", (24, 4)),
            ("splitwise-ha", (27, 9)),
            ("baseline-h100", (58,)),
        )
    ]
    assert lines == [
        "Splitwise-HH, 24 prompt + 4 token = 28 DGX-H100: $1,064/h, 286 kW",
        "Splitwise-HA, 27 DGX-H100 (prompt) + 9 DGX-A100 (token) = 36 machines: "
        "$1,184.40/h, 334 kW",
        "Baseline-H100, 58 DGX-H100: $2,204/h, 592 kW",
    ]


def test_paper_units_stand_beside_watts_where_budgets_count_in_them() -> None:
    paper = scenario(assumptions="splitwisesim")
    line = wording.design_line(paper, design(paper, "splitwise-hh", 24, 4))
    assert line.endswith("286 kW (1,232.0 paper units)")


def test_a_verdict_names_the_slo_that_binds_and_its_margin() -> None:
    def told(verdict: str, *values: tuple[float, ...]) -> str:
        return wording.verdict(ASKED, evaluation(ASKED, HH, verdict, *values))  # type: ignore[arg-type]

    assert told("meets", MEETS) == (
        "meets all nine; tightest is TBT P50, 1.21x of 1.25x allowed, 3.2 % to spare"
    )
    assert told("misses", MISSES) == "misses 1 of 9: TBT P50, 1.31x of 1.25x allowed, 4.8 % over"
    assert told("misses", UNFINISHED) == (
        "misses 1 of 9: TTFT P99, which rests on unfinished requests"
    )
    assert told("unstable", MISSES).startswith("unstable, the backlog grows all the time: TBT P50")
    assert told("undecided", MEETS, MISSES, MEETS).startswith(
        "undecided after 3 seeds, 1 of 9 too close to call: TBT P50, 1.24x of 1.25x allowed"
    )


def tbt_p50(value: float) -> tuple[float, ...]:
    """Measured values that meet all nine, of which the tightest is that."""
    return (*TTFT, value, *TBT[1:], *E2E)


def test_several_seeds_give_an_interval() -> None:
    seeds = evaluation(ASKED, HH, "meets", *map(tbt_p50, (1.20, 1.21, 1.22)))
    told = wording.verdict(WINDOW, seeds)
    assert told.endswith("3.2 % to spare (95 %: 1.18x to 1.24x over 3 seeds)")
    alike = evaluation(ASKED, HH, "meets", MEETS, MEETS, MEETS)
    assert wording.verdict(WINDOW, alike).endswith("3.2 % to spare")


def test_an_interval_of_the_steady_state_is_over_runs() -> None:
    ends = (
        Estimate(target, 0.9 * target.limit, 0.8 * target.limit, 0.95 * target.limit)
        for target in ASKED.slos.targets
    )
    runs = replace(evaluation(ASKED, HH, "meets", MEETS, MEETS), estimated=tuple(ends))
    told = wording.verdict(ASKED, runs)
    assert told.endswith("10.0 % to spare (95 %: 1.60x to 1.90x over 2 runs)")


def test_slos_without_a_value_do_not_break_the_verdict() -> None:
    no_tbt = (0.5, 0.9, 4.6, nan, nan, nan, 0.95, 1.2, 2.2)
    told = wording.verdict(ASKED, evaluation(ASKED, HH, "meets", no_tbt))
    assert "E2E P90, 1.20x of 1.5x allowed" in told


def test_the_proof_counts_what_was_looked_at_and_names_ties() -> None:
    lines = proof(ASKED, paper_answer(ASKED))
    assert lines == (
        "none of 1,214 designs under $1,064/h meets them, "
        "on 1 run of 2,880 s in steady state and more where it is close",
        "three families: 933 simulated, 291 excluded (291 prompt capacity)",
        "2 ties: 25P + 3T, 23P + 5T",
    )
    assert proof(WINDOW, paper_answer(WINDOW))[0].endswith(
        "meets them, on 3 seeds of 120 s and more where it is close"
    )


def test_a_proof_with_undecided_designs_claims_less() -> None:
    best = family_result(ASKED, details(ASKED, HH), undecided=2)
    first, second = proof(ASKED, search_result(ASKED, best))
    assert "is sure to meet them" in first
    assert "311 simulated (2 too close to call)" in second


@pytest.mark.parametrize(
    ("minimize", "below"),
    [("power", "under 286 kW"), ("machines", "of fewer than 28 machines")],
)
def test_the_proof_is_about_the_objective(minimize: str, below: str) -> None:
    asked = scenario(minimize=minimize)
    best = family_result(asked, details(asked, design(asked, "splitwise-hh", 24, 4)))
    assert below in proof(asked, search_result(asked, best))[0]


def test_without_an_answer_the_closest_design_and_what_it_misses_are_told() -> None:
    near = details(ASKED, design(ASKED, "baseline-a100", 139), "misses", MISSES)
    result = search_result(ASKED, family_result(ASKED, None, closest=near))
    fact = answer(ASKED, result)
    assert fact.lines[0] == "no design of Baseline-A100 meets the SLOs"
    assert fact.lines[1].startswith("closest: Baseline-A100, 139 DGX-A100: $2,446.40/h")
    assert fact.lines[2] == "misses 1 of 9: TBT P50, 1.31x of 1.25x allowed, 4.8 % over"
    assert proof(ASKED, result)[0].startswith("all 1,521 designs looked at")


def test_undecided_is_not_told_as_a_miss() -> None:
    near = details(ASKED, HH, "undecided", MEETS, MISSES, MEETS)
    result = search_result(ASKED, family_result(ASKED, None, closest=near, undecided=1))
    assert answer(ASKED, result).lines[0].startswith("undecided: no design of Splitwise-HH is sure")


def test_a_search_in_which_every_design_was_excluded_has_words_too() -> None:
    result = search_result(ASKED, family_result(ASKED, None, family="splitwise-hh"))
    assert answer(ASKED, result).lines[1] == "none has the capacity: allow more machines"


def test_a_trace_is_told_as_one() -> None:
    replayed = replace(ASKED, arrivals=replace(ASKED.arrivals, process="trace", duration_s=3436.0))
    assert wording.load(replayed, duration=True) == "coding over 3,436 s"
