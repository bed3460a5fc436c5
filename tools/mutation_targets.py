"""What is mutated, and the tests that must notice."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

KERNEL_TESTS = (
    "tests/test_kernel_parts.py",
    "tests/test_kernel_by_hand.py",
    "tests/test_kernel_edges.py",
    "tests/test_kernel_oracle.py",
    "tests/test_kernel_goldens.py",
)
OUTAGE_TESTS = (
    "tests/test_kernel_parts.py",
    "tests/test_outages_by_hand.py",
    "tests/test_kernel_oracle.py",
)
CERTIFICATE_TESTS = (
    "tests/test_edge_rules.py",
    "tests/test_certificate_rules.py",
    "tests/test_exclusion_rules.py",
    "tests/test_search_exhaustive.py",
)


@dataclass(frozen=True)
class Target:
    """A module below `src/splitwise_plan`, and the test files that are run, quickest first."""

    module: str
    tests: tuple[str, ...]
    compiled: bool = True
    """Whether the kernel is compiled: where it is itself mutated it runs as plain Python."""

    def is_named(self, names: Collection[str]) -> bool:
        """Whether it is among names such as `batch` or `kernel/outages`."""
        path = "/" + self.module.removesuffix(".py")
        return any(path.endswith("/" + name) for name in names)


def _kernel(name: str) -> Target:
    tests = OUTAGE_TESTS if name in ("outages", "restarts") else KERNEL_TESTS
    return Target(f"sim/kernel/{name}.py", tests, compiled=False)


def _certificate(name: str, *tests: str) -> Target:
    return Target(f"planner/{name}.py", (*tests, *CERTIFICATE_TESTS))


KERNEL_MODULES = (
    *("assign", "batch", "transfer_heap", "loop", "outages", "phases", "queues"),
    *("restarts", "stretches", "timing", "winner_tree", "transfers"),
)
TARGETS = (
    *map(_kernel, KERNEL_MODULES),
    Target("sim/outages.py", ("tests/test_outage_histories.py", "tests/test_outage_laws.py")),
    Target("sim/verdict.py", ("tests/test_verdict_rules.py", "tests/test_goodput.py")),
    Target(
        "planner/confidence.py", ("tests/test_verdict_rules.py", "tests/test_search_confidence.py")
    ),
    Target(
        "planner/evaluate.py", ("tests/test_judgement_rules.py", "tests/test_search_exhaustive.py")
    ),
    Target("models/bounds.py", ("tests/test_bounds_by_hand.py", "tests/test_bounds.py")),
    *map(_certificate, ("exclusion", "family_search", "exhaustive", "space", "boundary")),
    _certificate("widen", "tests/test_widen_rules.py", "tests/test_search_widen.py"),
    _certificate("spare", "tests/test_judgement_rules.py", "tests/test_search_spare.py"),
    Target("planner/budget.py", ("tests/test_budget_rules.py", "tests/test_search_capacity.py")),
    Target("planner/rate_search.py", ("tests/test_search_capacity.py",)),
)
