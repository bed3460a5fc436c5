"""Small questions for the sampled search, asked here and in processes of their own."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.planner.driver import Jobs
from splitwise_plan.planner.outcome import SearchResult
from splitwise_plan.planner.sampled import search_sampled
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario

FAMILIES = ("baseline-h100", "splitwise-hh", "splitwise-ha", "splitwise-hhcap")
TRIALS = 72


def question(**keys: Any) -> Scenario:
    """Four families of twelve machines a pool."""
    ranges = {"machines": "1:24", "prompt_machines": "1:12", "token_machines": "1:12"}
    asked = {
        "families": list(FAMILIES),
        "rate": 10,
        "duration": 20,
        "horizon": "window",
        "seeds": 2,
        **ranges,
        **keys,
    }
    return load_scenario(Catalog(), None, asked)


def told(result: Any) -> str:
    """A result in every bit but its time."""
    return repr(replace(result, search_s=0.0))


def answer(storage: str | None, jobs: Jobs = 1) -> SearchResult:
    return search_sampled(question(), jobs, TRIALS, storage, study_name="test")


if __name__ == "__main__":
    print(told(answer(sys.argv[1])))
