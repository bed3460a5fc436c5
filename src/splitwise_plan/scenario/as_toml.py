"""A scenario as TOML text in which every choice is spelled out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

from splitwise_plan.facts.design import CountRange, FamilySpace
from splitwise_plan.facts.prices import Energy, Tariff
from splitwise_plan.facts.toml_text import quantity as _quantity
from splitwise_plan.facts.toml_text import string as _string
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.arrivals.shapes import Days, Pieces, Shape, Spike
from splitwise_plan.scenario.failure_schema import failure_lines
from splitwise_plan.scenario.scenario import DEFAULT_TRIALS, Scenario
from splitwise_plan.scenario.spare import Spare

Told = Callable[[Path], object]
"""How places of files are told."""


def resolved_toml(
    scenario: Scenario, trace: Path | None, folders: tuple[Path, ...], told: Told = Path.resolve
) -> str:
    """Write `scenario`; loading the text gives an equal one, wherever it is stored.

    `trace` and `folders` are where its trace and the user's facts were found.
    """
    return "\n".join(_lines(scenario, trace, folders, told)) + "\n"


def _lines(
    scenario: Scenario, trace: Path | None, folders: tuple[Path, ...], told: Told
) -> Iterator[str]:
    if trace is not None:
        yield f"trace = {_string(told(trace))}"
        if scenario.arrivals.window_s is not None:
            yield f"trace_window = {_string(f'busiest {scenario.arrivals.window_s!r} s')}"
        if scenario.arrivals.speed != 1.0:
            yield f"trace_speed = {_quantity(scenario.arrivals.speed, '1')}"
    elif scenario.workload is not None:
        yield f"workload = {_string(scenario.workload.id)}"
    yield from _arrival_lines(scenario.arrivals)
    yield f"llm = {_string(scenario.llm.id)}"
    yield f"tensor_parallel = {scenario.tensor_parallel}"
    yield f"assumptions = {_string(scenario.assumptions.id)}"
    if scenario.own_kv_transfer:
        yield f"kv_transfer = {_string(scenario.assumptions.kv_transfer)}"
    judged = scenario.maximize != "throughput_per_cost"
    if judged:
        yield f"slo = {_slo(scenario.slos.id, told)}"
        yield from _spare_lines(scenario.spare, told)
    yield from _objective_lines(scenario)
    if scenario.arrivals.process != "trace":
        yield f"seed = {scenario.seed}"
        yield f"seeds = {scenario.seeds}"
        if judged:
            yield f"max_seeds = {scenario.max_seeds}"
    yield from _horizon_lines(scenario)
    ids = ", ".join(_string(space.family.id) for space in scenario.spaces)
    yield f"families = [{ids}]"
    if folders:
        yield f"hardware = [{', '.join(_string(told(folder)) for folder in folders)}]"
    yield from _tariff_lines(scenario.tariff, told)
    yield "\n[scheduler]"
    for option in fields(scenario.scheduler):
        value = getattr(scenario.scheduler, option.name)
        yield f"{option.name} = {_string(value) if isinstance(value, str) else repr(value)}"
    if scenario.failures is not None:
        yield ""
        yield from failure_lines(scenario.failures)
    yield from _range_lines(scenario.spaces)


def _horizon_lines(scenario: Scenario) -> Iterator[str]:
    if scenario.asked_horizon is not None or scenario.arrivals.is_stationary:
        yield f"horizon = {_string(scenario.horizon)}"
    if scenario.warm_up_s > 0:
        yield f"warm_up = {_quantity(scenario.warm_up_s, 's')}"


def _slo(slo: str, told: Told) -> str:
    return _string(told(Path(slo)) if slo.endswith(".toml") else slo)


def _spare_lines(spare: Spare | None, told: Told) -> Iterator[str]:
    if spare is None:
        return
    yield f"spare = {spare.machines}"
    yield f"spare_of = {_string(spare.of)}"
    if spare.slos is not None:
        yield f"degraded_slo = {_slo(spare.slos.id, told)}"


def _arrival_lines(arrivals: Arrivals) -> Iterator[str]:
    if arrivals.process != "trace":
        if arrivals.rate_rps is not None:
            yield f"rate = {_quantity(arrivals.rate_rps, 'rps')}"
        yield f"arrivals = {_string(arrivals.process)}"
        if arrivals.process == "gamma":
            yield f"burstiness = {_quantity(arrivals.burstiness, '1')}"
        if arrivals.shape is not None:
            yield f"{arrivals.process} = {_shape(arrivals.shape)}"
    if arrivals.process != "trace" or arrivals.cut:
        yield f"duration = {_quantity(arrivals.duration_s, 's')}"


def _shape(shape: Shape) -> str:
    """An inline table, as `arrival_keys` reads it."""
    if isinstance(shape, Pieces):
        pieces = zip(shape.lasts_s, shape.rates_rps, strict=True)
        tables = (_table(lasts=(lasts, "s"), rate=(rate, "rps")) for lasts, rate in pieces)
        return f"[{', '.join(tables)}]"
    if isinstance(shape, Days):
        return _table(amplitude=(shape.amplitude, "1"), period=(shape.period_s, "s"))
    ratio, length = (shape.ratio, "1"), (shape.length_s, "s")
    if isinstance(shape, Spike):
        return _table(start=(shape.start_s, "s"), length=length, ratio=ratio)
    return _table(ratio=ratio, share=(shape.share, "1"), length=length)


def _table(**quantities: tuple[float, str]) -> str:
    parts = (f"{key} = {_quantity(*quantity)}" for key, quantity in quantities.items())
    return f"{{ {', '.join(parts)} }}"


def _objective_lines(scenario: Scenario) -> Iterator[str]:
    if scenario.maximize is None:
        yield f"minimize = {_string(scenario.minimize)}"
    else:
        yield f"maximize = {_string(scenario.maximize)}"
    if scenario.rate_step_rps != 1.0 or scenario.maximize == "throughput":
        yield f"rate_step = {_quantity(scenario.rate_step_rps, 'rps')}"
    if scenario.roofline is not None:
        yield 'missing_profiles = "estimate"'
    if scenario.method != "auto":
        yield f"method = {_string(scenario.method)}"
    if scenario.method != "exhaustive" and scenario.trials != DEFAULT_TRIALS:
        yield f"trials = {scenario.trials}"
    if scenario.power_budget is not None:
        unit = "paper units" if scenario.assumptions.power_accounting == "paper" else "W"
        yield f"power_budget = {_quantity(scenario.power_budget, unit)}"
    if scenario.cost_budget_usd_per_hour is not None:
        yield f"cost_budget = {_quantity(scenario.cost_budget_usd_per_hour, 'USD/h')}"


def _tariff_lines(tariff: Tariff, told: Told) -> Iterator[str]:
    if tariff.prices is not None:
        prices = tariff.prices
        yield f"prices = {_string(told(Path(prices)) if prices.endswith('.toml') else prices)}"
        yield f"region = {_string(tariff.region)}"
        yield f"term = {_string(tariff.term)}"
    energy = tariff.energy
    if energy == Energy():
        return
    yield "\n[energy]"
    if energy.price_usd_per_kwh is not None:
        yield f"price = {_quantity(energy.price_usd_per_kwh, 'USD/kWh')}"
    if energy.pue is not None:
        yield f"pue = {_quantity(energy.pue, '1')}"
    if energy.grid_gco2_per_kwh is not None:
        yield f"grid_intensity = {_quantity(energy.grid_gco2_per_kwh, 'gCO2/kWh')}"
    yield f"in_cost = {str(energy.in_cost).lower()}"


def _range_lines(spaces: tuple[FamilySpace, ...]) -> Iterator[str]:
    """The ranges that were asked for; the others are the families' own, and may be widened."""
    for space in spaces:
        names = ("machines", "") if space.token_machines is None else _POOLS
        lines = []
        if not space.prompt_open:
            lines.append(f"{names[0]} = {_range(space.prompt_machines)}")
        if space.token_machines is not None and not space.token_open:
            lines.append(f"{names[1]} = {_range(space.token_machines)}")
        if lines:
            yield f"\n[ranges.{_string(space.family.id)}]"
            yield from lines


_POOLS = ("prompt_machines", "token_machines")


def _range(machines: CountRange) -> str:
    return f'"{machines.low}:{machines.high}"'
