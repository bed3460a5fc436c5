"""Results of a benchmark of a running server, whichever program wrote them.

Their formats are those of traces: here the latencies of a request are read with it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from splitwise_plan.errors import InputError, Problem, raise_if_any
from splitwise_plan.facts.load_results import LoadResults
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.text import decode
from splitwise_plan.facts.traces.account import Account
from splitwise_plan.facts.traces.clock import PER_SECOND
from splitwise_plan.facts.traces.formats import registry
from splitwise_plan.facts.traces.formats.base import JsonFormat
from splitwise_plan.facts.traces.json_rows import JsonText

MIN_REQUESTS = 20
MAX_TOKENS = 1e9
LARGEST = 1e300
"""Beyond this a number is none: sums of it would be infinite."""
DETAIL = "save the requests in detail"


class Timed(NamedTuple):
    """One request: tokens, its arrival on any clock, and seconds from there."""

    arrival_s: Any
    prompt_tokens: Any
    output_tokens: Any
    ttft_s: Any
    e2e_s: Any


def parse_load_results(data: bytes, where: str) -> LoadResults:
    """Parse results; `where` names them in problems. Raises `InputError`."""
    lines = decode(data, where)
    if not lines.strip():
        raise InputError([Problem(where, "is empty", "name a result of a benchmark")])
    text = JsonText(io.StringIO(lines), where)
    formats = [one for one in registry.JSON if one.latencies]
    format_ = next((one for one in formats if one.recognises(text.first)), None)
    if format_ is None:
        known = ", ".join(one.program for one in formats)
        what = "is no result with latencies of single requests"
        raise InputError([Problem(where, what, f"known: {known}; {DETAIL}")])
    account = Account(where)
    found = list(_timed(text, format_, account))
    if found and all(one.ttft_s is None for _, one in found):
        raise InputError([Problem(where, "has no latencies of single requests", DETAIL)])
    kept = []
    for number, one in found:
        fault = _fault(one)
        if fault:
            account.fault(number, fault)
        else:
            kept.append(one)
    dropped = {reason: one.rows for reason, one in account.dropped.items()}
    if not account.problems and len(kept) < MIN_REQUESTS:
        left = f"{sum(dropped.values()):,} were left out" if dropped else "no more are there"
        what = f"{len(kept)} requests finished; {left}"
        account.problems.add(Problem(where, what, f"at least {MIN_REQUESTS} are needed"))
    raise_if_any(account.problems)
    return _results(format_.program, kept, dropped)


def _timed(text: JsonText, format_: JsonFormat, account: Account) -> Iterator[tuple[int, Timed]]:
    """Requests that finished, by their number in the file; the others are accounted for."""
    for number, request in text.requests(format_, account):
        record = format_.record(request)
        took = record if isinstance(record, str) else _latencies(format_, request)
        if isinstance(record, str) or isinstance(took, str):
            account.drop(str(took), number)
            continue
        arrival, prompt, output = record
        if _is_number(arrival):
            arrival /= PER_SECOND[format_.time_unit]
        yield number, Timed(arrival, prompt, output, *took)


def _latencies(format_: JsonFormat, request: Any) -> tuple[Any, Any] | str:
    """Seconds to the first and to the last token; None where the file does not tell them."""
    if format_.latencies is None:
        return None, None
    try:
        return format_.latencies(request)
    except (TypeError, OverflowError):
        return None, None


def _fault(one: Timed) -> str | None:
    """What is wrong with a request, None if nothing."""
    for name, value in one._asdict().items():
        if not _is_number(value):
            return f"{name} is {value!r:.40}, not a number"
    for name in ("prompt_tokens", "output_tokens"):
        value = getattr(one, name)
        if value != int(value) or not 1 <= value <= MAX_TOKENS:
            return f"{name} is {value}, not a whole number of at least 1"
    if one.ttft_s <= 0 or one.e2e_s < one.ttft_s:
        return f"the first token after {one.ttft_s:.4g} s, the last after {one.e2e_s:.4g} s"
    return None


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) < LARGEST


def _results(source: str, kept: list[Timed], dropped: dict[str, int]) -> LoadResults:
    table = np.array(kept, dtype=np.float64)
    table = table[np.argsort(table[:, 0], kind="stable")]
    arrival, prompt, output, ttft, e2e = table.T
    requests = Requests(arrival - arrival[0], prompt.astype(np.int64), output.astype(np.int64))
    return LoadResults(source, requests, ttft, e2e, dropped)
