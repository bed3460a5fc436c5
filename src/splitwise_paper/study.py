"""What all items of a reproduction share: the stacks, how much is simulated, and what is known."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from splitwise_paper.quoted import Paper
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.source import FactSource
from splitwise_plan.scenario.load import load_scenario
from splitwise_plan.scenario.scenario import Scenario

Known = TypeVar("Known")

GRID_RPS = 10.0
"""The paper's traces are made at multiples of this rate."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A model of the world that an item is run with: a column of its table.

    `keys`: of a scenario file (assumptions, LLM, families, …); they override those of the item.
    """

    id: str
    about: str
    keys: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


SPLITWISESIM = Stack(
    "splitwisesim",
    "the rules of the paper's own simulator, faults included",
    MappingProxyType({"assumptions": "splitwisesim"}),
)
MEASURED = Stack(
    "measured",
    "token times as they were measured, the rules of the paper's text",
    MappingProxyType({"assumptions": "measured"}),
)
STACKS = (SPLITWISESIM, MEASURED)
"""What every item is run with."""
TODAY = Stack(
    "today",
    "Llama-3.1-70B on vLLM 0.14, times added up from those of its operators, the rules of measured",
    MappingProxyType({"assumptions": "measured", "llm": "llama-3.1-70b"}),
)
FURTHER = (TODAY,)
"""What the conclusions alone are asked of as well: a stack more is a column more."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is simulated: `seeds` request lists, runs of `long_s` and, as the paper, `short_s`.

    That is of windows. A verdict on the steady state begins with as many of its long runs.

    `rate_step_rps`: of latency against load.
    """

    seeds: int = 3
    long_s: float = 600.0
    short_s: float = 120.0
    rate_step_rps: float = GRID_RPS


FULL = Effort()
QUICK = Effort(seeds=1, long_s=120.0, rate_step_rps=3 * GRID_RPS)


@dataclass(frozen=True, slots=True)
class Study:
    """One reproduction. `memo` keeps what several items need, by what was asked."""

    catalog: Catalog
    paper: Paper
    stacks: tuple[Stack, ...]
    effort: Effort
    jobs: int
    further: tuple[Stack, ...] = ()
    memo: dict[Hashable, Any] = field(default_factory=dict)

    def scenario(self, stack: Stack, **keys: Any) -> Scenario:
        """The scenario of a stack; every replication is one seed. Windows are as long as the effort
        says, unless `duration` is given; they are what is asked about where the stack has it so."""
        effort = self.effort
        given: dict[str, Any] = {"duration": effort.long_s, "seeds": effort.seeds}
        given |= {"max_seeds": effort.seeds}
        given |= {"rate": GRID_RPS, "rate_step": GRID_RPS}
        if "maximize" in keys:
            del given["rate"]
        asked = {**given, **keys, **stack.keys}
        key = ("scenario", *sorted((name, str(value)) for name, value in asked.items()))
        return self.once(key, lambda: load_scenario(self.catalog, None, asked))

    def once(self, key: Hashable, work: Callable[[], Known]) -> Known:
        """What `work` returns, done the first time that `key` is asked for."""
        if key not in self.memo:
            self.memo[key] = work()
        known: Known = self.memo[key]
        return known

    def machines(self, *key: str) -> tuple[int, int]:
        """Prompt and token machines of a design of the paper."""
        counts = [self.paper(*key, f"{pool}_machines").low for pool in ("prompt", "token")]
        return int(counts[0]), int(counts[1])

    @property
    def sources(self) -> tuple[FactSource, ...]:
        """Every file that was read, sorted by path."""
        scenarios = [one for one in self.memo.values() if isinstance(one, Scenario)]
        every = {source for one in scenarios for source in one.sources}
        return tuple(sorted(every | set(self.catalog.sources), key=lambda source: source.path))


def design(scenario: Scenario, family: str, prompt: int, token: int) -> Design:
    """A design of one of the scenario's families."""
    found = next(space.family for space in scenario.spaces if space.family.id == family)
    return Design(found, prompt, token)
