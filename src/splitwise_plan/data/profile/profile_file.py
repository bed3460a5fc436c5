"""Files of facts that others read back: a profile and, with it, its LLM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.tables import CURVES, PROFILE_COLUMNS
from splitwise_plan.models.fitting import Medians

UNITS = (
    "units: *_time in seconds, *_power as a fraction of GPU TDP; measurements: rows",
    "x of prompt_time, token_time_by_batch_tokens, prompt_power: prompt tokens x batch size",
    "x of token_time_by_batch, token_power: sequences (512-token prompts, 128 outputs)",
    "x of token_time_by_context: prompt tokens (batch 1, 128 output tokens)",
)


def profile_path(machine: str, llm: str) -> str:
    """Where a folder of facts keeps the profile of an LLM on a machine."""
    return f"hardware/profiles/{machine}__{llm}.csv"


def llm_path(llm: str) -> str:
    """Where a folder of facts keeps an LLM."""
    return f"workloads/llms/{llm}.toml"


def profile_text(
    head: Sequence[str],
    curves: Mapping[int, Mapping[str, Medians]],
    notes: Iterable[str] = (),
    units: Sequence[str] = UNITS,
) -> str:
    """A profile as `facts.tables.parse_profile` reads it.

    `head` (what, source, how), `units` and `notes` become comments; a line that goes on from the
    one above begins with two spaces. `curves`: by tensor parallelism, then by name.
    """
    lines = [f"# {line}" for line in (*head, *units, *notes)]
    return "\n".join([*lines, ",".join(PROFILE_COLUMNS), *_rows(curves)]) + "\n"


def llm_text(llm: LLM, source: str, weights_source: str) -> str:
    """An LLM as the catalog reads it."""
    facts = {
        "layers": (llm.layers, "1", source),
        "hidden_size": (llm.hidden_size, "1", source),
        "attention_heads": (llm.attention_heads, "1", source),
        "kv_heads": (llm.kv_heads, "1", source),
        "head_dim": (llm.head_dim, "1", source),
        "bytes_per_value": (llm.bytes_per_value, "B", source),
        "weights": (round(llm.weights_bytes / 1e9, 3), "GB", weights_source),
    }
    per_token = llm.kv_bytes_per_token("kv_heads")
    lines = [f"# {llm.name}: {per_token:,} bytes of KV cache a token.", "", f'name = "{llm.name}"']
    lines += [
        f'{key} = {{ value = {value:g}, unit = "{unit}", source = "{told}" }}'
        for key, (value, unit, told) in facts.items()
    ]
    return "\n".join(lines) + "\n"


def _rows(curves: Mapping[int, Mapping[str, Medians]]) -> Iterator[str]:
    for degree, of_degree in curves.items():
        for name in CURVES:
            for x, y, n in zip(*of_degree[name], strict=True):
                yield f"{degree},{name},{x:.0f},{y:.10g},{n}"
