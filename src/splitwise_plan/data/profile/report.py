"""A profile's curves, and how well they predict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from splitwise_plan.facts.profile import Curve, Profile
from splitwise_plan.models.performance import context_slope
from splitwise_plan.report.formats.csvfmt import Value
from splitwise_plan.report.numbers import NONE, significant
from splitwise_plan.report.page import Column, Page, Sheet, Statement, plain, words
from splitwise_plan.report.report import Report

if TYPE_CHECKING:
    from splitwise_plan.models.validation import Accuracy

PROFILE = "splitwise-plan/profile/1"
CURVES = {
    "prompt_time": "s",
    "token_time_by_batch_tokens": "s",
    "token_time_by_batch": "s",
    "token_time_by_context": "s",
    "prompt_power": "TDP",
    "token_power": "TDP",
}
"""The curves of a profile and the unit of their values."""
_TITLES = {
    "prompt_time": "prompt, ms",
    "token_time_by_batch_tokens": "token in splitwisesim, ms",
    "token_time_by_batch": "token, ms",
    "token_time_by_context": "token, ms",
    "prompt_power": "prompt power, TDP",
    "token_power": "token power, TDP",
}
_SHEETS = (
    (
        "prompt tokens in the batch",
        ("prompt_time", "prompt_power", "token_time_by_batch_tokens"),
    ),
    ("sequences of 512 tokens", ("token_time_by_batch", "token_power")),
    ("context tokens of one sequence", ("token_time_by_context",)),
)


def show(profile: Profile, machine: str, accuracy: Sequence[Accuracy]) -> Report:
    """The report on a profile; `accuracy` may be empty."""
    slope_us = 1e6 * context_slope(profile.token_time_by_context)
    top = (
        Statement("Profile", (f"{profile.llm} on {machine}, {profile.tensor_parallel} GPUs",)),
        Statement("Context", (f"{significant(slope_us)} µs more for each token of context",)),
    )
    sheets = [_sheet(profile, title, names) for title, names in _SHEETS]
    if accuracy:
        sheets.append(_accuracy_sheet(accuracy))
    curves = {name: _curve(profile, name) for name in CURVES}
    document = {
        "schema": PROFILE,
        "machine": machine,
        "profile": profile.machine,
        "llm": profile.llm,
        "tensor_parallel": profile.tensor_parallel,
        "context_slope_s": slope_us / 1e6,
        "curves": {
            name: {"unit": CURVES[name], "x": curve.x.tolist(), "y": curve.y.tolist()}
            for name, curve in curves.items()
        },
        "accuracy": [_document(one) for one in accuracy],
    }
    return Report(Page("Profile", top, tuple(sheets)), document, list(_rows(curves, accuracy)))


def _curve(profile: Profile, name: str) -> Curve:
    curve: Curve = getattr(profile, name)
    return curve


def _sheet(profile: Profile, title: str, names: tuple[str, ...]) -> Sheet:
    """Curves over the same x; a dash where one has no point."""
    points = {
        name: dict(zip(_curve(profile, name).x, _curve(profile, name).y, strict=True))
        for name in names
    }
    values = sorted({x for of_curve in points.values() for x in of_curve})
    columns = (Column(title), *(Column(_TITLES[name]) for name in names))
    rows = [
        plain(f"{x:,.0f}", *(_point(name, points[name].get(x)) for name in names)) for x in values
    ]
    return Sheet(columns, tuple(rows))


def _point(name: str, value: float | None) -> str:
    if value is None:
        return NONE
    return significant(1e3 * value if CURVES[name] == "s" else value)


def _accuracy_sheet(accuracy: Sequence[Accuracy]) -> Sheet:
    titles = ("prompt, % off", "token, % off", "mean, % off")
    columns = [words("model"), words("held out")]
    rows = [
        plain(
            one.model,
            one.held_out,
            *(f"{number:.2f}" for number in (one.prompt_mape_percent, one.token_mape_percent)),
            f"{one.mean_percent:.2f}",
        )
        for one in accuracy
    ]
    return Sheet((*columns, *(Column(title) for title in titles)), tuple(rows))


def _document(one: Accuracy) -> dict[str, Value]:
    return {
        "model": one.model,
        "held_out": one.held_out,
        "prompt_mape_percent": one.prompt_mape_percent,
        "token_mape_percent": one.token_mape_percent,
        "mean_percent": one.mean_percent,
    }


def _rows(curves: dict[str, Curve], accuracy: Sequence[Accuracy]) -> Iterator[Sequence[Value]]:
    """Points of the curves, or the accuracy alone where it was asked for."""
    if accuracy:
        yield tuple(_document(accuracy[0]))
        yield from (tuple(_document(one).values()) for one in accuracy)
        return
    yield ("curve", "x", "value", "unit")
    for name, curve in curves.items():
        for x, y in zip(curve.x.tolist(), curve.y.tolist(), strict=True):
            yield (name, x, y, CURVES[name])
