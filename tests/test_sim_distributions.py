from __future__ import annotations

import numpy as np
from scenes import scene

from splitwise_plan.facts.slo import METRICS
from splitwise_plan.sim.distributions import PERCENTILES, distributions
from splitwise_plan.sim.metrics import Latencies, latencies, percentile, percentiles


def test_they_are_the_percentiles_of_all_runs_together() -> None:
    one = scene("splitwise-hh", 2, 1, rate=5, duration=30)
    found = latencies(one.simulator, one.run())
    for metric, of in zip(METRICS, distributions([found, found]), strict=True):
        assert of.metric == metric
        both = np.concatenate([found.seconds[metric]] * 2)
        assert of.requests == np.count_nonzero(~np.isnan(both))
        for q, value in zip(PERCENTILES, of.seconds, strict=True):
            assert value == percentile(both, q)
        assert list(of.slowdown) == sorted(of.slowdown)


def test_what_did_not_finish_is_infinite_and_what_has_no_value_does_not_count() -> None:
    values = np.array([np.nan, 1.0, 2.0, 3.0, np.inf])
    runs = [Latencies(dict.fromkeys(METRICS, values), dict.fromkeys(METRICS, values))]
    of = distributions(runs)[0]
    assert of.requests == 4
    assert of.mean_s == np.inf
    assert of.seconds[0] == 1.0
    assert of.seconds[-1] == np.inf
    nothing = dict.fromkeys(METRICS, np.array([np.nan]))
    assert distributions([Latencies(nothing, nothing)]) == ()


def test_percentiles_found_together_are_those_found_alone() -> None:
    """To the bit, with unfinished requests (inf) and those that have no such latency (nan)."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        values = rng.exponential(1.0, rng.integers(0, 60))
        values[rng.random(len(values)) < rng.choice([0.0, 0.1, 1.0])] = np.inf
        values[rng.random(len(values)) < rng.choice([0.0, 0.2])] = np.nan
        qs = [50.0, 90.0, 99.0, float(rng.uniform(0, 100))]
        together = percentiles(values, qs)
        assert np.array_equal(together, [percentile(values, q) for q in qs], equal_nan=True)
        known = np.sort(values[~np.isnan(values)])
        for q, found in zip(qs, together, strict=True):
            if len(known) and np.isfinite(known).all():
                assert found == np.percentile(known, q)
            elif len(known):
                upper = known[int(np.ceil(q / 100 * (len(known) - 1)))]
                assert np.isinf(found) == np.isinf(upper)
