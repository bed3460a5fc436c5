"""The public traces of Azure's LLM inference: 2023, 2024 (the same columns), multimodal 2025."""

from __future__ import annotations

from splitwise_plan.facts.traces.cells import Names
from splitwise_plan.facts.traces.formats.base import TableFormat

_COLUMNS = Names("TIMESTAMP", "ContextTokens", "GeneratedTokens")

AZURE = TableFormat("azure", "Azure LLM inference 2023 or 2024", _COLUMNS, "date")
AZURE_MULTIMODAL = TableFormat(
    "azure-multimodal",
    "Azure multimodal inference 2025",
    _COLUMNS,
    "date",
    also=("NumImages",),
    note="NumImages is not kept: images count as far as ContextTokens counts them",
)
