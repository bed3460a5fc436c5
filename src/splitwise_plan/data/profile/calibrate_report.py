"""A profile calibrated to a measured load: its file, and how well the load is matched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from splitwise_plan.data.profile.calibration import Calibration, Match
from splitwise_plan.data.profile.fit_report import NOTHING
from splitwise_plan.data.profile.profile_file import profile_text
from splitwise_plan.facts.load_results import LoadResults
from splitwise_plan.facts.profile import Profile
from splitwise_plan.facts.tables import CURVES
from splitwise_plan.models.fitting import Medians
from splitwise_plan.models.scaling import Factors
from splitwise_plan.report.formats.csvfmt import Value
from splitwise_plan.report.numbers import NONE, count, significant
from splitwise_plan.report.page import Column, Page, Sheet, Statement, plain, words
from splitwise_plan.report.report import Report

CALIBRATION = "splitwise-plan/profile-calibration/1"


def calibrated_text(profile: Profile, base: str, source: str, calibration: Calibration) -> str:
    """The calibrated profile as a file; `base`, `source`: the profile and the results behind it."""
    head = (
        f"{profile.llm} on {profile.machine}: calibrated to a measured load",
        f"source: {source}",
        f"derived by: splitwise-plan profile calibrate, from the profile {base}",
    )
    notes = [
        factor_words(calibration.factors),
        f"percentiles of TTFT, TBT and E2E are then {_off(calibration.error)} off "
        f"({_off(calibration.error_before)} before)",
        "  power is that of the profile it was derived from",
    ]
    curves = {profile.tensor_parallel: {name: _points(profile, name) for name in CURVES}}
    return profile_text(head, curves, notes)


def report(
    profile: Profile, base: str, results: LoadResults, calibration: Calibration, kept: Sequence[str]
) -> Report:
    """What was found; `kept`: the files that were written."""
    requests = results.requests
    left_out = [f"{number:,} {why}" for why, number in results.dropped.items()]
    read = f"{count(len(requests), 'request')} over {significant(requests.arrival_s[-1])} s"
    out = f", left out: {', '.join(left_out)}" if left_out else ""
    where = f"{profile.llm} on {profile.machine}, {profile.tensor_parallel} GPUs"
    top = (
        Statement("Profile", (f"{where}, from {base}",)),
        Statement("Load", (f"{read}{out}; {results.source}",)),
        Statement("Factors", (factor_words(calibration.factors),)),
        Statement(
            "Match",
            (
                f"percentiles are {_off(calibration.error)} off, "
                f"{_off(calibration.error_before)} before; {calibration.simulations:,} simulations",
            ),
        ),
    )
    bottom = (Statement("Written", tuple(kept) or (NOTHING,)),)
    document = {
        "schema": CALIBRATION,
        "machine": profile.machine,
        "llm": profile.llm,
        "tensor_parallel": profile.tensor_parallel,
        "base": base,
        "source": results.source,
        "requests": len(requests),
        "dropped": results.dropped,
        "factors": asdict(calibration.factors),
        "error": calibration.error,
        "error_before": calibration.error_before,
        "percentiles": [match._asdict() for match in calibration.matches],
        "written": list(kept),
    }
    rows: list[Sequence[Value]] = [Match._fields, *calibration.matches]
    return Report(Page("Calibrated profile", top, (_sheet(calibration),), bottom), document, rows)


def factor_words(factors: Factors) -> str:
    """`prompt times x 1.21, token times x 0.94`"""
    told = f"prompt times x {factors.prompt:.3g}, token times x {factors.token:.3g}"
    if factors.overhead_s:
        told += f", {significant(1e3 * factors.overhead_s)} ms more for each prompt iteration"
    return told


def _off(error: float) -> str:
    return f"{100.0 * math.expm1(error):.1f} %"


def _sheet(calibration: Calibration) -> Sheet:
    columns = (
        words("latency"),
        Column("measured, s"),
        Column("profile before, s"),
        Column("now, s"),
        Column("% off"),
    )
    rows = [
        plain(
            f"{match.metric.upper()} P{match.percentile:g}",
            *map(significant, (match.measured_s, match.before_s, match.after_s)),
            _error(match),
        )
        for match in calibration.matches
    ]
    return Sheet(columns, tuple(rows))


def _error(match: Match) -> str:
    error = 100.0 * (match.after_s / match.measured_s - 1.0)
    return f"{error:+.1f}" if math.isfinite(error) else NONE


def _points(profile: Profile, name: str) -> Medians:
    curve = getattr(profile, name)
    return Medians(curve.x, curve.y, np.zeros(len(curve.x), dtype=np.int64))
