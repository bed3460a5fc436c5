"""A scenario: everything that changes an answer, resolved to facts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from splitwise_plan.facts.assumptions import Assumptions, Horizon
from splitwise_plan.facts.design import FamilySpace
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.prices import Tariff
from splitwise_plan.facts.profile import Profile
from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.roofline import Roofline
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.facts.source import FactSource
from splitwise_plan.facts.workload import Workload
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.failures import Failures
from splitwise_plan.scenario.scheduler import SchedulerOptions
from splitwise_plan.scenario.spare import Spare

SEED_BUDGET = 4
"""`max_seeds`, where it is not given, as a multiple of `seeds`."""

DEFAULT_TRIALS = 240


Minimize = Literal["cost", "power", "machines"]
Maximize = Literal["throughput", "throughput_per_cost"]


@dataclass(frozen=True, slots=True, eq=False)
class Scenario:
    """One question, with every fact it needs. Built by `scenario.load.load_scenario`."""

    workload: Workload | None
    """None when lengths come from a trace file."""
    trace: Requests | None
    arrivals: Arrivals
    llm: LLM
    tensor_parallel: int
    """Of the machine that slowdowns are relative to: the most GPUs an instance may have."""
    slos: SLOSet
    assumptions: Assumptions
    scheduler: SchedulerOptions
    profiles: dict[tuple[str, int], Profile]
    """By profile id (`Machine.profile`) and tensor parallelism, the reference's included."""
    reference_machine: Machine
    spaces: tuple[FamilySpace, ...]
    minimize: Minimize
    seed: int
    seeds: int
    """Replications a verdict starts from."""
    sources: tuple[FactSource, ...]
    maximize: Maximize | None = None
    """Instead of `minimize`, within the budgets: the largest rate that meets the SLOs, or without
    SLOs the most requests per dollar."""
    power_budget: float | None = None
    """Provisioned power at most: watts, or the paper's units if the assumptions count in those."""
    cost_budget_usd_per_hour: float | None = None
    max_seeds: int = SEED_BUDGET * 3
    """Replications after which a verdict stays undecided."""
    rate_step_rps: float = 1.0
    """Rates are searched on multiples of this (`maximize`, the Pareto front)."""
    method: Literal["auto", "exhaustive", "optuna"] = "auto"
    """How a space is searched; `auto`: exhaustively unless that takes too long."""
    trials: int = DEFAULT_TRIALS
    """Designs that Optuna proposes."""
    asked_horizon: Horizon | None = None
    """None: as the assumptions have it."""
    warm_up_s: float = 0.0
    """Requests that arrive earlier are simulated but not counted; in a steady state more may be."""
    tariff: Tariff = field(default_factory=Tariff)
    """What machines and electricity cost; the machines of `spaces` are at these prices."""
    spare: Spare | None = None
    """Machines that may be gone while a design must still do."""
    failures: Failures | None = None
    """What goes wrong in every run."""
    roofline: Roofline | None = None
    """Given where machines without a profile are to be estimated (`missing_profiles`)."""
    estimated: tuple[tuple[str, int], ...] = ()
    """Profile ids, with their tensor parallelism, that are estimated rather than measured."""
    notes: tuple[str, ...] = ()
    """What became of a trace's requests while it was read, where that is not all of them."""
    own_kv_transfer: bool = False
    """Whether the scenario, not its assumptions, says how KV caches are sent."""
    resolved_toml: str = ""
    """This scenario as a file, every choice spelled out, paths absolute: loading gives it again."""
    portable_toml: str = ""
    """The same with the names of files and folders alone, for reports."""

    @property
    def estimated_machines(self) -> tuple[str, ...]:
        """The profile ids of `estimated`, each once."""
        return tuple(dict.fromkeys(name for name, _ in self.estimated))

    @property
    def horizon(self) -> Horizon:
        """What percentiles are about; without stationary arrivals there is no steady state."""
        if not self.arrivals.is_stationary or self.has_outages:
            return "window"
        return self.asked_horizon or self.assumptions.horizon

    @property
    def has_outages(self) -> bool:
        """Whether machines may go down during its runs."""
        return self.failures is not None and self.failures.take_down

    def profile(self, machine: Machine, tensor_parallel: int) -> Profile:
        """The profile of the scenario's LLM on instances of so many GPUs of `machine`."""
        return self.profiles[machine.profile, tensor_parallel]
