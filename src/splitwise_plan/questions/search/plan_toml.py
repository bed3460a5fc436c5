"""A plan as a file: what was asked, what was chosen, and everything that it rests on."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from splitwise_plan.facts.toml_text import quantity, string, table
from splitwise_plan.paths import real
from splitwise_plan.planner.outcome import Details, SearchResult
from splitwise_plan.report import wording
from splitwise_plan.report.proof import proof
from splitwise_plan.scenario.plan.kept_files import KeptFile, files_of, packed, relative
from splitwise_plan.scenario.plan.reader import scenario_sha256
from splitwise_plan.scenario.plan.schema import SCHEMA, TolerancesTable
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.versions import versions

MOST_TEXT_BYTES = 8192
"""Larger files are packed: nobody reads them, and they would hide the rest."""


def plan_toml(scenario: Scenario, result: SearchResult, path: Path) -> str:
    """The best design of a search as a plan at `path`. Raises `InputError` if facts changed."""
    if result.best is None or result.best.best is None:
        raise ValueError("there is no design to plan with")
    folder = real(path).parent
    asked = _with_relative_paths(tomllib.loads(scenario.resolved_toml), folder)
    parts = (
        _head(scenario, result.best.best),
        _design(result.best.best),
        _tolerances(scenario),
        table(("scenario",), asked),
        _result(scenario, result, result.best.best),
        table(("made",), {**versions(), "scenario_sha256": scenario_sha256(asked)}),
        _facts(files_of(scenario, folder)),
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _head(scenario: Scenario, best: Details) -> Iterator[str]:
    design = wording.design_line(scenario, best.evaluation.design)
    for told in (wording.question(scenario, objective=True), design):
        yield f"# {' '.join(filter(str.isprintable, told.split()))}"
    yield "# `splitwise-plan check` tells whether this still holds."
    yield ""
    yield f"schema = {string(SCHEMA)}"


def _design(best: Details) -> Iterator[str]:
    design = best.evaluation.design
    family = design.family
    yield from table(
        ("design",),
        {
            "family": family.id,
            "prompt_machine": family.prompt_machine.id,
            "token_machine": family.token_machine.id if family.token_machine else None,
            "prompt_machines": design.prompt_machines,
            "token_machines": design.token_machines,
            "tensor_parallel": family.tensor_parallel,
        },
    )


def _tolerances(scenario: Scenario) -> Iterator[str]:
    least = TolerancesTable()
    yield "# How far the facts may move before the plan no longer holds: yours to change."
    yield "[tolerances]"
    of = {"cost": "cost", "power": "provisioned power", "machines": "machines"}[scenario.minimize]
    yield f"# Fails where another design that meets the SLOs saves more than this of the {of}."
    yield f"savings = {quantity(least.savings.value, least.savings.unit)}"
    yield "# Fails where the value measured leaves less than this of a limit."
    yield f"margin = {quantity(least.margin.value, least.margin.unit)}"
    yield '# What it counts as that the seeds do not decide: "undecided" (exit code 4), "fails" (3)'
    yield '# or "holds" (0).'
    yield f"undecided = {string(least.undecided)}"


def _with_relative_paths(asked: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A resolved scenario whose files are found from the plan's folder."""
    found = dict(asked)
    if "trace" in found:
        found["trace"] = relative(Path(found["trace"]), folder)
    for key in ("slo", "degraded_slo"):
        if found.get(key, "").endswith(".toml"):
            found[key] = relative(Path(found[key]), folder)
    if "hardware" in found:
        found["hardware"] = [relative(Path(one), folder) for one in found["hardware"]]
    return found


def _result(scenario: Scenario, result: SearchResult, best: Details) -> Iterator[str]:
    evaluation, design = best.evaluation, best.evaluation.design
    certificates = [family.certificate for family in result.families]
    yield "# What the plan was accepted with."
    yield from table(
        ("result",),
        {
            "verdict": evaluation.verdict,
            "replications": len(evaluation.replications),
            "machines": design.machines,
            "cost_usd_per_hour": design.cost_usd_per_hour,
            "provisioned_power_w": design.provisioned_power_w,
            "certificate": {
                "words": list(proof(scenario, result)),
                "space": sum(one.space for one in certificates),
                "better_simulated": sum(one.better_simulated for one in certificates),
                "better_excluded": sum(sum(c.better_excluded.values()) for c in certificates),
                "better_undecided": sum(one.better_undecided for one in certificates),
                "exact": all(one.exact for one in certificates),
                "seeds": max(one.seeds for one in certificates),
            },
        },
    )
    for estimate in evaluation.estimates:
        target = estimate.target
        yield "\n[[result.targets]]"
        yield f"metric = {string(target.metric)}"
        yield f"percentile = {target.percentile!r}"
        yield f"unit = {string(target.unit)}"
        yield f"limit = {target.limit!r}"
        for name in ("mean", "low", "high"):
            yield f"{'value' if name == 'mean' else name} = {getattr(estimate, name)!r}"
        yield f"margin = {wording.margin(estimate)!r}"
        if estimate.attained is not None:
            yield f"attained = {estimate.attained.mean!r}"


def _facts(files: list[KeptFile]) -> Iterator[str]:
    yield "# Every file that the answer rests on, as it was read."
    for number, one in enumerate(files):
        yield ("\n" if number else "") + "[[facts]]"
        yield f"path = {string(one.path)}"
        if one.ours:
            yield "ours = true"
        yield f"sha256 = {string(one.sha256)}"
        text = _literal(one.data)
        yield f"packed = '''\n{packed(one.data)}'''" if text is None else f"text = '''\n{text}'''"


def _literal(data: bytes) -> str | None:
    """The text of a file, if a multi-line literal string can hold every byte of it."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    unfit = (
        "'''" in text
        or text.endswith("'")
        or not text.replace("\n", "").replace("\t", "").isprintable()
    )
    return None if unfit or len(data) > MOST_TEXT_BYTES else text
