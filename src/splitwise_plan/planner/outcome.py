"""What evaluating a design, and searching a family, come to."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, nan

from splitwise_plan.facts.design import Design, Family, FamilySpace
from splitwise_plan.planner.confidence import Estimate, estimates
from splitwise_plan.sim.extrapolation import Extrapolation
from splitwise_plan.sim.metrics import Energy, Pool
from splitwise_plan.sim.verdict import TargetResult, Verdict


@dataclass(frozen=True, slots=True)
class Replication:
    """One run of a design. `results` is empty where the run ended early, proven to miss."""

    replication: int
    verdict: Verdict
    results: tuple[TargetResult, ...]

    @property
    def seems_to_meet(self) -> bool:
        """Whether it meets, however few requests say so."""
        within = bool(self.results) and all(one.met or isnan(one.value) for one in self.results)
        return self.verdict == "meets" or (self.verdict == "undecided" and within)


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is left of a design with machines gone, and how it was judged."""

    prompt_machines: int
    token_machines: int
    verdict: Verdict
    margin: float = -inf
    """As `Evaluation.margin`; -inf where it was proven to miss and not measured."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A design judged. `simulations` counts all runs, those ended early and repeated included.

    `reduced`: of a design that meets the SLOs whole, where machines may be gone: what may be left
    of it, up to the first that misses. The verdict is then on all of them.
    """

    design: Design
    verdict: Verdict
    replications: tuple[Replication, ...]
    simulations: int
    reduced: tuple[Reduced, ...] = ()
    estimated: tuple[Estimate, ...] = ()
    """Of the steady state; of windows they follow from the replications."""

    @property
    def meets_whole(self) -> bool:
        """Whether it meets the SLOs as long as no machine is gone."""
        return self.verdict == "meets" or bool(self.reduced)

    @property
    def seems_to_meet(self) -> bool:
        """Whether it meets, or is undecided and its means are within the limits."""
        return self.verdict == "meets" or (self.verdict == "undecided" and self.margin >= 0.0)

    @property
    def met(self) -> int:
        """Replications that met the SLOs on their own."""
        return sum(replication.verdict == "meets" for replication in self.replications)

    @property
    def margin(self) -> float:
        """Least margin of the estimated targets, as a share of the limit, machines gone or not."""
        return min([self.margin_whole, *(one.margin for one in self.reduced)])

    @property
    def margin_whole(self) -> float:
        """The same as long as no machine is gone."""
        return min((1.0 - e.mean / e.target.limit for e in self.estimates), default=-inf)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Each target's percentile over the replications that ran to their end."""
        return self.estimated or tuple(
            estimates([r.results for r in self.replications if r.results])
        )


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """Counted requests, over all replications."""

    arrived: int
    finished: int
    unfinished: int
    rejected: int


@dataclass(frozen=True, slots=True)
class FailureCounts:
    """What failures did, over all replications; see `sim.records.Run`."""

    restarts: int
    lost_prompt_tokens: int
    lost_output_tokens: int


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """Seconds or slowdowns over the requests of all replications together."""

    mean: float
    p50: float
    p90: float
    p99: float


@dataclass(frozen=True, slots=True)
class Details:
    """All that is reported of one simulated design; averages over replications unless said."""

    evaluation: Evaluation
    requests: RequestCounts
    throughput_rps: float
    """Requests finished per second of the measured window."""
    latency_s: dict[str, LatencySummary]
    slowdown: dict[str, LatencySummary]
    kv_transfer_s: LatencySummary
    """Of the requests whose KV cache moved; nan where none did."""
    pools: tuple[Pool, ...]
    energy: Energy
    pool_moves: int
    mixed_requests: int
    """Both over all replications."""
    prompt_tokens_per_s: float = nan
    output_tokens_per_s: float = nan
    """Tokens of the counted requests per second of the measured window; nan where not all of them
    finished."""
    beyond: tuple[Extrapolation, ...] = ()
    """What was beyond the profiles, in the first replication."""
    failures: FailureCounts | None = None
    """None where the scenario has none."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Why nothing better works: every better design of the space failed or was excluded.

    `better_simulated + better_excluded` is every design of the space that is strictly better on the
    objective than the best; for a family without one, every design of its space.
    """

    space: int
    better_simulated: int
    better_excluded: dict[str, int]
    """By the name of the bound (`models.bounds`)."""
    undecided: tuple[Design, ...]
    """Of those simulated, the ones that neither meet nor miss with the stated error."""
    exact: bool
    """False: the space was sampled. Then those that are better but were not seen do not count."""
    seeds: int
    seen: int | None = None
    """Where the space was sampled: how many of its designs were simulated or excluded."""
    better_without_spare: int = 0
    """Of those simulated, how many meet the SLOs as long as no machine is gone."""

    @property
    def better_undecided(self) -> int:
        return len(self.undecided)

    @property
    def better(self) -> int:
        return self.better_simulated + sum(self.better_excluded.values())


@dataclass(frozen=True, slots=True)
class FamilyResult:
    """The best design of a family, or the closest miss where none meets the SLOs."""

    space: FamilySpace
    best: Details | None
    ties: tuple[Design, ...]
    """Other designs that meet the SLOs at the same objective."""
    certificate: Certificate
    closest: Details | None
    """Where there is no best: the design simulated that came nearest to the SLOs."""
    rate_rps: float | None = None
    """Where the rate was searched: the largest that `best` meets the SLOs at."""
    rate_high_rps: float | None = None
    """The next rate at which every design misses for sure; between the two it is undecided."""

    @property
    def family(self) -> Family:
        return self.space.family


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Families in the order asked for; `best` is the winner over all of them, or None."""

    families: tuple[FamilyResult, ...]
    best: FamilyResult | None
    simulations: int
    search_s: float
    without_spare: Design | None = None
    """Where machines may be gone: the best design if they may not, as far as the search saw it."""


def best_of(result: SearchResult) -> Design | None:
    """The best design of a search."""
    details = result.best.best if result.best else None
    return details.evaluation.design if details else None
