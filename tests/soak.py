"""Random scenarios through the whole of the evaluator, one after the other, for as long as wanted.

    python tests/soak.py                           ten thousand of them
    python tests/soak.py --first 1234 --most 1     that one again
    python tests/soak.py --whole --most 20         runs in the steady state as long as they are

Those about the steady state have runs as short as windows unless `--whole`. Of each: one design
judged and reported, its runs held to the laws of `test_kernel_laws` or, where machines fail, of
`test_outage_laws`, and to those below. Prints a table of what there was. The exit code is 1 if a
law was broken, something crashed, or memory grew.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import test_kernel_laws
import test_outage_laws
from scenes import Scene, state_of
from soak_scenarios import draw
from worlds import Played

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.models.memory import instance_memory_bytes
from splitwise_plan.planner import run_lengths
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exclusion import Bounds
from splitwise_plan.planner.outcome import Details, Evaluation
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.records import Stop
from splitwise_plan.sim.simulator import Simulator, run_kernel

SEED = 20_26
HANG_S = 300.0
"""A scenario that takes longer, when most take some milliseconds, does not end."""
MIB = 1024.0 * 1024.0
MOST_GROWTH_MIB = 16.0
MOST_REQUESTS = 50_000
"""Laws are not checked on longer runs, request by request: that takes minutes."""
ROUNDING = 1e-9

Law = Callable[[Played], None]
Seen = Counter[str]


class Heard(NamedTuple):
    """A run and the simulator of its requests."""

    simulator: Simulator
    run: Played

    @property
    def some_finish_meanwhile(self) -> bool:
        """Whether a request finished in the measured window."""
        from_s, until_s = self.simulator.measured
        ends_s = self.run.requests.last_token_s
        return bool(np.any((ends_s >= from_s) & (ends_s <= until_s)))


def lengths_of_runs(*, whole: bool) -> AbstractContextManager[object]:
    """In which runs in the steady state are as short as windows, or `whole`."""
    if whole:
        return nullcontext()
    return patch.multiple(run_lengths, UNIT_S=0.5, UNIT_REQUESTS=20, UNIT_CYCLES=0.02)


def endure(catalog: Catalog, number: int, folder: Path, *, whole: bool = False) -> Seen:
    """Scenario `number`: what there was of it. Raises where anything is not as it should be."""
    with lengths_of_runs(whole=whole):
        return _endure(catalog, number, folder, whole=whole)


def _endure(catalog: Catalog, number: int, folder: Path, *, whole: bool) -> Seen:
    drawn = draw(np.random.default_rng((SEED, number)), folder)
    scenario = load_scenario(catalog, None, drawn.keys)
    design = Design(scenario.spaces[0].family, drawn.prompt_machines, drawn.token_machines)
    evaluator = Evaluator(scenario)
    simulators = _simulators(evaluator)
    judged, details = evaluator.judge(design), evaluator.detail(design, len(simulators))
    heard = [Heard(simulator, _played(simulator, design)) for simulator in simulators]
    for run in (one.run for one in heard if 0 < len(one.run.requests) <= MOST_REQUESTS):
        for law in laws_of(run):
            law(run)
    _counts_add_up(details, heard)
    _figures_make_sense(evaluator, details, all(one.some_finish_meanwhile for one in heard))
    excluded = Bounds(scenario.spaces[0], evaluator).excluded_by(design)
    if scenario.horizon == "window":
        _verdicts_agree(judged, details)
    if scenario.horizon == "window" or whole:  # a bound is about runs long enough
        assert excluded is None or judged.verdict != "meets", excluded
    return _seen(evaluator, judged, [one.run for one in heard], excluded)


def _simulators(evaluator: Evaluator) -> list[Simulator]:
    """Of the windows of the first look, or of the first run in the steady state."""
    if evaluator.scenario.horizon == "steady":
        return [evaluator.first_simulator()]
    return evaluator.simulators(evaluator.looks[0])


def _played(simulator: Simulator, design: Design) -> Played:
    """A run again, with all that the kernel leaves behind."""
    state = state_of(Scene(simulator, design))
    stop, end_s = run_kernel(state)
    return Played(state, stop, end_s)


def laws_of(run: Played) -> list[Law]:
    """The laws that hold for a run."""
    if len(run.state.changes) == 0 and run.stop != Stop.OVERLOAD:
        return [*test_kernel_laws.LAWS, iterations_are_bounded]
    laws: list[Law] = [*test_outage_laws.LAWS, iterations_are_bounded]
    if run.state.rules[0].checkpoint_tokens == 0:
        laws.append(test_kernel_laws.law_4_causes_come_before_effects)
    return laws


def iterations_are_bounded(run: Played) -> None:
    """Each gave a token to somebody, or was lost when a machine went down."""
    state = run.state
    tokens = state.requests.output_tokens.sum() + state.counters[k.LOST_OUTPUT_TOKENS]
    assert run.instances.iterations.sum() <= tokens + len(state.changes)


def _counts_add_up(details: Details, heard: Sequence[Heard]) -> None:
    counts = details.requests
    assert counts.arrived == counts.finished + counts.unfinished
    assert counts.arrived == sum(int(one.simulator.counted.sum()) for one in heard)
    counted = [one.run.requests.last_token_s[one.simulator.counted] for one in heard]
    assert counts.finished == sum(int(np.isfinite(ends_s).sum()) for ends_s in counted)
    for _, run in heard:
        assert run.state.counters[k.FINISHED] == np.isfinite(run.requests.last_token_s).sum()


def _figures_make_sense(evaluator: Evaluator, details: Details, some_in_each: bool) -> None:
    """Shares are shares, percentiles rise, memory holds what is in it.

    `some_in_each`: whether every run finished a request in the measured window.
    """
    scenario, family = evaluator.scenario, details.evaluation.design.family
    for pool, machine in zip(details.pools, family.machines, strict=True):
        shares = (0.0, pool.prompt_share, pool.utilisation, pool.availability, 1.0)
        assert all(a <= b + ROUNDING for a, b in pairwise(shares)), shares
        assert pool.peak_memory_bytes <= instance_memory_bytes(machine, family.tensor_parallel)
        assert pool.peak_memory_bytes >= scenario.llm.weights_bytes
        assert 0.0 <= pool.average_power_w < np.inf
    for summary in (*details.latency_s.values(), *details.slowdown.values()):
        rising = (0.0, summary.p50, summary.p90, summary.p99)
        assert np.isnan(summary.p50) or all(a <= b for a, b in pairwise(rising)), rising
    if some_in_each:
        assert 0.0 < details.energy.wh_per_request < np.inf


def _verdicts_agree(judged: Evaluation, details: Details) -> None:
    """Stopped early or not a run meets or does not."""
    if len(details.evaluation.replications) == 1 and len(judged.replications) == 1:
        same = [one.verdict == "meets" for one in (judged, details.evaluation)]
        assert same[0] == same[1], (judged.verdict, details.evaluation.verdict)


def _seen(
    evaluator: Evaluator, judged: Evaluation, runs: list[Played], excluded: str | None
) -> Seen:
    scenario = evaluator.scenario
    seen: Seen = Counter(
        {
            "scenarios": 1,
            f"assumptions {scenario.assumptions.id}": 1,
            f"arrivals {scenario.arrivals.process}": 1,
            f"horizon {scenario.horizon}": 1,
            "scenarios with failures": scenario.failures is not None,
            f"verdict {judged.verdict}": 1,
            "excluded by a bound": excluded is not None,
            "runs": 2 * len(runs) + judged.simulations,
        }
    )
    for run in runs:
        seen[f"ended {Stop(run.stop).name.lower()}"] += 1
        seen["requests"] += len(run.requests)
        seen["output tokens"] += int(run.requests.output_tokens.sum())
        seen["iterations"] += int(run.instances.iterations.sum())
        seen["restarts after an outage"] += int(run.state.counters[k.RESTARTS])
        seen["laws checked"] += len(laws_of(run))
    return seen


def soak(first: int, most: int, *, whole: bool = False) -> tuple[Seen, list[str], list[float]]:
    """What there was, what went wrong, and the memory in use, in MiB, at each tenth of the way."""
    catalog, seen, wrong, memory = Catalog(), Seen(), [], []
    with tempfile.TemporaryDirectory() as folder:
        for at in range(most):
            faulthandler.dump_traceback_later(HANG_S, exit=True)
            try:
                seen += endure(catalog, first + at, Path(folder), whole=whole)
            except Exception:
                keys = draw(np.random.default_rng((SEED, first + at)), Path(folder))
                wrong.append(f"{first + at}: {json.dumps(keys.keys)}\n{traceback.format_exc()}")
            if (at + 1) % max(1, most // 10) == 0:
                memory.append(resident_mib())
        faulthandler.cancel_dump_traceback_later()
    return seen, wrong, memory


def resident_mib() -> float:
    """Memory of this process that is in use."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / MIB


def main() -> int:
    """Parse the command line, soak, print the table."""
    parser = argparse.ArgumentParser(prog="python tests/soak.py", description=__doc__)
    parser.add_argument("--most", type=int, default=10_000, help="scenarios")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--whole", action="store_true", help="runs as long as they are")
    given = parser.parse_args()
    seen, wrong, memory = soak(given.first, given.most, whole=given.whole)
    print("| what | how many |\n|---|--:|")
    for name in sorted(seen):
        print(f"| {name} | {seen[name]:,} |")
    print(f"| crashes and broken laws | {len(wrong)} |")
    print(f"| MiB in use after a tenth | {memory[0]:.0f} |")
    print(f"| MiB in use at the end | {memory[-1]:.0f} |")
    for one in wrong[:10]:
        print(f"\n{one}", file=sys.stderr)
    return 1 if wrong or memory[-1] - memory[0] > MOST_GROWTH_MIB else 0


if __name__ == "__main__":
    sys.exit(main())
