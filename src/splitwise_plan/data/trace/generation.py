"""A trace that is drawn: arrivals of a process, lengths of a workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from splitwise_plan.errors import InputError, raise_if_any
from splitwise_plan.facts.problems import Place, validate
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.workload import Workload
from splitwise_plan.scenario.arrivals.keys import (
    ArrivalKeys,
    arrival_faults,
    arrivals_of,
    rate_rps_of,
)
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.sampling import draw_requests


def generation(keys: Mapping[str, Any], place: Place) -> Arrivals:
    """The process that keys, as in a scenario, mean. Raises `InputError`."""
    content = validate(ArrivalKeys, keys, place)
    raise_if_any(place(path, what, fix) for path, what, fix in arrival_faults(content))
    rate_rps = rate_rps_of(content)
    if rate_rps is None:
        raise InputError([place(("rate",), "is missing", "give requests per second")])
    return arrivals_of(content, rate_rps)


def generated(arrivals: Arrivals, workload: Workload, seed: int) -> Requests:
    """Draw requests; prompt and output of each are those of one request of the workload."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    return draw_requests(workload.lengths, arrivals, "joint", rng)
