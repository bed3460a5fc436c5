"""What is mutated, and the tests that must notice."""

from __future__ import annotations

from dataclasses import dataclass

KERNEL_TESTS = (
    "tests/test_kernel_by_hand.py",
    "tests/test_kernel_oracle.py",
    "tests/test_kernel_goldens.py",
)
SEARCH_TESTS = ("tests/test_certificate_rules.py", "tests/test_search_exhaustive.py")


@dataclass(frozen=True)
class Target:
    """A module below `src/splitwise_plan`, and the test files that are run, quickest first."""

    module: str
    tests: tuple[str, ...]
    compiled: bool = True
    """Whether the kernel is compiled: where it is itself mutated it runs as plain Python."""


def _kernel(name: str) -> Target:
    return Target(f"sim/kernel/{name}.py", KERNEL_TESTS, compiled=False)


KERNEL_MODULES = (
    *("assign", "batch", "flights", "loop", "phases", "queues"),
    *("stretches", "timing", "tournament", "transfers"),
)
TARGETS = (
    *map(_kernel, KERNEL_MODULES),
    Target("sim/verdict.py", ("tests/test_verdict_rules.py", "tests/test_goodput.py")),
    Target(
        "search/confidence.py", ("tests/test_verdict_rules.py", "tests/test_search_confidence.py")
    ),
    Target("models/bounds.py", ("tests/test_bounds.py",)),
    Target("search/exclusion.py", (*SEARCH_TESTS,)),
    Target("search/family_search.py", (*SEARCH_TESTS,)),
    Target("search/exhaustive.py", (*SEARCH_TESTS,)),
    Target("search/budget.py", ("tests/test_search_capacity.py",)),
    Target("search/rate_search.py", ("tests/test_search_capacity.py",)),
)
