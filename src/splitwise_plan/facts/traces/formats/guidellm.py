"""GuideLLM's `benchmarks.json`: requests of one benchmark or more, by how they ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.clock import PER_SECOND
from splitwise_plan.facts.traces.formats.base import JsonFormat, Record, first_of, has, inside

ENDINGS = {"successful": "", "errored": "failed", "incomplete": "cut off by the benchmark's end"}


def _requests(document: Any, where: str) -> Iterator[Any]:
    """Pairs of a request, and why it is left out (empty where it is not)."""
    benchmarks = inside(document, "benchmarks") or []  # none in a list around a result
    of_all = [inside(one, "requests") for one in benchmarks if inside(one, "requests")]
    if not of_all:
        what = "has no requests: nothing is known of its single requests"
        raise InputError([Problem(where, what, "keep them in GuideLLM's output")])
    if len(of_all) > 1:
        what = f"has {len(of_all)} benchmarks, each with a load of its own"
        fix = "keep one of them in `benchmarks`: together they are no trace of a service"
        raise InputError([Problem(where, what, fix)])
    for ending, why in ENDINGS.items():
        requests = inside(of_all[0], ending)
        yield from ((one, why) for one in (requests if isinstance(requests, list) else []))


def _record(request: Any) -> Record | str:
    stats, why = request
    return why or (
        first_of(stats, "request_start_time", "start_time"),
        inside(stats, "prompt_tokens"),
        inside(stats, "output_tokens"),
    )


def _latencies(request: Any) -> tuple[float, float]:
    """It tells the mean gap between tokens, which a request of one token has not."""
    stats, _ = request
    output, gap_ms = inside(stats, "output_tokens"), inside(stats, "inter_token_latency_ms")
    ttft_s = inside(stats, "time_to_first_token_ms") / PER_SECOND["ms"]
    rest_s = gap_ms / PER_SECOND["ms"] * (output - 1) if output != 1 else 0.0
    return ttft_s, ttft_s + rest_s


def _is_guidellm(first: Any) -> bool:
    return has(first, "benchmarks") and isinstance(first["benchmarks"], list)


GUIDELLM = JsonFormat(
    "guidellm",
    "GuideLLM benchmarks.json",
    Names("request_start_time", "prompt_tokens", "output_tokens"),
    "s",
    '{"benchmarks": [{"requests": {"successful": […]}}]}',
    _is_guidellm,
    _record,
    _requests,
    latencies=_latencies,
    program="GuideLLM",
)
