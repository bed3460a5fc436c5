"""Batch work: what a dollar does, family by family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from splitwise_plan.facts.design import Design
from splitwise_plan.report.figures import style
from splitwise_plan.report.figures.style import Figure, Row, Spec, nominal, quantitative, tooltip
from splitwise_plan.report.numbers import significant


class PerDollar(NamedTuple):
    """A design under more load than it carries: requests for a dollar, with their interval."""

    design: Design
    mean: float
    low: float
    high: float
    throughput_rps: float


def saturation_figure(found: Sequence[PerDollar]) -> Figure:
    """A bar a family, and how well its mean is known, in the order given."""
    rows = [_row(one) for one in found]
    y = nominal("family", None, axis={"ticks": False, "domain": False, "labelPadding": 8})
    colour = nominal(
        "family", None, legend=None, scale=style.family_scale([one.design.family for one in found])
    )
    hover = tooltip("family", "design", "requests/$", "requests/s")
    title = "requests for a dollar"
    x = quantitative("mean", title, scale={"domainMin": 0})
    bar: Spec = {
        "mark": {"type": "bar", "height": 17},
        "encoding": {"y": y, "x": x, "color": colour, "tooltip": hover},
    }
    known: Spec = {
        "mark": {"type": "rule", "color": style.INK, "strokeWidth": 1.5},
        "encoding": {
            "y": y,
            "x": quantitative("low", title),
            "x2": {"field": "high"},
            "tooltip": hover,
        },
    }
    spec: Spec = {
        "width": 640,
        "height": {"step": 28},
        "data": style.data(rows),
        "layer": [bar, known],
    }
    return style.figure(
        "saturation",
        "Requests for a dollar",
        "The best design of each family under more load than it carries; the line is the 95 % "
        "interval of the mean over its runs.",
        spec,
        f"requests for a dollar of {len(rows)} families",
    )


def _row(one: PerDollar) -> Row:
    return {
        "family": one.design.family.name,
        "design": style.design_label(one.design),
        "mean": one.mean,
        "low": one.low,
        "high": one.high,
        "requests/$": f"{significant(one.mean)} "
        f"({significant(one.low)} to {significant(one.high)})",
        "requests/s": significant(one.throughput_rps),
    }
