"""No iteration takes no time, or less: else the clock would stand still, or run backwards."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import BOTH

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.models.performance import phase_times
from splitwise_plan.scenario.scheduler import SchedulerOptions

DEGREES = {"bloom-176b": (8,), "llama2-70b": (2, 4, 8), "llama-3.1-70b": (8,)}
PROFILES = [
    (machine, llm, degree)
    for machine, llm in (name.split("__") for name in Catalog().list("profiles"))
    for degree in DEGREES[llm]
]
LONGEST = 100_000


@pytest.mark.parametrize("assumptions", BOTH)
@pytest.mark.parametrize(("machine", "llm", "tensor_parallel"), PROFILES)
def test_every_batch_takes_time(
    machine: str, llm: str, tensor_parallel: int, assumptions: str
) -> None:
    """Prompts of any length; as many sequences as a batch may hold, with hardly any context."""
    catalog = Catalog()
    profile = catalog.profile(machine, llm, tensor_parallel)
    times = phase_times(profile, catalog.assumptions(assumptions))
    sequences = np.arange(1, SchedulerOptions().max_batch_size + 1)
    assert np.min(times.token_s(sequences, 2 * sequences)) > 0.005
    assert np.min(times.prompt_s(np.arange(1, LONGEST))) > 0.005
