"""Results of a benchmark of a running server, whichever program wrote them."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from splitwise_plan.errors import InputError, ManyProblems, Problem, raise_if_any
from splitwise_plan.facts.importers.benchmark_formats import FORMATS, Format, Timed
from splitwise_plan.facts.importers.text import decode, read_bytes
from splitwise_plan.facts.load_results import LoadResults
from splitwise_plan.facts.requests import Requests

MIN_REQUESTS = 20
MAX_TOKENS = 1e9


def read_load_results(path: Path) -> LoadResults:
    """Read the results at `path`. Raises `InputError` with what is wrong in them."""
    return parse_load_results(read_bytes(path), str(path))


def parse_load_results(data: bytes, where: str) -> LoadResults:
    """Parse results; `where` names them in problems. Raises `InputError`."""
    documents = _documents(decode(data, where), where)
    format_ = next((one for one in FORMATS if one.is_it(documents[0])), None)
    if format_ is None or (len(documents) > 1 and not format_.lines):
        known = ", ".join(one.name for one in FORMATS)
        what = "is no result with latencies of single requests"
        raise InputError([Problem(where, what, f"known: {known}; save them in detail")])
    found = _found(format_, documents, where)
    kept, problems = [], ManyProblems(where)
    dropped: Counter[str] = Counter()
    for number, one in enumerate(found, start=1):
        if isinstance(one, str):
            dropped[one] += 1
            continue
        fault = _fault(one)
        if fault:
            problems.add(Problem(where, f"request {number}: {fault}"))
        else:
            kept.append(one)
    if not problems and len(kept) < MIN_REQUESTS:
        left = f"{sum(dropped.values()):,} were left out" if dropped else "no more are there"
        what = f"{len(kept)} requests finished; {left}"
        problems.add(Problem(where, what, f"at least {MIN_REQUESTS} are needed"))
    raise_if_any(problems)
    return _results(format_.name, kept, dict(dropped))


def _documents(text: str, where: str) -> list[Any]:
    """The JSON document, or those of each line."""
    try:
        return [json.loads(text)]
    except RecursionError:
        raise InputError([Problem(where, "is nested too deeply", "flatten it")]) from None
    except ValueError as error:
        whole = error
    documents = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            documents += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError):
            at = getattr(whole, "lineno", None) if number == 1 else number
            raise InputError([Problem(where, f"is not JSON: {whole}", "", at)]) from None
    if not documents:
        raise InputError([Problem(where, "is empty", "name a result of a benchmark")])
    return documents


def _found(format_: Format, documents: list[Any], where: str) -> list[Timed | str]:
    try:
        return [one for document in documents for one in format_.read(document)]
    except (ValueError, TypeError, AttributeError) as error:
        what = f"is no {format_.name} result as it is known: {error}"
        raise InputError([Problem(where, what, "save the requests in detail")]) from None


def _fault(one: Timed) -> str | None:
    """What is wrong with a request, None if nothing."""
    for name, value in one._asdict().items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            return f"{name} is {value!r}, not a number"
    for name in ("prompt_tokens", "output_tokens"):
        value = getattr(one, name)
        if value != int(value) or not 1 <= value <= MAX_TOKENS:
            return f"{name} is {value}, not a whole number of at least 1"
    if one.ttft_s <= 0 or one.e2e_s < one.ttft_s:
        return f"the first token after {one.ttft_s:.4g} s, the last after {one.e2e_s:.4g} s"
    return None


def _results(source: str, kept: list[Timed], dropped: dict[str, int]) -> LoadResults:
    table = np.array(kept, dtype=np.float64)
    table = table[np.argsort(table[:, 0], kind="stable")]
    arrival, prompt, output, ttft, e2e = table.T
    requests = Requests(arrival - arrival[0], prompt.astype(np.int64), output.astype(np.int64))
    return LoadResults(source, requests, ttft, e2e, dropped)
