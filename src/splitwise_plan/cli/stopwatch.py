"""How long the parts of a command took."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splitwise_plan.scenario.scenario import Scenario


@dataclass(slots=True)
class Stopwatch:
    """Seconds by name, each from the end of the lap before."""

    timing: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        """End a lap."""
        now = time.perf_counter()
        self.timing[name] = now - self._last
        self._last = now

    def compile(self, scenario: Scenario | None = None, *, quiet: bool) -> None:
        """Compile the kernel if that was not done yet, having said so: it takes a while.

        `scenario`: what is simulated, where machines may go down in it.
        """
        from splitwise_plan.sim import warmup

        outages = scenario is not None and scenario.has_outages
        if warmup.is_cold(outages=outages) and not quiet:
            message = "compiling the simulator (once, about 15 s)"
            print(message, file=sys.stderr, flush=True)
        warmup.compile_kernel(outages=outages)
        self.lap("compile_s")
