"""Units as people write them, and their value in SI: "kW" -> 1000 W, "GiB" -> 2**30 bytes.

A unit belongs to one dimension, so a number with its unit needs nothing else to be converted.
SI here also means: bytes, tokens, US dollars per hour, requests per second, and per kWh of energy.
"""

from __future__ import annotations

import difflib
from typing import Literal

from splitwise_plan.errors import SplitwisePlanError

Dimension = Literal[
    "count",
    "tokens",
    "slowdown",
    "time",
    "power",
    "size",
    "bandwidth",
    "price",
    "machine price",
    "GPU price",
    "energy price",
    "carbon intensity",
    "rate",
    "accounting",
    "energy",
    "money",
    "compute",
    "token rate",
    "batch yield",
]

_BYTES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_BYTES |= {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
_BITS = {"kb": 125.0, "Mb": 125e3, "Gb": 125e6, "Tb": 125e9}

UNITS: dict[Dimension, dict[str, float]] = {
    "count": {"1": 1.0, "%": 0.01, "GPUs": 1.0, "machines": 1.0, "sequences": 1.0},
    "tokens": {"tokens": 1.0},
    "slowdown": {"slowdown": 1.0, "x": 1.0},
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0, "d": 86400.0},
    "power": {"W": 1.0, "kW": 1e3, "MW": 1e6},
    "size": _BYTES,
    "bandwidth": {f"{unit}/s": scale for unit, scale in (_BYTES | _BITS).items()},
    "price": {"USD/h": 1.0, "USD/d": 1 / 24},
    "machine price": {"USD/h per machine": 1.0, "USD/d per machine": 1 / 24},
    "GPU price": {"USD/h per GPU": 1.0, "USD/d per GPU": 1 / 24},
    "energy price": {"USD/kWh": 1.0, "USD/MWh": 1e-3},
    "carbon intensity": {"gCO2/kWh": 1.0, "kgCO2/MWh": 1.0},
    "rate": {"rps": 1.0, "requests/s": 1.0, "requests/min": 1 / 60, "requests/h": 1 / 3600},
    "accounting": {"paper units": 1.0},
    "energy": {"Wh": 3600.0},
    "money": {"USD": 1.0},
    "compute": {"FLOP/s": 1.0, "TFLOP/s": 1e12, "PFLOP/s": 1e15},
    "token rate": {"tokens/s": 1.0},
    "batch yield": {"rps/(USD/h)": 1.0},
}
"""SI value of one of each unit. `accounting`: the paper's own power scale (A100 24.8, H100 44)."""


class UnitError(SplitwisePlanError, ValueError):
    """A unit is unknown, or belongs to another dimension than asked for."""


def dimension_of(unit: str) -> Dimension:
    """Return the dimension of `unit`. Raises `UnitError` where there is none."""
    for dimension, units in UNITS.items():
        if unit in units:
            return dimension
    known = [name for units in UNITS.values() for name in units]
    near = difflib.get_close_matches(unit, known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(known)}"
    raise UnitError(f"unknown unit {unit!r}{hint}")


def to_si(value: float, unit: str, dimension: Dimension | None = None) -> float:
    """Convert `value` in `unit` to SI, checking that the unit is one of `dimension` if given.

    Raises `UnitError` naming the units that would do.
    """
    if dimension is not None and unit not in UNITS[dimension]:
        wanted = ", ".join(repr(name) for name in UNITS[dimension])
        raise UnitError(f"unit {unit!r} is not one of {dimension}; use {wanted}")
    return value * UNITS[dimension or dimension_of(unit)][unit]
