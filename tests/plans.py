"""A small world of a user's own facts, a plan made in it, and ways to edit it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commands import run

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.outcome import Evaluation
from splitwise_plan.planner.space import designs, objective
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario

ROOT = Path(__file__).parents[1]

PRICE = 28
"""USD/h of the user's machine: low enough that four of them cost less than seven DGX-A100."""

FACTS = {
    "dgx-h100.toml": "hardware/machines/fast.toml",
    "dgx-h100__bloom-176b.csv": "hardware/profiles/fast__bloom-176b.csv",
    "dgx-h100__llama2-70b.csv": "hardware/profiles/fast__llama2-70b.csv",
    "infiniband-8x400.toml": "hardware/links/infiniband-8x400.toml",
    "coding.csv": "workloads/lengths/coding.csv",
    "bloom-176b.toml": "workloads/llms/bloom-176b.toml",
}
"""Where copies of our files go among the user's."""

MACHINE = "hardware/machines/fast.toml"
PROFILE = "hardware/profiles/fast__bloom-176b.csv"
LENGTHS = "workloads/lengths/coding.csv"
FAMILIES = "hardware/families.toml"

FAMILY = """
[pair]
name = "Pair"
prompt_machine = "fast"
token_machine = "fast"
prompt_machines = { low = 1, high = 9, unit = "machines", source = "our racks" }
token_machines = { low = 1, high = 9, unit = "machines", source = "our racks" }
"""

SCENARIO = """
workload = "coding"
rate = 4
duration = 40
horizon = "window"
slo = "contract.toml"
hardware = "facts"
families = ["pair", "splitwise-aa"]
prompt_machines = "1:8"
token_machines = "1:2"
"""


@dataclass(frozen=True)
class World:
    """A folder with `facts/`, `contract.toml`, `scenario.toml` and the plan made of them."""

    folder: Path
    flags: dict[str, str] = field(default_factory=dict)
    """Flags of the check by the key of a scenario."""

    @property
    def plan(self) -> Path:
        return self.folder / "plan.toml"

    def fact(self, name: str) -> Path:
        return self.folder / "facts" / name

    def save_plan(self) -> None:
        made = run(
            *("search", str(self.folder / "scenario.toml"), "--jobs", "1"),
            *("--save-plan", str(self.plan)),
        )
        assert made.exit_code == 0, made.output

    def check(self, *words: str) -> tuple[int, dict[str, Any]]:
        """The exit code and the JSON document of a check."""
        flags = [word for key, value in self.flags.items() for word in (f"--{key}", value)]
        found = run("check", str(self.plan), *flags, *words, "--jobs", "1", "--format", "json")
        return found.exit_code, json.loads(found.stdout or "{}")

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace what a regular expression finds in a file of facts, all of it."""
        path = self.fact(name) if not (self.folder / name).exists() else self.folder / name
        text, count = re.subn(old, new, path.read_text(encoding="utf-8"))
        assert count, f"{old} is not in {name}"
        path.write_text(text, encoding="utf-8")

    @property
    def overrides(self) -> dict[str, Any]:
        """The flags as a scenario's keys."""
        kinds: dict[str, Callable[[str], Any]] = {"rate": float, "seed": int}
        return {key: kinds.get(key, str)(value) for key, value in self.flags.items()}

    def today(self, overrides: Mapping[str, Any] | None = None) -> Scenario:
        """The scenario as it is now, by way of the scenario file, not of the plan."""
        asked = {**self.overrides, **(overrides or {})}
        return load_scenario(Catalog(), self.folder / "scenario.toml", asked)


def make_world(folder: Path) -> World:
    """The facts that the tests edit are copies in a folder of the user's."""
    world = World(folder)
    for source, target in FACTS.items():
        [path] = [p for top in ("hardware", "workloads") for p in (ROOT / top).rglob(source)]
        world.fact(target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, world.fact(target))
    world.fact(FAMILIES).write_text(FAMILY, encoding="utf-8")
    world.edit(MACHINE, "value = 38,", f"value = {PRICE},")
    world.edit(MACHINE, 'profile = "dgx-h100"', 'profile = "fast"')
    shutil.copy(ROOT / "workloads/slos/splitwise.toml", folder / "contract.toml")
    (folder / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    return world


def copied(world: World, folder: Path, **flags: str) -> World:
    """The same world elsewhere, to be edited; the plan is found there with all it names."""
    shutil.copytree(world.folder, folder, dirs_exist_ok=True)
    return World(folder, flags)


@dataclass(frozen=True)
class Truth:
    """What going through every design says."""

    planned: Evaluation | None
    """None: the planned design is not in the space."""
    savings: float | None

    @property
    def exit_code(self) -> int:
        if self.planned is None or self.planned.verdict in ("misses", "unstable"):
            return 3
        if self.savings is not None and self.savings > 0.05:
            return 3
        return 4 if self.planned.verdict == "undecided" else 0


def brute_force(scenario: Scenario, planned: Mapping[str, Any]) -> Truth:
    """Judge every design of every family, and compare the best with the planned one."""
    evaluator = Evaluator(scenario)
    all_ = [d for space in scenario.spaces for d in designs(space)]
    judged = {(d.family.id, d.prompt_machines, d.token_machines): evaluator.judge(d) for d in all_}
    meeting = [one for one in judged.values() if one.verdict == "meets"]
    best = min((objective(scenario, one.design) for one in meeting), default=None)
    key = (planned["family"], planned["prompt_machines"], planned["token_machines"])
    own = judged.get(key)
    if own is None or best is None:
        return Truth(own, None)
    return Truth(own, 1.0 - best / objective(scenario, own.design))
