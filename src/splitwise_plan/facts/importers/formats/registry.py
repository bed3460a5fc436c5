"""Every format that is recognised, in the order in which files are tried."""

from __future__ import annotations

from splitwise_plan.facts.importers.formats.aiperf import AIPERF
from splitwise_plan.facts.importers.formats.azure import AZURE, AZURE_MULTIMODAL
from splitwise_plan.facts.importers.formats.base import JsonFormat, TableFormat
from splitwise_plan.facts.importers.formats.burstgpt import BURSTGPT
from splitwise_plan.facts.importers.formats.guidellm import GUIDELLM
from splitwise_plan.facts.importers.formats.inference_perf import INFERENCE_PERF
from splitwise_plan.facts.importers.formats.mooncake import BAILIAN, MOONCAKE
from splitwise_plan.facts.importers.formats.own import OWN
from splitwise_plan.facts.importers.formats.simulators import SPLITWISESIM, VIDUR
from splitwise_plan.facts.importers.formats.vllm_bench import VLLM_BENCH

TABLES: tuple[TableFormat, ...] = (OWN, AZURE_MULTIMODAL, AZURE, BURSTGPT, SPLITWISESIM, VIDUR)
JSON: tuple[JsonFormat, ...] = (
    *(VLLM_BENCH, GUIDELLM, AIPERF, INFERENCE_PERF),
    *(BAILIAN, MOONCAKE),
)
PLAIN = "csv"
"""What a table with columns named by the user is called."""
IDS = (*(one.id for one in TABLES), *(one.id for one in JSON), PLAIN)
