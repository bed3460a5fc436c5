"""A workload that mixes others: `70%coding+30%conversation`, shares of its requests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.workload import LengthTable, Workload

_PART = re.compile(r"\s*(\d{1,3}(?:\.\d{1,6})?)\s*%\s*([^%+]*[^%+\s])\s*", re.ASCII)
WHOLE = 100


def is_mix(workload_id: str) -> bool:
    """Whether an id names shares of several workloads."""
    return all(_PART.fullmatch(part) for part in workload_id.split("+"))


def parts_of(workload_id: str) -> tuple[tuple[Fraction, str], ...]:
    """Percentages above 0 and the ids they are of. Raises `InputError` if they are not a whole."""
    found = [_PART.fullmatch(part) for part in workload_id.split("+")]
    parts = [(Fraction(match[1]), match[2]) for match in found if match]
    total = sum(share for share, _ in parts)
    if total != WHOLE:
        what = f"the shares of {workload_id!r} are {float(total):g} %"
        raise InputError([Problem("workload", what, "they must be 100 % together")])
    twice = [name for at, (_, name) in enumerate(parts) if name in [one for _, one in parts[:at]]]
    if twice:
        raise InputError([Problem("workload", f"{twice[0]} is mixed in twice", "add its shares")])
    return tuple((share, name) for share, name in parts if share)


def named(shares: Sequence[tuple[Fraction, str]]) -> str:
    """The id of a mix: `70%coding+30%conversation`."""
    return "+".join(f"{float(share):g}%{name}" for share, name in shares)


def mixed(parts: Sequence[tuple[Fraction, Workload]]) -> Workload:
    """The workload whose requests are, in those percentages, of others.

    A row is counted so often that every part has its share exactly, whatever its table's size.
    """
    totals = [int(one.lengths.count.sum()) for _, one in parts]
    scale = lcm(*(share.denominator for share, _ in parts))
    common = lcm(*totals)
    weights = [
        int(share * scale) * (common // total)
        for (share, _), total in zip(parts, totals, strict=True)
    ]
    least = gcd(*weights)
    counts = [
        one.lengths.count * (weight // least)
        for (_, one), weight in zip(parts, weights, strict=True)
    ]
    return Workload(
        named([(share, one.id) for share, one in parts]),
        " + ".join(f"{float(share):g} % {one.name}" for share, one in parts),
        LengthTable(
            np.concatenate([one.lengths.prompt_tokens for _, one in parts]),
            np.concatenate([one.lengths.output_tokens for _, one in parts]),
            np.concatenate(counts),
        ),
    )
