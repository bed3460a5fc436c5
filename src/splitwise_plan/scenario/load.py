"""From a scenario file and flags to a `Scenario`: every fact looked up, every relation checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from splitwise_plan.errors import InputError, raise_if_any
from splitwise_plan.facts.assumptions import Assumptions
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import FamilySpace
from splitwise_plan.facts.files import FactFiles, TomlFile, name_alone
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.prices import Tariff
from splitwise_plan.facts.problems import sorted_problems, sound_part, validate
from splitwise_plan.facts.profile import Profile
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.facts.trace_window import in_window, sped_up
from splitwise_plan.facts.workload import Workload
from splitwise_plan.scenario.arrivals.keys import arrivals_of, rate_rps_of
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.as_toml import resolved_toml
from splitwise_plan.scenario.checks import (
    arrival_problems,
    budget,
    failure_problems,
    instance_problems,
    length_problems,
    objective_problems,
    percentile_problems,
    replays,
    spare_problems,
)
from splitwise_plan.scenario.estimates import marked, to_estimate
from splitwise_plan.scenario.layers import merge
from splitwise_plan.scenario.lookup import Lookup
from splitwise_plan.scenario.prices import tariff_of
from splitwise_plan.scenario.scenario import DEFAULT_TRIALS, SEED_BUDGET, Scenario
from splitwise_plan.scenario.schema import ScenarioFile
from splitwise_plan.scenario.spaces import family_spaces, instances_of
from splitwise_plan.scenario.spare import Spare

DEFAULT_RATE_RPS = 70.0
DEFAULT_WORKLOAD = "coding"


@dataclass(frozen=True, slots=True)
class _Named:
    """What a scenario names by id or path."""

    llm: LLM
    assumptions: Assumptions
    slos: SLOSet
    reference: Machine
    lengths: Workload | Requests
    trace_path: Path | None
    notes: tuple[str, ...]
    spaces: tuple[FamilySpace, ...]
    tariff: Tariff
    spare: Spare | None


def load_scenario(
    catalog: Catalog,
    path: Path | TomlFile | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Scenario:
    """Load a scenario: a file, flags over it (keys as in the file; None is not given), or neither.

    Without a file it is the paper's question: coding, BLOOM-176B, 70 requests/s for 2 minutes, all
    families, least cost. Raises `InputError` with everything that is wrong.
    """
    file = FactFiles(()).read_toml(path) if isinstance(path, Path) else path
    layers = merge(file, overrides or {})
    lookup = Lookup(layers)
    try:
        content = validate(ScenarioFile, layers.data, layers.place)
    except InputError as error:
        lookup.problems += error.problems
        sound = sound_part(ScenarioFile, layers.data)
        if sound is not None:
            _named(lookup, sound, _own_catalog(lookup, sound, catalog))
        raise InputError(sorted_problems(lookup.problems)) from None
    own = _own_catalog(lookup, content, catalog)
    lookup.problems += arrival_problems(content, layers)
    lookup.problems += objective_problems(content, layers)
    lookup.problems += spare_problems(content, layers)
    named = _named(lookup, content, own)
    if named is None or lookup.problems:
        raise InputError(sorted_problems(lookup.problems))
    return _scenario(lookup, content, own, named)


def _own_catalog(lookup: Lookup, content: ScenarioFile, base: Catalog) -> Catalog:
    """A catalog for one scenario, so that its sources are those of that scenario."""
    folders = [lookup.layers.folder_of("hardware") / folder for folder in content.hardware]
    own = lookup.get(("hardware",), lambda: base.below(tuple(folders)))
    return own or base.below(())


def _named(lookup: Lookup, content: ScenarioFile, catalog: Catalog) -> _Named | None:
    """Look up everything a scenario names; None if something of it does not exist."""
    trace_path: Path | None = None
    lengths: Workload | Requests | None
    notes: tuple[str, ...] = ()
    if content.trace:
        trace_path = (lookup.layers.folder_of("trace") / content.trace).absolute()
        read = lookup.get(("trace",), partial(catalog.trace, trace_path))
        lengths = _windowed(lookup, content, read.requests) if read else None
        notes = read.trace.account.told if read else ()
    else:
        workload = partial(catalog.workload, content.workload or DEFAULT_WORKLOAD)
        lengths = lookup.get(("workload",), workload)
    llm = lookup.get(("llm",), partial(catalog.llm, content.llm))
    assumptions = lookup.get(("assumptions",), partial(catalog.assumptions, content.assumptions))
    if assumptions is not None and content.kv_transfer is not None:
        assumptions = replace(assumptions, kv_transfer=content.kv_transfer)
    slos = _slos(lookup, "slo", content.slo, catalog)
    spare = _spare(lookup, content, catalog, slos)
    tariff = tariff_of(lookup, content, catalog)
    spaces = family_spaces(lookup, content, catalog.priced(tariff))
    if slos is None:
        return None
    reference = lookup.get(("slo",), partial(catalog.machine, slos.reference_machine))
    if llm is None or assumptions is None or reference is None or lengths is None:
        return None
    return _Named(
        *(llm, assumptions, slos, reference, lengths, trace_path, notes, spaces, tariff), spare
    )


def _slos(lookup: Lookup, key: str, slo: str, catalog: Catalog) -> SLOSet | None:
    """SLOs by id, or in a file of the user's."""
    if slo.endswith(".toml"):
        slo = str((lookup.layers.folder_of(key) / slo).absolute())
    return lookup.get((key,), partial(catalog.slos, slo))


def _spare(
    lookup: Lookup, content: ScenarioFile, catalog: Catalog, slos: SLOSet | None
) -> Spare | None:
    """Machines that may be gone, and what must hold then."""
    if not content.spare:
        return None
    degraded = None
    if content.degraded_slo is not None:
        degraded = _slos(lookup, "degraded_slo", content.degraded_slo, catalog)
    if degraded and slos and degraded.reference_machine != slos.reference_machine:
        what = f"its slowdowns are relative to {degraded.reference_machine}, not to"
        lookup.add(
            ("degraded_slo",),
            f"{what} {slos.reference_machine} as those of slo",
            "give both the same reference_machine",
        )
    return Spare(content.spare, content.spare_of or "any", degraded)


def _windowed(lookup: Lookup, content: ScenarioFile, trace: Requests) -> Requests:
    """What is asked about of a trace."""
    window = content.trace_window
    if window is None:
        return trace
    span_s = float(trace.arrival_s[-1] - trace.arrival_s[0])
    if window.length_s > span_s:
        what = f"a window of {window.length_s:g} s is longer than the trace, {span_s:g} s"
        lookup.add(("trace_window",), what, "drop it, or make it shorter")
    return in_window(trace, window)


def _scenario(lookup: Lookup, content: ScenarioFile, catalog: Catalog, named: _Named) -> Scenario:
    """Check how the facts go together, and put the scenario together."""
    layers, degree = lookup.layers, max(content.tensor_parallel)
    instances = instances_of(named.spaces)
    lookup.problems += instance_problems(instances, named.llm, layers)
    raise_if_any(lookup.problems)
    roofline = catalog.roofline() if content.missing_profiles == "estimate" else None
    needed, estimated = to_estimate(
        lookup, catalog, (*instances, (named.reference, degree)), named.llm, roofline
    )
    profiles = _profiles(lookup, catalog, needed, named.llm)
    lookup.problems += length_problems(
        named.lengths, instances, named.llm, named.assumptions, layers
    )
    priced = catalog.priced(named.tariff)
    paper = named.assumptions.power_accounting == "paper"
    power = lookup.get(
        ("power_budget",), partial(budget, "power", content.power_budget, priced, paper=paper)
    )
    cost = lookup.get(
        ("cost_budget",), partial(budget, "cost", content.cost_budget, priced, paper=paper)
    )
    workload = named.lengths if isinstance(named.lengths, Workload) else None
    trace = named.lengths if isinstance(named.lengths, Requests) else None
    if trace is not None and replays(content):
        arrivals, trace = _replayed(lookup, content, trace)
    else:
        arrivals = _drawn(content)
    lookup.problems += failure_problems(content, arrivals, trace, layers)
    raise_if_any(lookup.problems)
    scenario = Scenario(
        workload=workload,
        trace=trace,
        arrivals=arrivals,
        llm=named.llm,
        tensor_parallel=degree,
        slos=named.slos,
        assumptions=named.assumptions,
        scheduler=content.scheduler.options(),
        profiles=profiles,
        reference_machine=named.reference,
        spaces=marked(named.spaces, estimated),
        minimize=content.minimize or "cost",
        seed=content.seed,
        seeds=content.seeds,
        sources=catalog.sources,
        maximize=content.maximize,
        power_budget=power,
        cost_budget_usd_per_hour=cost,
        max_seeds=content.max_seeds or SEED_BUDGET * content.seeds,
        rate_step_rps=content.rate_step.si if content.rate_step else 1.0,
        method=content.method,
        trials=content.trials or DEFAULT_TRIALS,
        asked_horizon=content.horizon,
        warm_up_s=content.warm_up.si if content.warm_up else 0.0,
        tariff=named.tariff,
        spare=named.spare,
        failures=content.failures.failures() if content.failures else None,
        roofline=roofline,
        estimated=estimated,
        notes=named.notes,
        own_kv_transfer=content.kv_transfer is not None,
    )
    raise_if_any([*percentile_problems(scenario, layers)])
    found = (named.trace_path, catalog.folders)
    return replace(
        scenario,
        resolved_toml=resolved_toml(scenario, *found),
        portable_toml=resolved_toml(scenario, *found, told=name_alone),
    )


def _drawn(content: ScenarioFile) -> Arrivals:
    """The arrival process of a rate; without one it is the default, or what a search maximizes."""
    rate = content.rate.si if content.rate else None
    if rate is None and content.maximize is None:
        rate = rate_rps_of(content) or DEFAULT_RATE_RPS
    window_s = content.trace_window.length_s if content.trace_window else None
    return replace(arrivals_of(content, rate), window_s=window_s)


def _replayed(lookup: Lookup, content: ScenarioFile, trace: Requests) -> tuple[Arrivals, Requests]:
    """The trace's own arrivals, sped up; cut at the duration if one is given that is shorter."""
    speed = content.trace_speed.si if content.trace_speed else 1.0
    window_s = content.trace_window.length_s if content.trace_window else None
    trace = sped_up(trace, speed)
    last = float(trace.arrival_s[-1]) if window_s is None else window_s / speed
    replayed = Arrivals("trace", None, last or 1.0, speed=speed, window_s=window_s)
    duration = content.duration.si if content.duration else None
    end = last if duration is None else min(last, duration)
    if content.warm_up and content.warm_up.si > end - trace.arrival_s[0]:
        what = f"warm_up {content.warm_up.si:g} s leaves no request of the trace"
        lookup.add(("warm_up",), what, f"its arrivals span {end - trace.arrival_s[0]:g} s")
    if duration is None or duration > last:
        return replayed, trace
    kept = trace.arrival_s < duration
    if not kept.any():
        what = f"no request of the trace arrives within {duration:g} s"
        lookup.add(("duration",), what, f"the first arrives at {trace.arrival_s[0]:g} s")
    cut = Requests(trace.arrival_s[kept], trace.prompt_tokens[kept], trace.output_tokens[kept])
    return replace(replayed, duration_s=duration, cut=True), cut


def _profiles(
    lookup: Lookup, catalog: Catalog, instances: Sequence[tuple[Machine, int]], llm: LLM
) -> dict[tuple[str, int], Profile]:
    """The profiles of machine types at a tensor parallelism."""
    profiles: dict[tuple[str, int], Profile] = {}
    for name, degree in dict.fromkeys((machine.profile, n) for machine, n in instances):
        known = f"{name}__{llm.id}" in catalog.list("profiles")
        key = "tensor_parallel" if known else "llm"
        profile = lookup.get((key,), partial(catalog.profile, name, llm.id, degree))
        if profile is not None:
            profiles[name, degree] = profile
    return profiles
