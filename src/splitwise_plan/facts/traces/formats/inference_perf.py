"""inference-perf's `per_request_lifecycle_metrics.json`: a list of requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.formats.base import JsonFormat, Record, first_of, has, inside


def _requests(document: Any, where: str) -> Iterable[Any]:
    return document if isinstance(document, list) else [document]


def _record(request: Any) -> Record | str:
    if inside(request, "error") is not None:
        return "failed"
    info = inside(request, "info")
    prompt = inside(info, "request_metrics", "text", "input_tokens")
    output = inside(info, "response_metrics", "output_tokens")
    return (
        inside(request, "start_time"),
        first_of(info, "input_tokens") if prompt is None else prompt,
        first_of(info, "output_tokens") if output is None else output,
    )


def _latencies(request: Any) -> tuple[float, float] | str:
    """It tells when each token came."""
    info, start_s = inside(request, "info"), inside(request, "start_time")
    times_s = first_of(inside(info, "response_metrics") or info, "output_token_times")
    if not isinstance(times_s, list) or not times_s:
        return "no times of its tokens: not streamed"
    return times_s[0] - start_s, times_s[-1] - start_s


INFERENCE_PERF = JsonFormat(
    "inference-perf",
    "inference-perf per-request metrics",
    Names("start_time", "input_tokens", "output_tokens"),
    "s",
    '[{"start_time": s, "end_time", "info": {…}}]',
    lambda first: has(first, "start_time", "end_time", "info"),
    _record,
    _requests,
    latencies=_latencies,
    program="inference-perf",
)
