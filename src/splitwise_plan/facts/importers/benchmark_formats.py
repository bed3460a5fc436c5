"""Per-request latencies as the benchmarks of LLM servers write them: one function a program.

Each yields, for every request, a `Timed` or the reason why it is left out. Shapes are those of
vLLM 0.6 and later (`bench serve --save-result --save-detailed`), GuideLLM 0.3, AIPerf 0.2 and
inference-perf 0.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

FAILED = "failed"
MS, NS = 1e3, 1e9


class Timed(NamedTuple):
    """One request: tokens, its arrival on any clock, and seconds from there. None: not told."""

    arrival_s: Any
    prompt_tokens: Any
    output_tokens: Any
    ttft_s: Any
    e2e_s: Any


Found = Iterator[Timed | str]


class Format(NamedTuple):
    """`is_it`: whether a document is of this program. `lines`: one JSON document a line."""

    name: str
    is_it: Callable[[Any], bool]
    read: Callable[[Any], Found]
    lines: bool = False


def vllm(document: Any) -> Found:
    """Arrays over the requests, in seconds."""
    names = ("start_times", "input_lens", "output_lens", "ttfts", "itls")
    arrays = [_list(document, name) for name in names]
    errors = document.get("errors")
    failed = errors if isinstance(errors, list) else [""] * len(arrays[0])
    if len({len(array) for array in (*arrays, failed)}) > 1:
        raise ValueError(f"arrays {', '.join(names)}, errors are not of one length")
    for start, prompt, output, ttft, gaps, error in zip(*arrays, failed, strict=True):
        if error or not output:
            yield FAILED
        else:
            yield Timed(start, prompt, output, ttft, _plus(ttft, _sum(gaps)))


def guidellm(document: Any) -> Found:
    """Requests of one benchmark, by how they ended; times in ms, clocks in seconds."""
    with_requests = [one for one in _list(document, "benchmarks") if _at(one, "requests")]
    if len(with_requests) != 1:
        told = f"{len(with_requests)} benchmarks with requests"
        raise ValueError(f"holds {told}; keep one, each has a load of its own")
    endings = _at(with_requests[0], "requests")
    for ending in ("errored", "incomplete"):
        yield from (FAILED for _ in _at(endings, ending) or [])
    for one in _list(endings, "successful"):
        ttft, gap = _at(one, "time_to_first_token_ms"), _at(one, "inter_token_latency_ms")
        output = _at(one, "output_tokens")
        first = _scaled(ttft, MS)
        rest = _times(_scaled(gap, MS), output) if output != 1 else 0.0
        start = _at(one, "request_start_time") or _at(one, "start_time")
        yield Timed(start, _at(one, "prompt_tokens"), output, first, _plus(first, rest))


def aiperf(request: Any) -> Found:
    """One line of `profile_export.jsonl`; metrics have units."""
    metrics, metadata = _at(request, "metrics"), _at(request, "metadata")
    if _at(request, "error") is not None or _at(metadata, "was_cancelled"):
        yield FAILED
    elif _at(metadata, "benchmark_phase") == "warmup":
        yield "sent to warm up"
    else:
        yield Timed(
            _scaled(_at(metadata, "request_start_ns"), NS),
            _at(metrics, "input_sequence_length", "value"),
            _at(metrics, "output_sequence_length", "value"),
            _seconds(_at(metrics, "time_to_first_token")),
            _seconds(_at(metrics, "request_latency")),
        )


def inference_perf(document: Any) -> Found:
    """A list of requests with a time stamp of each token, in seconds."""
    for one in document:
        info = _at(one, "info")
        response = _at(info, "response_metrics") or info
        times = _at(response, "output_token_times")
        start = _at(one, "start_time")
        if _at(one, "error") is not None:
            yield FAILED
        elif not isinstance(times, list) or not times:
            yield "no times of its tokens: not streamed"
        else:
            prompt = _at(info, "request_metrics", "text", "input_tokens")
            prompt = _at(info, "input_tokens") if prompt is None else prompt
            output = _at(response, "output_tokens")
            yield Timed(start, prompt, output, _minus(times[0], start), _minus(times[-1], start))


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda document: isinstance(document, dict) and all(name in document for name in names)


def _is_inference_perf(document: Any) -> bool:
    return (
        isinstance(document, list)
        and bool(document)
        and _has("start_time", "end_time", "info")(document[0])
    )


FORMATS = (
    Format("vLLM bench serve", _has("ttfts", "itls", "input_lens", "output_lens"), vllm),
    Format("GuideLLM", _has("benchmarks"), guidellm),
    Format("AIPerf", _has("metrics", "metadata"), aiperf, lines=True),
    Format("inference-perf", _is_inference_perf, inference_perf),
)


def _at(value: Any, *names: str) -> Any:
    """What is at a path of keys; None where there is nothing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _list(document: Any, name: str) -> list[Any]:
    value = _at(document, name)
    if not isinstance(value, list):
        raise ValueError(f"has no list {name!r}: latencies of single requests were not saved")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _scaled(value: Any, scale: float) -> Any:
    return value / scale if _is_number(value) else None


def _seconds(metric: Any) -> Any:
    """A metric of AIPerf; its times are in ms unless it says otherwise."""
    scales = {"ns": NS, "us": 1e6, "s": 1.0}
    return _scaled(_at(metric, "value"), scales.get(_at(metric, "unit"), MS))


def _sum(gaps: Any) -> Any:
    good = isinstance(gaps, list) and all(_is_number(gap) for gap in gaps)
    return sum(gaps) if good else None


def _plus(a: Any, b: Any) -> Any:
    return a + b if _is_number(a) and _is_number(b) else None


def _minus(a: Any, b: Any) -> Any:
    return a - b if _is_number(a) and _is_number(b) else None


def _times(gap: Any, tokens: Any) -> Any:
    return gap * (tokens - 1) if _is_number(gap) and _is_number(tokens) else None
