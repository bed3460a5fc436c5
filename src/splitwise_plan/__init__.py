"""Capacity planning of clusters for LLM inference with split prompt and token phases.

For notebooks and scripts: `search`, `simulate`, `load_scenario` and `load_trace` (see `api`),
loaded when first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["load_scenario", "load_trace", "search", "simulate"]

if TYPE_CHECKING:
    from splitwise_plan.api import load_scenario, load_trace, search, simulate


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("splitwise_plan.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
