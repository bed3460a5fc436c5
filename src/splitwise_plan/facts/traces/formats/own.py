"""Our own CSV, what `trace import`, `trace generate` and `--requests-out` write."""

from __future__ import annotations

from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.formats.base import TableFormat

COLUMNS = Names("arrival_s", "prompt_tokens", "output_tokens")
OWN = TableFormat("splitwise-plan", "splitwise-plan", COLUMNS, "s")
