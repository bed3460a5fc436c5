"""AIPerf's `profile_export.jsonl`: one line a request, written as requests end."""

from __future__ import annotations

from typing import Any

from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.clock import PER_SECOND
from splitwise_plan.facts.traces.formats.base import JsonFormat, Record, first_of, has, inside


def _record(request: Any) -> Record | str:
    metadata, metrics = inside(request, "metadata"), inside(request, "metrics")
    if inside(request, "error") is not None:
        return "failed"
    if inside(metadata, "was_cancelled") is True:
        return "cancelled"
    if first_of(metadata, "benchmark_phase", "credit_phase") == "warmup":
        return "sent to warm up"
    return (
        first_of(metadata, "request_start_ns", "timestamp_ns"),
        inside(metrics, "input_sequence_length", "value"),
        inside(metrics, "output_sequence_length", "value"),
    )


def _latencies(request: Any) -> tuple[float, float]:
    metrics = inside(request, "metrics")
    return _seconds(metrics, "time_to_first_token"), _seconds(metrics, "request_latency")


def _seconds(metrics: Any, name: str) -> float:
    """A metric: its times are in ms unless it says otherwise."""
    per_second = PER_SECOND.get(str(inside(metrics, name, "unit")), PER_SECOND["ms"])
    return float(inside(metrics, name, "value") / per_second)


AIPERF = JsonFormat(
    "aiperf",
    "AIPerf profile_export.jsonl",
    Names("request_start_ns", "input_sequence_length", "output_sequence_length"),
    "ns",
    '{"metadata": {"request_start_ns"}, "metrics"} a line',
    lambda first: has(first, "metadata", "metrics"),
    _record,
    latencies=_latencies,
    program="AIPerf",
)
