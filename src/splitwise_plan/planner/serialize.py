"""Evaluations and details as numbers and words, exactly: reading gives the same bits."""

from __future__ import annotations

from dataclasses import asdict
from math import inf, nan
from typing import Any

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.planner.confidence import Estimate, Interval
from splitwise_plan.planner.outcome import (
    Details,
    Evaluation,
    FailureCounts,
    LatencySummary,
    Reduced,
    Replication,
    RequestCounts,
)
from splitwise_plan.sim.extrapolation import Extrapolation
from splitwise_plan.sim.metrics import Energy, Pool
from splitwise_plan.sim.verdict import TargetResult

Written = dict[str, Any]


def evaluation_to_json(of: Evaluation) -> Written:
    """An evaluation without its design: that is what it is found by."""
    return {
        "verdict": of.verdict,
        "judged_in": of.simulations,
        "estimated": [_estimate_to_json(one) for one in of.estimated],
        "reduced": [asdict(one) | {"margin": number(one.margin)} for one in of.reduced],
        "replications": [
            {
                "verdict": one.verdict,
                "values": [number(r.value) for r in one.results],
                "attained": [r.attained for r in one.results],
            }
            for one in of.replications
        ],
    }


def evaluation_from_json(slos: SLOSet, design: Design, told: Written) -> Evaluation:
    """What `evaluation_to_json` said of a design."""
    replications = tuple(
        Replication(
            at,
            one["verdict"],
            tuple(
                TargetResult(target, _number(value), attained)
                for target, value, attained in zip(
                    slos.all_targets, one["values"], one["attained"], strict=False
                )
            ),
        )
        for at, one in enumerate(told["replications"])
    )
    reduced = tuple(Reduced(**one | {"margin": _number(one["margin"])}) for one in told["reduced"])
    return Evaluation(
        design,
        told["verdict"],
        replications,
        told["judged_in"],
        reduced,
        tuple(_estimate_from_json(slos, one) for one in told["estimated"]),
    )


def _estimate_to_json(of: Estimate) -> Written:
    target = of.target
    return {
        "target": [target.metric, target.percentile, target.limit, target.unit],
        "interval": [number(value) for value in (of.mean, of.low, of.high)],
        "attained": [number(value) for value in of.attained] if of.attained else None,
    }


def _estimate_from_json(slos: SLOSet, told: Written) -> Estimate:
    named = told["target"]
    target = next(
        one
        for one in slos.all_targets
        if [one.metric, one.percentile, one.limit, one.unit] == named
    )
    attained = Interval(*map(_number, told["attained"])) if told["attained"] else None
    mean, low, high = map(_number, told["interval"])
    return Estimate(target, mean, low, high, attained)


def details_to_json(of: Details) -> Written:
    """Details without their design. Infinity and NaN stay as they are."""
    return {
        "evaluation": evaluation_to_json(of.evaluation),
        "requests": asdict(of.requests),
        "throughput_rps": of.throughput_rps,
        "latency_s": {metric: asdict(one) for metric, one in of.latency_s.items()},
        "slowdown": {metric: asdict(one) for metric, one in of.slowdown.items()},
        "kv_transfer_s": asdict(of.kv_transfer_s),
        "pools": [asdict(pool) for pool in of.pools],
        "energy": asdict(of.energy),
        "pool_moves": of.pool_moves,
        "mixed_requests": of.mixed_requests,
        "prompt_tokens_per_s": of.prompt_tokens_per_s,
        "output_tokens_per_s": of.output_tokens_per_s,
        "beyond": [asdict(one) for one in of.beyond],
        "failures": asdict(of.failures) if of.failures else None,
    }


def details_from_json(slos: SLOSet, design: Design, told: Written) -> Details:
    """What `details_to_json` said of a design."""
    return Details(
        evaluation=evaluation_from_json(slos, design, told["evaluation"]),
        requests=RequestCounts(**told["requests"]),
        throughput_rps=told["throughput_rps"],
        latency_s={metric: LatencySummary(**one) for metric, one in told["latency_s"].items()},
        slowdown={metric: LatencySummary(**one) for metric, one in told["slowdown"].items()},
        kv_transfer_s=LatencySummary(**told["kv_transfer_s"]),
        pools=tuple(Pool(**pool) for pool in told["pools"]),
        energy=Energy(**told["energy"]),
        pool_moves=told["pool_moves"],
        mixed_requests=told["mixed_requests"],
        prompt_tokens_per_s=told["prompt_tokens_per_s"],
        output_tokens_per_s=told["output_tokens_per_s"],
        beyond=tuple(Extrapolation(**one) for one in told["beyond"]),
        failures=FailureCounts(**told["failures"]) if told["failures"] else None,
    )


def number(value: float) -> float | str:
    """A float as it is; infinity and NaN, which not every database takes, as a word."""
    return value if abs(value) < inf else str(value)


def _number(value: float | str) -> float:
    return {"inf": inf, "-inf": -inf, "nan": nan}[value] if isinstance(value, str) else value
