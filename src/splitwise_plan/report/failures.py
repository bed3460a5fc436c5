"""What failures did to a design, in words, for CSV and for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from splitwise_plan.planner.outcome import Details
from splitwise_plan.report.numbers import count
from splitwise_plan.report.page import Statement


def failure_facts(details: Details) -> tuple[Statement, ...]:
    """How long pools were up, and what was lost; nothing where there were no failures."""
    failures = details.failures
    if failures is None:
        return ()
    up = ", ".join(f"{pool.pool} pool {_share(pool.availability)}" for pool in details.pools)
    runs = len(details.evaluation.replications)
    over = f" over {count(runs, 'seed')}" if runs > 1 else ""
    tokens = (
        f"{failures.lost_prompt_tokens:,} prompt and {failures.lost_output_tokens:,} output tokens"
    )
    return (
        Statement(
            "Failures",
            (
                f"availability: {up}",
                f"{count(failures.restarts, 'restart')}{over}; lost: {tokens}",
            ),
        ),
    )


def failure_document(details: Details) -> dict[str, Any] | None:
    """For JSON; availability stands with the pools."""
    return asdict(details.failures) if details.failures else None


def failure_rows(details: Details) -> Iterator[tuple[str, str, int, str, None, None]]:
    """For CSV."""
    if details.failures is None:
        return
    yield ("failures", "restarts", details.failures.restarts, "restarts", None, None)
    for name in ("lost_prompt_tokens", "lost_output_tokens"):
        yield ("failures", name, getattr(details.failures, name), "tokens", None, None)


def _share(availability: float) -> str:
    """`99.7 %`: what is close to 1 is told by what is missing."""
    return "100 %" if availability == 1.0 else f"{100.0 * availability:.4g} %"
