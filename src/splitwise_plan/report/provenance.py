"""Where a result comes from: all that is needed to get it again."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import asdict
from importlib.metadata import version
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
        "estimated_profiles": [f"{name}__{scenario.llm.id}" for name in scenario.estimated],
        "scenario_sha256": scenario_sha256(scenario),
        "sources": [asdict(source) for source in scenario.sources],
    }


def scenario_sha256(scenario: Scenario) -> str:
    """The sha256 of the resolved scenario."""
    return hashlib.sha256(scenario.resolved_toml.encode()).hexdigest()


def stamp(scenario: Scenario) -> str:
    """Version, seeds, the scenario and every file that was read, as Markdown."""
    drawn = f", seed {scenario.seed}, {count(scenario.seeds, 'repetition')} or more"
    seeds = "" if scenario.arrivals.process == "trace" else drawn
    names = ", ".join(scenario.estimated)
    estimated = f" Times of {names} are estimated, not measured." if names else ""
    lines = [
        f"Made by splitwise-plan {__version__} from `scenario.toml` "
        f"(sha256 `{scenario_sha256(scenario)}`){seeds}.{estimated} Files read:",
        "",
        *(f"- `{source.path}` sha256 `{source.sha256}`" for source in scenario.sources),
    ]
    return "\n".join(lines) + "\n"
