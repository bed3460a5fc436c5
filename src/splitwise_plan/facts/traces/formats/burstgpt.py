"""BurstGPT: seconds from the first day; requests without response tokens have failed."""

from __future__ import annotations

from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.formats.base import TableFormat

BURSTGPT = TableFormat(
    "burstgpt",
    "BurstGPT",
    Names("Timestamp", "Request tokens", "Response tokens"),
    "s",
    failed="no response tokens, a failure",
)
