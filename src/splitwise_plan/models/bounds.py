"""Sound reasons why a design cannot meet the SLOs, found without simulating it."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.facts.requests import Requests
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.facts.workload import LengthTable
from splitwise_plan.models.performance import PhaseTimes

CAPACITY, MEMORY = "prompt capacity", "memory"
"""Names of bounds in certificates: of `prompt_work` and `prompt_rate`, and of `memory_work`."""

Floats = NDArray[np.float64]


def prompt_rate(times: PhaseTimes, mixing_factor: float = 1.0) -> float:
    """Prompt tokens per second at which no iteration of an instance can do better.

    An iteration with B prompt tokens takes prompt_s(B), or with n token phases at least
    mixing_factor x prompt_s(B + n). With R the largest x / prompt_s(x), and f the factor or 1 if
    that is less, both are at least f B / R. prompt_s is piecewise linear, so x / prompt_s(x) is
    monotone between two points: its largest value over x >= 1 is at a point, at 1 or at infinity.
    """
    x, y = times.prompt_x, times.prompt_y
    last_slope = (y[-1] - y[-2]) / (x[-1] - x[-2])
    at_one = float(times.prompt_s(1.0))
    if last_slope <= 0.0 or at_one <= 0.0:
        return float("inf")
    inside = x >= 1
    best = max(float((x[inside] / y[inside]).max()), 1.0 / last_slope, 1.0 / at_one)
    return float(best / min(1.0, mixing_factor))


def prompt_work(
    requests: Requests, counted: NDArray[np.bool_], slos: SLOSet, alone_s: Floats
) -> float:
    """Prompt tokens per second that any design must process to meet the TTFT (and E2E) targets.

    Prompts run whole and on one instance each, and those of requests that meet a limit have ended
    by their deadline: `needed_rate`, with a prompt's tokens as its work.
    """
    work = requests.prompt_tokens.astype(np.float64)
    return needed_rate(requests, counted, slos, alone_s, work, ("ttft", "e2e"))


def offered_prompt_work(lengths: LengthTable, rate_rps: float) -> float:
    """Prompt tokens per second that arrive in the long run.

    A design that computes fewer has a backlog which grows without end: it is unstable.
    """
    return rate_rps * lengths.mean_tokens[0]


def offered_memory_work(
    lengths: LengthTable, rate_rps: float, iteration_s: float, *, paired: bool
) -> float:
    """Tokens of KV cache that instances must hold on average in the long run.

    By Little's law: a request holds p + o tokens for o - 1 iterations of `iteration_s` or more
    each. `paired`: whether a request's prompt and output are those of one row, or drawn apart.
    """
    prompt, output = (
        of.astype(np.float64) for of in (lengths.prompt_tokens, lengths.output_tokens)
    )
    rest = output - 1.0
    together = (
        _mean(lengths, prompt * rest) if paired else _mean(lengths, prompt) * _mean(lengths, rest)
    )
    return rate_rps * (together + _mean(lengths, output * rest)) * iteration_s


def _mean(lengths: LengthTable, of: NDArray[np.number]) -> float:
    return float(np.average(of, weights=lengths.count))


def least_iteration_s(times: PhaseTimes, max_batch_size: int, mixing_factor: float = 1.0) -> float:
    """The least time of an iteration in which a token phase takes part, in seconds.

    Alone, n sequences have contexts of two tokens or more each: token_s(n, 2 n). Beside prompts it
    is the factor x prompt_s of a token or more; prompt_s is piecewise linear and rises at its end,
    so its least value over x >= 1 is at a point or at 1.
    """
    sequences = np.arange(1, max_batch_size + 1)
    alone = float(times.token_s(sequences, 2 * sequences).min())
    prompts = min(float(times.prompt_y[times.prompt_x >= 1].min()), float(times.prompt_s(1.0)))
    return max(0.0, min(alone, mixing_factor * prompts))


def memory_work(
    requests: Requests,
    counted: NDArray[np.bool_],
    slos: SLOSet,
    alone_s: Floats,
    iteration_s: float,
) -> float:
    """Tokens of KV cache that instances must hold on average to meet the E2E targets.

    A request that has ended by its deadline went through o - 1 iterations of `iteration_s` or more
    each, and held p + o tokens in its instance's memory all that time, whichever way memory is
    taken: `needed_rate`, with (p + o) (o - 1) iteration_s token-seconds as its work.
    """
    output = requests.output_tokens.astype(np.float64)
    work = (requests.prompt_tokens + output) * (output - 1.0) * iteration_s
    return needed_rate(requests, counted, slos, alone_s, work, ("e2e",))


def needed_rate(  # noqa: PLR0913, PLR0917
    requests: Requests,
    counted: NDArray[np.bool_],
    slos: SLOSet,
    alone_s: Floats,
    work: Floats,
    metrics: tuple[str, ...],
) -> float:
    """Work per second that must be done where a request which meets a limit has had its work done.

    Proof. Let a target allow m of n counted requests to exceed its limit (see `simulator.
    target_counts`). At least n - m requests then had their work, (N,), done by their deadline,
    arrival + limit. Order the deadlines: those up to time t, less m, were worked on in [first
    arrival, t]; their work is at least the sum of all due less that of the m largest among all.
    Over t - first arrival that is a rate; the largest over all t is needed.
    """
    if not counted.any():
        return 0.0
    arrival = requests.arrival_s[counted] - requests.arrival_s[0]
    of_counted = work[counted]
    largest = np.sort(of_counted)[::-1]
    needed = 0.0
    for target in slos.targets:
        if target.metric not in metrics:
            continue
        alone = alone_s[0 if target.metric == "ttft" else 2][counted]
        limit_s = target.limit * (alone if target.unit == "slowdown" else 1.0)
        may_miss = len(arrival) - 1 - floor(target.percentile / 100 * (len(arrival) - 1))
        excused = float(largest[:may_miss].sum())
        deadline = arrival + limit_s
        order = np.argsort(deadline, kind="stable")
        span = deadline[order] - arrival[0]
        due = np.cumsum(of_counted[order]) - excused
        needed = max(needed, float(np.max(due / np.maximum(span, 1e-12))))
    return needed


def can_carry(needed: float, rates_per_s: Iterable[float]) -> bool:
    """Whether instances of these rates (or sizes) could do the needed work; room for rounding."""
    return sum(rates_per_s) * (1.0 + 1e-9) >= needed
