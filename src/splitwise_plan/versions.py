"""The versions that an answer may depend on."""

from __future__ import annotations

import platform
from importlib.metadata import version

from splitwise_plan import __version__


def versions() -> dict[str, str]:
    """Ours, Python's, and those of the libraries that draw and compute, by name."""
    return {
        "splitwise_plan": __version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }
