"""Where a result comes from: all that is needed to get it again."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from splitwise_plan import __version__
from splitwise_plan.facts.scenario import Scenario
from splitwise_plan.report.numbers import count


def provenance(scenario: Scenario) -> dict[str, Any]:
    """Versions, seeds, the scenario and every file that was read; no times, no names of hosts."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "seed": scenario.seed,
        "seeds": scenario.seeds,
        "max_seeds": scenario.max_seeds,
        "assumptions": scenario.assumptions.id,
        "estimated_profiles": [
            f"{name}__{scenario.llm.id}" for name in scenario.estimated_machines
        ],
        "scenario_sha256": scenario_sha256(scenario),
        "sources": [{"path": one.path, "sha256": one.sha256} for one in scenario.sources],
    }


def scenario_sha256(scenario: Scenario) -> str:
    """The sha256 of the resolved scenario, without the folders that the user's files are in."""
    return hashlib.sha256(scenario.portable_toml.encode()).hexdigest()


def slo_name(scenario: Scenario) -> str:
    """The id of the SLOs, or the name of their file."""
    return Path(scenario.slos.id).name


def stamp(scenario: Scenario) -> str:
    """Version, seeds, the scenario and every file that was read, as Markdown."""
    drawn = f", seed {scenario.seed}, {count(scenario.seeds, 'repetition')} or more"
    seeds = "" if scenario.arrivals.process == "trace" else drawn
    names = ", ".join(scenario.estimated_machines)
    estimated = f" Times of {names} are estimated, not measured." if names else ""
    lines = [
        f"Made by splitwise-plan {__version__} from `scenario.toml` "
        f"(sha256 without folders `{scenario_sha256(scenario)}`){seeds}.{estimated} Files read:",
        "",
        *(f"- `{source.path}` sha256 `{source.sha256}`" for source in scenario.sources),
    ]
    return "\n".join(lines) + "\n"
