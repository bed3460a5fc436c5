"""The files of a starter: a scenario with everything that it names, each line explained."""

from __future__ import annotations

from pathlib import Path

from splitwise_plan.facts.text import decode, read_bytes

STARTER = Path(__file__).resolve().parent / "starter"


def starter_files() -> dict[str, str]:
    """Texts by path, relative to the folder that they are for."""
    paths = sorted(path for path in STARTER.rglob("*.toml") if path.is_file())
    return {
        path.relative_to(STARTER).as_posix(): decode(read_bytes(path), str(path)) for path in paths
    }
