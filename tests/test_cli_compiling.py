"""A command that has to compile the kernel says so, and compiles the one its runs take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import run

from splitwise_plan.sim import simulator, warmup
from splitwise_plan.sim.kernel.loop import run as plain
from splitwise_plan.sim.kernel.loop import run_with_outages

TOLD = "compiling the simulator (once, about 15 s)\n"
RANGES = ("--prompt-machines", "1:3", "--token-machines", "1:2")
COMMANDS = {
    "simulate": ("--prompt-machines", "2", "--token-machines", "1"),
    "search": RANGES,
    "pareto": (*RANGES, "--rate-step", "2"),
    "sweep map": RANGES,
    "sweep load": ("--designs", "2+1", "--rates", "2"),
    "robust": (*RANGES, "--loads", "x1,x1.5"),
    "day": RANGES,
    "sensitivity": RANGES,
}
FAILURES = {
    "none": ("", False),
    "slow": ("[failures]\nstraggler = { pool = 'prompt', machine = 1, factor = 1.1 }", False),
    "rare": ("[failures]\nmtbf = 2_000_000\nmttr = 60", True),
}
"""By name: a table of a scenario, and whether machines go down. `rare`: most runs see none."""


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> tuple[list[bool], set[bool]]:
    """What an empty cache makes a command compile, and what it runs: whether with outages."""
    compiled: list[bool] = []
    ran: set[bool] = set()

    def watched(kernel: Callable[[Any], Any], outages: bool) -> Callable[[Any], Any]:
        def call(state: Any) -> Any:
            ran.add(outages)
            return kernel(state)

        return call

    monkeypatch.setattr(warmup, "is_cold", lambda **_: True)
    monkeypatch.setattr(warmup, "compile_kernel", lambda *, outages: compiled.append(outages))
    monkeypatch.setattr(simulator, "run", watched(plain, False))
    monkeypatch.setattr(simulator, "run_with_outages", watched(run_with_outages, True))
    return compiled, ran


@pytest.mark.parametrize(
    ("name", "failures"),
    [*((name, "rare") for name in COMMANDS), ("simulate", "none"), ("simulate", "slow")],
)
def test_what_runs_is_compiled_and_told_before(
    name: str, failures: str, tmp_path: Path, kernels: tuple[list[bool], set[bool]]
) -> None:
    table, outages = FAILURES[failures]
    path = tmp_path / "scenario.toml"
    load = "rate = 2\nduration = 75\nhorizon = 'window'\nseeds = 1\n"
    path.write_text(f"{load}families = ['splitwise-hh']\n{table}\n")
    result = run(*name.split(), str(path), *COMMANDS[name])
    compiled, ran = kernels
    assert result.stderr == TOLD
    assert compiled == [outages]
    assert ran == {outages}
