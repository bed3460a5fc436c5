"""Every format that is recognised, in the order in which files are tried."""

from __future__ import annotations

from splitwise_plan.facts.traces.formats.aiperf import AIPERF
from splitwise_plan.facts.traces.formats.azure import AZURE, AZURE_MULTIMODAL
from splitwise_plan.facts.traces.formats.base import JsonFormat, TableFormat
from splitwise_plan.facts.traces.formats.burstgpt import BURSTGPT
from splitwise_plan.facts.traces.formats.guidellm import GUIDELLM
from splitwise_plan.facts.traces.formats.inference_perf import INFERENCE_PERF
from splitwise_plan.facts.traces.formats.mooncake import BAILIAN, MOONCAKE
from splitwise_plan.facts.traces.formats.own import OWN
from splitwise_plan.facts.traces.formats.simulators import SPLITWISESIM, VIDUR
from splitwise_plan.facts.traces.formats.vllm_bench import VLLM_BENCH

TABLES: tuple[TableFormat, ...] = (OWN, AZURE_MULTIMODAL, AZURE, BURSTGPT, SPLITWISESIM, VIDUR)
JSON: tuple[JsonFormat, ...] = (
    *(VLLM_BENCH, GUIDELLM, AIPERF, INFERENCE_PERF),
    *(BAILIAN, MOONCAKE),
)
PLAIN = "csv"
"""What a table with columns named by the user is called."""
IDS = (*(one.id for one in TABLES), *(one.id for one in JSON), PLAIN)
