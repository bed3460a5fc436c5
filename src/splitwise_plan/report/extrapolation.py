"""What of a plan rests on times beyond those that were measured, in words and for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from splitwise_plan.planner.outcome import Details
from splitwise_plan.report.numbers import percent
from splitwise_plan.report.page import Statement
from splitwise_plan.sim.extrapolation import Extrapolation

TOLD = 0.001
"""Smaller shares are in the JSON alone."""
_WORDS = {
    "prompt_tokens": "{share} of prompt iterations have more than {measured} tokens",
    "sequences": "{share} of its token time has more than {measured} sequences",
    "context_tokens": "{share} of requests grow beyond {measured} tokens",
}


def beyond_facts(details: Details) -> Iterator[Statement]:
    """One fact where a share worth telling was extrapolated."""
    told = [one for one in details.beyond if one.share >= TOLD]
    if told:
        first = "what the profile measured, where times are extrapolated:"
        yield Statement("Beyond", (first, *(_line(one) for one in told)))


def beyond_document(beyond: Sequence[Extrapolation]) -> list[dict[str, Any]]:
    """For JSON."""
    return [asdict(one) for one in beyond]


def _line(one: Extrapolation) -> str:
    words = _WORDS[one.quantity].format(share=percent(one.share), measured=f"{one.measured:,}")
    return f"{one.pool} pool, {one.machine}: {words}"
