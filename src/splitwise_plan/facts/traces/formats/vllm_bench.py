"""The result of vLLM's `bench serve --save-result --save-detailed`: arrays over its requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.formats.base import JsonFormat, Record, has, inside

_COLUMNS = Names("start_times", "input_lens", "output_lens")


def _requests(document: Any, where: str) -> Iterable[Any]:
    arrays = {name: inside(document, name) for name in _COLUMNS}
    missing = [name for name, array in arrays.items() if not isinstance(array, list)]
    if missing:
        what = f"has no {', '.join(missing)}: nothing is known of its single requests"
        fix = "run vLLM's benchmark again with --save-detailed, in a version that saves start_times"
        raise InputError([Problem(where, what, fix)])
    for name in ("errors", "ttfts", "itls"):
        array = inside(document, name)
        arrays[name] = array if isinstance(array, list) else [None] * len(arrays["start_times"])
    if len({len(array) for array in arrays.values()}) > 1:
        lengths = ", ".join(f"{name} {len(array):,}" for name, array in arrays.items())
        raise InputError([Problem(where, f"its arrays are not of one length: {lengths}")])
    return zip(*arrays.values(), strict=True)


def _record(request: Any) -> Record | str:
    start, prompt, output, error, *_ = request
    if error:
        return "failed"
    return ("no output tokens, a failure") if output == 0 else (start, prompt, output)


def _latencies(request: Any) -> tuple[Any, Any]:
    """It tells each gap between two tokens."""
    *_, ttft_s, gaps_s = request
    return ttft_s, ttft_s + sum(gaps_s)


VLLM_BENCH = JsonFormat(
    "vllm-bench",
    "vLLM bench serve",
    _COLUMNS,
    "s",
    '{"start_times": [s], "input_lens", "output_lens"}',
    lambda first: has(first, "duration", "completed") or has(first, *_COLUMNS),
    _record,
    _requests,
    latencies=_latencies,
    program="vLLM bench serve",
)
