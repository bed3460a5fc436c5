"""Plant faults in the simulator and the search one by one, and see whether a test notices.

    python tools/mutate.py                        every module, 40 mutants each
    python tools/mutate.py batch loop --most 0    two modules, all their mutants

Prints a table; then those that no test noticed and `mutants_explained.toml` does not account for,
of which there should be none: then the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import tomllib
from pathlib import Path

from mutants import Mutant, mutants_of, sample
from mutation_targets import TARGETS, Target
from mutation_trial import outcome, preload

EXPLAINED = Path(__file__).with_name("mutants_explained.toml")
SPARE_S = 10.0


def explanations(module: str) -> dict[str, str]:
    """Why mutants of a module may live, by their name."""
    every = tomllib.loads(EXPLAINED.read_text(encoding="utf-8")).get("mutant", [])
    return {one["name"]: one["because"] for one in every if one["module"] == module}


def _children_s() -> float:
    """Processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def try_module(target: Target, most: int, seed: int) -> tuple[str, list[Mutant]]:
    """A row of the table, and the mutants that live without an explanation."""
    path = Path("src/splitwise_plan", target.module)
    source = path.read_text(encoding="utf-8")
    every = mutants_of(source)
    tests = [test for test in target.tests if Path(test).exists()]
    start_s = _children_s()
    if outcome(Path(target.module), source, tests, 900) != "alive":
        raise SystemExit(f"{target.module}: its tests fail without any fault")
    limit_s = int(2 * (_children_s() - start_s) + SPARE_S)
    known = explanations(target.module)
    tried = sample(every, most or len(every), seed)
    counts = dict.fromkeys(("killed", "hangs", "explained"), 0)
    alive = []
    for mutant in tried:
        found = "explained" if mutant.changes_nothing or mutant.name in known else ""
        found = found or outcome(Path(target.module), mutant.applied_to(source), tests, limit_s)
        if found == "alive":
            alive.append(mutant)
            print(f"alive  {target.module}  {mutant.name}", file=sys.stderr, flush=True)
        else:
            counts[found] += 1
    for name in known.keys() - {mutant.name for mutant in every}:
        print(f"explained but not there: {target.module} {name}", file=sys.stderr)
    cells = (target.module, len(every), len(tried), *counts.values(), len(alive))
    return "| " + " | ".join(map(str, cells)) + " |", alive


def main() -> int:
    """Parse the command line, try the mutants, print the table."""
    parser = argparse.ArgumentParser(prog="python tools/mutate.py", description=__doc__)
    parser.add_argument("modules", nargs="*", help="names of modules, e.g. batch; default: all")
    parser.add_argument("--most", type=int, default=40, help="mutants a module; 0: all of them")
    parser.add_argument("--seed", type=int, default=0, help="which mutants are drawn")
    given = parser.parse_args()
    chosen = [one for one in TARGETS if not given.modules or one.is_named(given.modules)]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        print("| module | mutants | tried | killed | hang | explained | alive |")
        print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
        return _in_processes(chosen, given.most, given.seed)


def _in_processes(chosen: list[Target], most: int, seed: int) -> int:
    """Each module in a process of its own: the kernel is compiled in some, not in others."""
    worst = 0
    for target in chosen:
        child = os.fork()
        if child == 0:
            if not target.compiled:
                os.environ["NUMBA_DISABLE_JIT"] = "1"
            sys.path[:0] = ["src", "tests"]
            preload(kernel=target.compiled)
            row, alive = try_module(target, most, seed)
            print(row, flush=True)
            os._exit(1 if alive else 0)
        _, status = os.waitpid(child, 0)
        worst = max(worst, os.waitstatus_to_exitcode(status))
    return worst


if __name__ == "__main__":
    sys.exit(main())
