"""What some small runs came to, in a table: printed as a script, compared by the tests.

    python tests/kernel_goldens.py > tests/kernel_goldens.csv

The kernel that made it reproduces SplitwiseSim's runs and equals the slow simulator. `tied` runs
are random cases whose arrivals, lengths and transfers fall on the same moments, so that it counts
who goes first.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from cases import Case, kernel_state, random_case
from worlds import RULE_SETS, World, real_worlds

from splitwise_plan.sim.kernel import state as k

TABLE = Path(__file__).with_suffix(".csv")
SEEDS = (*range(700, 712), 738, 741)
TIED = range(720, 728)
COLUMNS = (
    *("run", "stop", "finished", "iterations", "boundaries", "pool_moves", "mixed_requests"),
    *("prompt_starts_s", "first_tokens_s", "second_tokens_s", "last_tokens_s", "transfers_s"),
    *("order", "peak_bytes", "busy_s", "energy_j"),
)


def tied(case: Case) -> Case:
    """Arrivals on whole half seconds, two lengths of prompt, machines that are all alike."""
    requests = [
        (0.5 * int(arrival), 200 + 800 * (prompt % 2), 1 + output % 6)
        for arrival, prompt, output in case.requests
    ]
    token = [case.prompt[0]] * len(case.token)
    return replace(case, requests=requests, token=token)


def worlds() -> list[World]:
    """The runs of the table."""
    return [*_random(), *real_worlds()[2:6]]


def _random() -> Iterator[World]:
    for rules, flags in RULE_SETS.items():
        for seed in SEEDS:
            yield World(f"{rules}-{seed}", partial(_state, seed, flags, False))
        for seed in TIED:
            yield World(f"{rules}-tied-{seed}", partial(_state, seed, flags, True))


def _state(seed: int, flags: dict[str, float], is_tied: bool) -> k.State:
    case = random_case(seed)
    return kernel_state(tied(case) if is_tied else case, **flags)


def row(world: World) -> tuple[str | int | float, ...]:
    """Sums over all requests and instances. `order`: by whom requests were taken, weighted."""
    run = world.play()
    r, instances = run.requests, run.instances
    times = ("prompt_start_s", "first_token_s", "second_token_s", "last_token_s", "kv_transfer_s")
    weights = np.arange(1, len(r) + 1)
    ends = 7 * r.prompt_instance + r.token_instance
    return (
        *(str(world), run.stop, int(run.state.counters[k.FINISHED])),
        *(int(instances.iterations.sum()), int(instances.boundaries.sum())),
        int(run.state.counters[k.POOL_MOVES]),
        int(run.state.counters[k.MIXED_REQUESTS]),
        *(_sum(r[name]) for name in times),
        int(np.sum(weights * ends)),
        *(float(instances.peak_bytes.sum()), _sum(run.busy_s), _sum(instances.energy_j)),
    )


def _sum(values: np.ndarray) -> float:
    """Weighted by place, so that two which change places change it."""
    finite = np.isfinite(values)
    return round(float(np.sum((values * (1.0 + 1e-3 * np.arange(len(values))))[finite])), 6)


def table(rows: list[tuple[str | int | float, ...]]) -> str:
    """As CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *rows])
    return stream.getvalue()


def played_rows() -> list[tuple[str | int | float, ...]]:
    return [row(world) for world in worlds()]


if __name__ == "__main__":
    print(table(played_rows()), end="")
