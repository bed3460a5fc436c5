"""Mooncake's JSON lines (milliseconds), and those of Alibaba's Bailian, alike but in seconds.

Dynamo writes the same with other names for some fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.formats.base import JsonFormat, Record, first_of, inside

ARRIVAL = ("timestamp", "created_time")
PROMPT = ("input_length", "input_tokens")
OUTPUT = ("output_length", "output_tokens")
BAILIAN_BLOCK_TOKENS = 16
"""Tokens that a hash stands for in Bailian's traces; 512 in Mooncake's."""

_COLUMNS = Names(ARRIVAL[0], PROMPT[0], OUTPUT[0])
_NOTE = "hash_ids is not kept: prompts are computed whole, without reuse of cached prefixes"


def _record(request: Any) -> Record | str:
    return first_of(request, *ARRIVAL), first_of(request, *PROMPT), first_of(request, *OUTPUT)


def _is_alike(first: Any) -> bool:
    return isinstance(first, Mapping) and all(
        any(key in first for key in keys) for keys in (ARRIVAL, PROMPT, OUTPUT)
    )


def _is_bailian(first: Any) -> bool:
    """Whether stamps have fractions, or a hash stands for as many tokens as in Bailian's traces."""
    stamp, tokens = first_of(first, *ARRIVAL), first_of(first, *PROMPT)
    if _is_alike(first) and isinstance(stamp, float) and not stamp.is_integer():
        return True
    blocks = inside(first, "hash_ids")
    if not _is_alike(first) or not isinstance(blocks, list) or not isinstance(tokens, int):
        return False
    return len(blocks) == -(-tokens // BAILIAN_BLOCK_TOKENS) and len(blocks) > 1


MOONCAKE = JsonFormat(
    "mooncake",
    "Mooncake JSON lines",
    _COLUMNS,
    "ms",
    '{"timestamp": ms, "input_length", "output_length"} a line',
    _is_alike,
    _record,
    in_order=True,
    note=_NOTE,
)
BAILIAN = JsonFormat(
    "bailian",
    "Bailian JSON lines",
    _COLUMNS,
    "s",
    "the same with seconds, a hash for 16 tokens",
    _is_bailian,
    _record,
    in_order=True,
    note=_NOTE,
)
