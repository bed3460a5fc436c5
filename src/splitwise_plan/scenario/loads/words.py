"""Loads in a word each: `x1.2`, `spike`, `conversation`, `70%coding+30%conversation`."""

from __future__ import annotations

import re
from typing import Any

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.mixes import is_mix
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.suggest import did_you_mean

SPIKE_RATIO = 2.0
SPIKE_PARTS = 6
"""A `spike` lasts for one of so many parts of the run, from its third on."""
DAY_AMPLITUDE = 0.5
BURSTINESS = 4.0
BURST_PARTS = 20
"""A burst of `mmpp` lasts for one of so many parts of the run, on average."""

SHAPES = ("spike", "diurnal", "mmpp", "gamma")
_FACTOR = re.compile(r"x(\d{1,4}(?:\.\d{1,6})?)", re.ASCII)


def table_of(word: str, base: Scenario, catalog: Catalog) -> dict[str, Any]:
    """The table of `[[loads]]` that a word stands for. Raises `InputError`."""
    if match := _FACTOR.fullmatch(word):
        return {"name": word, "rate_factor": float(match[1])}
    if word in SHAPES:
        return {"name": word, **_shape(word, base.arrivals.duration_s)}
    if is_mix(word) or word in catalog.list("workloads"):
        return {"name": word, "workload": word}
    if word in catalog.list("llms"):
        return {"name": word, "llm": word}
    known = ["x1.2", *SHAPES, *catalog.list("workloads"), *catalog.list("llms")]
    raise InputError([Problem("--loads", f"unknown load {word!r}", did_you_mean(word, known))])


def _shape(word: str, duration_s: float) -> dict[str, Any]:
    """A shape within the length of a run."""
    if word == "gamma":
        return {"arrivals": word, "burstiness": BURSTINESS}
    lasting: dict[str, dict[str, Any]] = {
        "spike": {
            "start": _seconds(2 * duration_s / SPIKE_PARTS),
            "length": _seconds(duration_s / SPIKE_PARTS),
            "ratio": SPIKE_RATIO,
        },
        "diurnal": {"amplitude": DAY_AMPLITUDE, "period": _seconds(duration_s)},
        "mmpp": {"length": _seconds(duration_s / BURST_PARTS)},
    }
    return {"arrivals": word, word: lasting[word]}


def _seconds(value: float) -> dict[str, Any]:
    return {"value": value, "unit": "s"}
