"""A scenario with its loads as TOML text, every choice spelled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from splitwise_plan.facts.files import name_alone
from splitwise_plan.facts.toml_text import string, table
from splitwise_plan.facts.toml_text import value as toml_value
from splitwise_plan.scenario.loads.growth import Growth


def resolved_toml(  # noqa: PLR0913
    base: str,
    *,
    folder: Path | None,
    tables: Sequence[Mapping[str, Any]],
    choose: str,
    growth: Growth | None,
    step: float,
    amplitude: float | None,
) -> str:
    """The scenario as a file with its loads; `folder`: of relative paths, None: names alone."""
    lines = [f"choose = {string(choose)}", base.rstrip("\n")]
    if growth is not None:
        told = {"rate": growth.text, "from": growth.start.isoformat()}
        step_of = {"value": step, "unit": "rps"}
        lines += ["", *table(("growth",), {**told, "rate_step": step_of})]
    if amplitude is not None:
        lines += ["", *table(("day",), {"amplitude": amplitude})]
    for one in tables:
        lines += ["", "[[loads]]"]
        for key, value in one.items():
            shown = value
            if key == "trace":
                place = Path(str(value))
                shown = name_alone(place) if folder is None else str((folder / place).resolve())
            lines.append(f"{key} = {toml_value(shown)}")
    return "\n".join(lines) + "\n"
