"""Times of an LLM on a GPU out of NVIDIA's operator database, through AIConfigurator's Python API.

The database holds measured times of single operators (GEMM, attention, all-reduce);
AIConfigurator adds up those of one iteration. This is the only module that knows it (extra
`[aiconfigurator]`): its distribution is being renamed, and its API with it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from splitwise_plan.errors import InputError, Problem

SOURCE = "aiconfigurator"
INSTALL = "pip install 'splitwise-plan[aiconfigurator]' (Linux x86-64, 850 MB)"
BACKENDS = ("vllm", "sglang", "trtllm")
BYTES_PER_VALUE = {"bfloat16": 2, "float16": 2, "fp8": 1, "int8": 1}
"""Of a KV cache."""
MS = 1e3
GIB = 2.0**30
SOME_TOKENS = 1024
"""Tokens of the prompt that memory is asked for."""
KV_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class Architecture:
    """Of a model's Hugging Face configuration, as AIConfigurator ships it; weights in bytes."""

    layers: int
    hidden_size: int
    attention_heads: int
    kv_heads: int
    head_dim: int
    kv_bytes_per_value: int
    weights_bytes: float
    precision: str

    @property
    def kv_bytes_per_token(self) -> int:
        """Keys and values of one token in all layers."""
        return 2 * self.layers * self.kv_heads * self.head_dim * self.kv_bytes_per_value


@dataclass(frozen=True, slots=True, eq=False)
class OperatorDatabase:
    """One model on `tensor_parallel` GPUs of one system with one backend."""

    model: str
    system: str
    backend: str
    tensor_parallel: int
    versions: str
    """Of AIConfigurator and of the backend that was measured."""
    architecture: Architecture
    gpu_memory_bytes: float
    gpu_power_w: float
    """Of one GPU of the system, as AIConfigurator has them."""
    _session: Any

    def prompt_s(self, sequences: int, prompt_tokens: int) -> float:
        """Seconds of a prompt iteration over `sequences` prompts of `prompt_tokens` each."""
        return self._static("static_ctx", sequences, prompt_tokens)

    def token_s(self, sequences: int, context_tokens: int) -> float:
        """Seconds of a token iteration of `sequences` with `context_tokens` of context each."""
        return self._static("static_gen", sequences, context_tokens)

    def _static(self, mode: str, sequences: int, tokens: int) -> float:
        from aiconfigurator.sdk.config import RuntimeConfig

        # Two output tokens: one of the prompt phase, one token iteration.
        runtime = RuntimeConfig(batch_size=sequences, isl=tokens, osl=2)
        with _quiet():
            return float(self._session.run_static_latency_only(runtime, mode)) / MS


def open_database(model: str, system: str, backend: str, tensor_parallel: int) -> OperatorDatabase:
    """Open the database of a system. Raises `InputError` where it, or the extra, is absent."""
    try:
        from aiconfigurator.sdk import config, models, perf_database
        from aiconfigurator.sdk.backends.factory import get_backend
        from aiconfigurator.sdk.inference_session import InferenceSession
    except ImportError:
        what = "needs AIConfigurator, which is not installed"
        raise InputError([Problem(SOURCE, what, f"get it with: {INSTALL}")]) from None
    with _quiet():
        backend_version, database = _database(perf_database, system, backend)
        try:
            settings = config.ModelConfig(
                tp_size=tensor_parallel, moe_tp_size=tensor_parallel, moe_ep_size=1
            )
            built = models.get_model(model, settings, backend)
            session = InferenceSession(built, database, get_backend(backend))
            runtime = config.RuntimeConfig(batch_size=1, isl=SOME_TOKENS, osl=2)
            summary = session.run_static(runtime, "static_ctx")
        # Whatever it raises on a model or a degree it does not know is about what was asked for.
        except Exception as error:
            what = f"has no times of {model} on {tensor_parallel} GPUs of {system}: {_first(error)}"
            fix = "see `aiconfigurator cli support` for what it knows"
            raise InputError([Problem(SOURCE, what, fix)]) from None
    versions = f"aiconfigurator {_version()}, {backend} {backend_version}"
    facts = _architecture(built, summary, tensor_parallel)
    gpu = perf_database.load_system_spec(system)["gpu"]
    return OperatorDatabase(
        *(model, system, backend, tensor_parallel, versions, facts),
        gpu_memory_bytes=float(gpu["mem_capacity"]),
        gpu_power_w=float(gpu["power"]),
        _session=session,
    )


def _architecture(built: Any, summary: Any, tensor_parallel: int) -> Architecture:
    """Raises `InputError` for a model whose KV cache is not keys and values of each head."""
    told = summary.get_result_dict()
    facts = Architecture(
        layers=int(built._num_layers),
        hidden_size=int(built._hidden_size),
        attention_heads=int(built._num_heads),
        kv_heads=int(built._num_kv_heads),
        head_dim=int(built._head_size),
        kv_bytes_per_value=BYTES_PER_VALUE.get(told["kvcache"], 2),
        weights_bytes=float(summary.get_memory()["weights"]) * GIB * tensor_parallel,
        precision=str(told["gemm"]),
    )
    held = float(built.get_kvcache_bytes_per_sequence(SOME_TOKENS)) / SOME_TOKENS
    expected = facts.kv_bytes_per_token / min(tensor_parallel, facts.kv_heads)
    if abs(held / expected - 1.0) > KV_TOLERANCE:
        what = (
            f"{told['model']} holds {held:,.0f} bytes of KV cache a token and GPU, where its "
            f"{facts.kv_heads} key-value heads would hold {expected:,.0f}"
        )
        fix = "models with another kind of cache (MLA, linear attention) cannot be planned yet"
        raise InputError([Problem(SOURCE, what, fix)])
    return facts


def _database(perf_database: Any, system: str, backend: str) -> tuple[str, Any]:
    """The newest version measured of a backend on a system, and its database."""
    supported = perf_database.get_supported_databases()
    if system not in supported or backend not in supported[system]:
        known = sorted(supported)
        what, fix = f"has no system {system!r}", f"it has {', '.join(known)}"
        if system in supported:
            what = f"has no {backend!r} on {system}"
            fix = f"it has {', '.join(sorted(supported[system]))}"
        raise InputError([Problem(SOURCE, what, fix)])
    newest = perf_database.get_latest_database_version(system, backend)
    return str(newest), perf_database.get_database(system, backend, newest)


def _version() -> str:
    try:
        return version("aiconfigurator")
    except PackageNotFoundError:
        return "of unknown version"


def _first(error: Exception) -> str:
    """The first line of what it says."""
    return (str(error) or type(error).__name__).splitlines()[0]


@contextmanager
def _quiet() -> Iterator[None]:
    """Its warnings about operators of other models are not for our users."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(before)
