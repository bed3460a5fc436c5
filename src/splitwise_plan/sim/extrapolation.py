"""How much of a run went beyond what its profiles measured, where times are extrapolated.

From the records, after the run:

    prompt tokens   iterations whose prompts together have more tokens than were measured
    sequences       of the time with token phases, that in which more were active (`sim.occupancy`)
    context         requests whose context grows longer than was measured

Token phases that ride along in a prompt iteration are not added to its tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.design import Design
from splitwise_plan.facts.profile import Profile
from splitwise_plan.models.performance import phase_times
from splitwise_plan.sim.occupancy import Occupancy, occupancy, pool_slices
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

Quantity = Literal["prompt_tokens", "sequences", "context_tokens"]


@dataclass(frozen=True, slots=True)
class Extrapolation:
    """In one pool: the `share` (0..1, above 0) that was beyond `measured`, the largest measured."""

    pool: str
    machine: str
    quantity: Quantity
    measured: int
    share: float


def beyond_profile(simulator: Simulator, design: Design, run: Run) -> tuple[Extrapolation, ...]:
    """Everything that was extrapolated upwards; empty where nothing was."""
    most = simulator.scenario.scheduler.max_batch_size
    filled: list[Occupancy] = []
    found: list[Extrapolation] = []
    for number, (name, machine, instances) in enumerate(pool_slices(design)):
        profile = simulator.scenario.profile(machine, design.family.tensor_parallel)
        shares = [
            *_prompts(simulator, run, profile, instances),
            *_contexts(simulator, run, profile, instances),
        ]
        measured = phase_times(profile, simulator.scenario.assumptions).token_x[-1]
        if measured < most:  # a batch can have more
            filled = filled or occupancy(simulator, design, run)
            shares += _sequences(filled[number], int(measured))
        found += [Extrapolation(name, machine.id, *one) for one in shares if one[-1] > 0.0]
    return tuple(found)


Share = tuple[Quantity, int, float]


def _prompts(simulator: Simulator, run: Run, profile: Profile, here: slice) -> Iterator[Share]:
    most = profile.prompt_time.x[-1]
    records = run.requests
    some = _in(records.prompt_instance, here) & np.isfinite(records.prompt_start_s)
    instance, start_s = records.prompt_instance[some], records.prompt_start_s[some]
    order = np.lexsort((start_s, instance))
    another = (np.diff(instance[order]) != 0) | (np.diff(start_s[order]) != 0)
    iteration = np.concatenate([[0], np.cumsum(another)])
    if some.any():
        tokens = np.bincount(iteration, weights=simulator.requests.prompt_tokens[some][order])
        yield "prompt_tokens", int(most), float(np.mean(tokens > most))


def _sequences(pool: Occupancy, most: int) -> Iterator[Share]:
    some = pool.active > 0
    if some.any():
        yield (
            "sequences",
            most,
            float(pool.share[pool.active > most].sum() / pool.share[some].sum()),
        )


def _contexts(simulator: Simulator, run: Run, profile: Profile, here: slice) -> Iterator[Share]:
    if simulator.scenario.assumptions.token_time == "batch_tokens_curve":
        return
    most = profile.token_time_by_context.x[-1]
    requests = simulator.requests
    some = _in(run.requests.token_instance, here) & (requests.output_tokens > 1)
    if some.any():
        longest = requests.prompt_tokens[some] + requests.output_tokens[some]
        yield "context_tokens", int(most), float(np.mean(longest > most))


def _in(instances: NDArray[np.int64], here: slice) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (instances >= here.start) & (instances < here.stop)
    return inside
