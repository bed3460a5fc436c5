"""The kernel's modules once more, as plain Python: `inner` functions can be called from a test."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from types import ModuleType

import numba

import splitwise_plan.sim
import splitwise_plan.sim.kernel

KERNEL = "splitwise_plan.sim.kernel"


@cache
def _modules() -> dict[str, ModuleType]:
    compiled = {name: sys.modules[name] for name in sys.modules if name.startswith(KERNEL)}
    for name in compiled:
        del sys.modules[name]
    config = vars(numba.config)
    before, config["DISABLE_JIT"] = config["DISABLE_JIT"], 1
    try:
        importlib.import_module(f"{KERNEL}.loop")
        return {name: sys.modules.pop(name) for name in list(sys.modules) if KERNEL in name}
    finally:
        config["DISABLE_JIT"] = before
        sys.modules.update(compiled)
        vars(splitwise_plan.sim)["kernel"] = compiled[KERNEL]


def plain(name: str) -> ModuleType:
    """A module of the kernel by its last name, not compiled."""
    return _modules()[f"{KERNEL}.{name}"]
