"""Changes of the traffic: lengths, rate, arrivals, and the seeds that draw them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.workload import LengthTable
from splitwise_plan.planner.fingerprint import same_facts
from splitwise_plan.questions.check.differences import Change, Difference, differing, named
from splitwise_plan.scenario.sampling import table_of
from splitwise_plan.scenario.scenario import Scenario

QUANTILES = (0.5, 0.9, 0.99)
SEEDS = ("seed", "seeds", "max_seeds")


def load_changes(old: Scenario, new: Scenario) -> Iterator[Change]:
    """Lengths, rate, other arrivals and seeds; all at once where a trace replays its own times."""
    if "trace" in (old.arrivals.process, new.arrivals.process):
        yield from _trace_change(old, new)
        return
    if not same_facts((old.workload, old.trace), (new.workload, new.trace)):
        yield Change(
            "traffic",
            "lengths",
            tuple(_differing_lengths(old, new)),
            lambda s: replace(s, workload=new.workload, trace=new.trace),
        )
    if old.arrivals.rate_rps != new.arrivals.rate_rps:
        yield Change(
            "traffic",
            "rate",
            (named("rate_rps", old.arrivals.rate_rps, new.arrivals.rate_rps),),
            lambda s: replace(s, arrivals=replace(s.arrivals, rate_rps=new.arrivals.rate_rps)),
        )
    rated = replace(new.arrivals, rate_rps=old.arrivals.rate_rps)
    if old.arrivals != rated:
        yield Change(
            "traffic",
            "arrivals",
            tuple(differing(old.arrivals, rated)),
            lambda s: replace(s, arrivals=replace(new.arrivals, rate_rps=s.arrivals.rate_rps)),
        )
    seeds = tuple(_differing_seeds(old, new))
    if seeds:
        yield Change("seeds", "", seeds, lambda s: _seeded(s, new))


def _trace_change(old: Scenario, new: Scenario) -> Iterator[Change]:
    parts = [(s.workload, s.trace, s.arrivals) for s in (old, new)]
    if same_facts(parts[0], parts[1]):
        return

    def apply(scenario: Scenario) -> Scenario:
        load = replace(scenario, workload=new.workload, trace=new.trace, arrivals=new.arrivals)
        return _seeded(load, new)

    differences = (
        named("mean rate_rps", *map(_mean_rate_rps, (old, new))),
        *differing(old.arrivals, new.arrivals),
        *_differing_lengths(old, new),
    )
    yield Change("traffic", "trace", differences, apply)


def _mean_rate_rps(scenario: Scenario) -> float | None:
    arrivals = scenario.arrivals
    if arrivals.process == "trace" and scenario.trace is not None:
        return round(len(scenario.trace) / arrivals.duration_s, 3)
    return arrivals.rate_rps


def _seeded(scenario: Scenario, new: Scenario) -> Scenario:
    return replace(scenario, seed=new.seed, seeds=new.seeds, max_seeds=new.max_seeds)


def _differing_seeds(old: Scenario, new: Scenario) -> Iterator[Difference]:
    for name in SEEDS:
        if getattr(old, name) != getattr(new, name):
            yield named(name, getattr(old, name), getattr(new, name))


def _differing_lengths(old: Scenario, new: Scenario) -> Iterator[Difference]:
    """What tells two tables of lengths apart: names, numbers of requests, means and quantiles."""
    ids = [s.workload.id if s.workload else "a trace" for s in (old, new)]
    if ids[0] != ids[1]:
        yield Difference("workload", ids[0], ids[1])
    tables = [_table(s) for s in (old, new)]
    counts = [int(table.count.sum()) for table in tables]
    if counts[0] != counts[1]:
        yield Difference("requests", counts[0], counts[1])
    for name in ("prompt_tokens", "output_tokens"):
        words = name.replace("_", " ")
        statistics = [_statistics(getattr(table, name), table.count) for table in tables]
        for which, before in statistics[0].items():
            if before != statistics[1][which]:
                yield Difference(f"{which} of {words}", before, statistics[1][which], "tokens")


def _table(scenario: Scenario) -> LengthTable:
    if scenario.trace is not None:
        return table_of(scenario.trace)
    if scenario.workload is None:
        raise ValueError("a scenario has a workload or a trace")
    return scenario.workload.lengths


def _statistics(tokens: NDArray[np.int64], count: NDArray[np.int64]) -> dict[str, float]:
    """The mean, and the quantiles: the least that so many requests do not exceed."""
    order = np.argsort(tokens, kind="stable")
    below = np.cumsum(count[order])
    ranks = np.ceil(np.array(QUANTILES) * below[-1])
    found = tokens[order][np.searchsorted(below, ranks)]
    names = [f"P{100 * quantile:g}" for quantile in QUANTILES]
    mean = float(np.dot(tokens, count) / below[-1])
    return {"mean": mean, **dict(zip(names, map(float, found), strict=True))}
