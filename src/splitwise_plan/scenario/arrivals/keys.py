"""What a scenario, or `trace generate`, says of arrivals, and the process that it means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from splitwise_plan.facts.quantity import Quantity, Strict, number_in, within
from splitwise_plan.facts.toml_lines import KeyPath
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.arrivals.shapes import GRID, Bursts, Days, Pieces, Shape, Spike

MAX_RATE_RPS = 1e6
MAX_DURATION_S = 1e7
DEFAULT_DURATION_S = 120.0
MIN_REQUESTS, MAX_REQUESTS = 1.0, 1e7
MAX_KNOTS = 5e6
"""Points through which a rate over time is drawn."""
WHOLE = 1e-9
"""How far from whole a number of periods may be."""

Rate = Annotated[Quantity, number_in("rps"), within("rate", 0, MAX_RATE_RPS, above=True)]
RateOrNone = Annotated[Quantity, number_in("rps"), within("rate", 0, MAX_RATE_RPS)]
Duration = Annotated[Quantity, number_in("s"), within("time", 0, MAX_DURATION_S, above=True)]
Time = Annotated[Quantity, number_in("s"), within("time", 0, MAX_DURATION_S)]
Burstiness = Annotated[Quantity, number_in("1"), within("count", 1e-3, 1e4)]
Ratio = Annotated[Quantity, number_in("1"), within("count", 1, 1e4, above=True)]
Share = Annotated[Quantity, number_in("1"), within("count", 1e-3, 0.999)]
Amplitude = Annotated[Quantity, number_in("1"), within("count", 0, 1)]

Process = Literal["poisson", "gamma", "mmpp", "diurnal", "spike", "piecewise"]
Fault = tuple[KeyPath, str, str]
"""Where, what is wrong, and what to do about it."""


class BurstTable(Strict):
    """`[mmpp]`: see `arrival_shapes.Bursts`."""

    ratio: Ratio = Quantity(value=5.0, unit="1")
    share: Share = Quantity(value=0.1, unit="1")
    length: Duration = Quantity(value=60.0, unit="s")


class DayTable(Strict):
    """`[diurnal]`: see `arrival_shapes.Days`."""

    amplitude: Amplitude = Quantity(value=0.5, unit="1")
    period: Duration = Quantity(value=1.0, unit="d")


class SpikeTable(Strict):
    """`[spike]`: see `arrival_shapes.Spike`."""

    start: Time
    length: Duration
    ratio: Ratio = Quantity(value=5.0, unit="1")


class PieceTable(Strict):
    """`[[piecewise]]`: see `arrival_shapes.Pieces`."""

    lasts: Duration
    rate: RateOrNone


class ArrivalKeys(Strict):
    """How requests arrive."""

    rate: Rate | None = None
    duration: Duration | None = None
    arrivals: Process | None = None
    burstiness: Burstiness | None = None
    mmpp: BurstTable | None = None
    diurnal: DayTable | None = None
    spike: SpikeTable | None = None
    piecewise: Annotated[list[PieceTable], Field(min_length=1, max_length=10_000)] | None = None


SHAPES = ("mmpp", "diurnal", "spike", "piecewise")
"""Processes with a table of the same name."""


def shape_of(keys: ArrivalKeys) -> Shape | None:
    """The shape of the rate; None where it is constant, or a table is missing."""
    process = keys.arrivals
    if process == "mmpp":
        bursts = keys.mmpp or BurstTable()
        return Bursts(bursts.ratio.si, bursts.share.si, bursts.length.si)
    if process == "diurnal":
        day = keys.diurnal or DayTable()
        return Days(day.amplitude.si, day.period.si)
    if process == "spike" and keys.spike:
        spike = keys.spike
        return Spike(spike.ratio.si, spike.start.si, spike.length.si)
    if process == "piecewise" and keys.piecewise:
        lasts, rates = zip(*((one.lasts.si, one.rate.si) for one in keys.piecewise), strict=True)
        return Pieces(lasts, rates)
    return None


def duration_s_of(keys: ArrivalKeys) -> float:
    """How long requests arrive: one period of what has one, where nothing is said."""
    if keys.duration:
        return keys.duration.si
    shape = shape_of(keys)
    return shape.period_s if isinstance(shape, Days | Pieces) else DEFAULT_DURATION_S


def rate_rps_of(keys: ArrivalKeys) -> float | None:
    """The rate, or the mean of pieces; None where neither is given."""
    if keys.rate:
        return keys.rate.si
    shape = shape_of(keys)
    return shape.mean_rps if isinstance(shape, Pieces) else None


def arrivals_of(keys: ArrivalKeys, rate_rps: float | None) -> Arrivals:
    """The process that draws arrivals at a rate."""
    burstiness = keys.burstiness.si if keys.burstiness else 1.0
    process = keys.arrivals or "poisson"
    return Arrivals(process, rate_rps, duration_s_of(keys), burstiness, shape=shape_of(keys))


def _knots(shape: Shape, duration_s: float) -> float:
    """About how many points `shape.knots` has."""
    if isinstance(shape, Bursts):
        return 2.0 * duration_s * shape.share / shape.length_s
    if isinstance(shape, Days | Pieces):
        points = GRID if isinstance(shape, Days) else len(shape.lasts_s)
        return points * duration_s / shape.period_s
    return 0.0


def arrival_faults(keys: ArrivalKeys) -> Iterator[Fault]:
    """What is wrong between the keys of arrivals that are drawn."""
    if keys.burstiness and keys.arrivals != "gamma":
        yield ("burstiness",), "burstiness needs arrivals = 'gamma'", "add it"
    for name in SHAPES:
        if getattr(keys, name) is not None and keys.arrivals != name:
            yield (name,), f"{name} needs arrivals = {name!r}", "add it"
    if keys.arrivals in ("spike", "piecewise") and getattr(keys, keys.arrivals) is None:
        example = "start and length" if keys.arrivals == "spike" else "lasts and rate of each piece"
        what = f"arrivals = {keys.arrivals!r} needs a table {keys.arrivals}"
        yield ("arrivals",), what, f"give {example}"
    shape, duration_s = shape_of(keys), duration_s_of(keys)
    if isinstance(shape, Pieces) and shape.mean_rps == 0:
        yield ("piecewise",), "all rates of piecewise are 0", "at least one must be above"
        return
    if isinstance(shape, Days | Pieces):
        periods = duration_s / shape.period_s
        if abs(periods - round(periods)) > WHOLE * max(periods, 1.0) or round(periods) == 0:
            what = f"{duration_s:g} s are {periods:,.6g} periods of {shape.period_s:g} s"
            fix = "give whole periods, so that the rate is the mean"
            yield ("duration",) if keys.duration else (str(keys.arrivals),), what, fix
    if shape is not None and _knots(shape, duration_s) > MAX_KNOTS:
        what = f"the rate changes too often in {duration_s:g} s"
        name = str(keys.arrivals)
        part = {"mmpp": "length", "diurnal": "period"}.get(name)
        yield (name, part) if part else (name,), what, "make that longer"
    if isinstance(shape, Spike) and shape.start_s + shape.length_s > duration_s:
        what = f"the spike ends at {shape.start_s + shape.length_s:g} s, after {duration_s:g} s"
        yield ("spike",), what, "must end within duration"
    rate_rps = rate_rps_of(keys)
    if rate_rps is not None:
        expected = rate_rps * duration_s * (shape.mean_factor(duration_s) if shape else 1.0)
        if not MIN_REQUESTS <= expected <= MAX_REQUESTS:
            what = f"rate x duration is {expected:,.6g} requests"
            fix = f"must be {MIN_REQUESTS:g} to {MAX_REQUESTS:,.0f}"
            yield ("duration" if keys.duration else "rate",), what, fix
