"""Where a result comes from: all that is needed to get it again."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from splitwise_plan import __version__
from splitwise_plan.facts.scenario import FactSource, Scenario
from splitwise_plan.report.numbers import count


def provenance(scenario: Scenario) -> dict[str, Any]:
    """Versions, seeds, the scenario and every file that was read; no times, no names of hosts."""
    return {
        **software(),
        "seed": scenario.seed,
        "seeds": scenario.seeds,
        "max_seeds": scenario.max_seeds,
        "assumptions": scenario.assumptions.id,
        "scenario_sha256": scenario_sha256(scenario),
        "sources": listed(scenario.sources),
    }


def software() -> dict[str, str]:
    """Versions of what computes the numbers."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def listed(sources: Iterable[FactSource]) -> list[dict[str, str]]:
    """Files that were read."""
    return [{"path": one.path, "sha256": one.sha256} for one in sources]


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
    lines = [
        f"Made by splitwise-plan {__version__} from `scenario.toml` "
        f"(sha256 without folders `{scenario_sha256(scenario)}`){seeds}. Files read:",
        "",
        *read_files(scenario.sources),
    ]
    return "\n".join(lines) + "\n"


def read_files(sources: Iterable[FactSource]) -> list[str]:
    """A line a file, as Markdown."""
    return [f"- `{source.path}` sha256 `{source.sha256}`" for source in sources]
