"""Random scenarios, in the words of a scenario file: any load, cluster, rules and faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FAMILIES = (
    *("baseline-a100", "baseline-h100", "dgx-h100"),
    *("splitwise-aa", "splitwise-hh", "splitwise-ha", "splitwise-hhcap"),
    *("dgx-a100+dgx-h100", "splitwise-hh@85%"),
)
ONE_POOL = ("baseline-a100", "baseline-h100", "dgx-h100")

CONTRACTS = {
    "seconds": "[ttft]\np90 = { value = 2, unit = 's' }\n[tbt]\np99 = 3\n",
    "loose": "[e2e]\np50 = 5\n",
    "goodput": "[[attainment]]\nshare = 0.9\nttft = { value = 1, unit = 's' }\ntbt = 2\n",
}
"""SLO files beside the paper's."""

Rng = np.random.Generator
Keys = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A scenario's keys and the one design that is asked about."""

    keys: Keys
    prompt_machines: int
    token_machines: int


def draw(rng: Rng, folder: Path) -> Drawn:
    """A scenario of one family; traces and SLOs that it names are written into the folder."""
    family = _one(rng, FAMILIES)
    keys: Keys = {"families": [family]}
    counts = (int(rng.integers(1, 7)), 0 if family in ONE_POOL else int(rng.integers(1, 6)))
    ranges = ("machines",) if family in ONE_POOL else ("prompt_machines", "token_machines")
    keys |= dict(zip(ranges, counts, strict=False))
    keys |= _model(rng) | _load(rng, sum(counts), folder) | _rules(rng) | _objectives(rng, folder)
    if rng.random() < 0.4:
        keys["failures"] = _failures(rng)
    if _may_be_steady(keys):
        keys["horizon"] = _one(rng, (None, "window", "steady"))
    return Drawn(keys, *counts)


def _may_be_steady(keys: Keys) -> bool:
    """Whether arrivals go on in the same way, and machines too."""
    down = {"mtbf", "at", "maintenance"} & set(keys.get("failures", ()))
    return keys.get("arrivals") in ("poisson", "gamma", "mmpp") and not down


def _one(rng: Rng, of: Any) -> Any:
    return of[int(rng.integers(len(of)))]


def _model(rng: Rng) -> Keys:
    llm = _one(rng, ("bloom-176b", "llama2-70b", "llama-3.1-70b"))
    assumptions = _one(rng, ("measured", "splitwisesim"))
    degrees = (4, 8, 8) if llm == "llama2-70b" else (8,)
    if llm == "llama2-70b" and assumptions == "measured":
        degrees = (2, *degrees)  # where KV caches are as large as `splitwisesim` has them none fits
    return {"llm": llm, "assumptions": assumptions, "tensor_parallel": _one(rng, degrees)}


def _load(rng: Rng, machines: int, folder: Path) -> Keys:
    """From nearly nothing to far beyond saturation, for some seconds."""
    duration_s = float(rng.uniform(2.0, 20.0))
    rate = float(np.exp(rng.uniform(np.log(0.1), np.log(8.0)))) * machines
    rate = max(rate, 1.1 / duration_s)
    if rng.random() < 0.25:
        return _trace(rng, rate, duration_s, folder)
    process = _one(rng, [*PROCESSES])
    keys: Keys = {"workload": _one(rng, ("coding", "conversation")), "duration": duration_s}
    keys |= {"seed": int(rng.integers(2**40)), "seeds": _one(rng, (1, 1, 3))}
    if rng.random() < 0.3:
        keys["warm_up"] = 0.3 * duration_s
    return keys | {"rate": rate, "arrivals": process} | PROCESSES[process](rng, duration_s)


PROCESSES: dict[str, Callable[[Rng, float], Keys]] = {
    "poisson": lambda rng, s: {},
    "gamma": lambda rng, s: {"burstiness": _one(rng, (0.1, 0.5, 4.0, 25.0))},
    "mmpp": lambda rng, s: {
        "mmpp": {"ratio": _one(rng, (2, 20)), "share": _one(rng, (0.05, 0.5)), "length": s / 5}
    },
    "diurnal": lambda rng, s: {
        "diurnal": {"amplitude": _one(rng, (0.2, 1.0)), "period": s / _one(rng, (1, 2))}
    },
    "spike": lambda rng, s: {"spike": {"start": s / 4, "length": s / 10, "ratio": 10}},
    "piecewise": lambda rng, s: {
        "rate": None,
        "piecewise": [{"lasts": s / 4, "rate": 1.0 + float(rng.uniform(0, 20))} for _ in "ab"] * 2,
    },
}
"""Of each arrival process what it needs beside a rate, for a duration in seconds."""


def _trace(rng: Rng, rate: float, duration_s: float, folder: Path) -> Keys:
    """A trace of its own: odd lengths, arrivals at the same moment, perhaps a late start."""
    count = max(1, min(int(rate * duration_s), 400))
    arrival_s = np.sort(rng.uniform(0.0, duration_s, count)) + _one(rng, (0.0, 0.0, 1e6))
    if rng.random() < 0.3:
        arrival_s = np.floor(arrival_s)
    prompt = rng.choice([1, 20, 500, 2048, 2049, 8192, 20_000], count)
    output = rng.choice(_one(rng, ([1], [1, 2, 30], [5, 200, 700])), count)
    path = folder / "trace.csv"
    rows = (
        f"{a!r},{p},{o}\n"
        for a, p, o in zip(arrival_s.tolist(), prompt.tolist(), output.tolist(), strict=True)
    )
    path.write_text("arrival_s,prompt_tokens,output_tokens\n" + "".join(rows), encoding="utf-8")
    return {"trace": str(path), "trace_speed": _one(rng, (None, None, 3.0))}


def _rules(rng: Rng) -> Keys:
    options = {
        "token_end": _one(rng, ("booked_memory", "pending_tokens")),
        "mixed_return": _one(rng, ("idle", "drained")),
        "prompt_queue_limit_tokens": _one(rng, (1, 3000, 8192)),
        "max_batch_size": _one(rng, (1, 7, 64, 512)),
        "max_batch_tokens": _one(rng, (1, 600, 2048, 9000)),
        "max_passes": _one(rng, (1, 4, 50)),
        "mixing_factor": _one(rng, (1.0, 1.1, 3.0)),
    }
    return {
        "kv_transfer": _one(rng, (None, "auto", "serialized", "layerwise")),
        "scheduler": {name: value for name, value in options.items() if rng.random() < 0.4},
    }


def _objectives(rng: Rng, folder: Path) -> Keys:
    slo = _one(rng, ("splitwise", "splitwise", *CONTRACTS))
    if slo in CONTRACTS:
        path = folder / f"{slo}.toml"
        path.write_text(CONTRACTS[slo], encoding="utf-8")
        slo = str(path)
    return {"slo": slo, "minimize": _one(rng, (None, "cost", "power", "machines"))}


def _failures(rng: Rng) -> Keys:
    keys: Keys = {}
    if rng.random() < 0.6:
        keys |= {"mtbf": _one(rng, (2, 20, 300)), "mttr": _one(rng, (1, 8, 1000))}
    if rng.random() < 0.5:
        pool = _one(rng, ("prompt", "token"))
        start_s = float(rng.uniform(0, 20))
        entry = {"pool": pool, "machine": int(rng.integers(1, 4)), "start": start_s}
        keys["at"] = [entry | {"end": start_s + float(rng.uniform(0.01, 30))}]
    if rng.random() < 0.3:
        plan = {"for": _one(rng, (1, 5)), "every": _one(rng, (2, 9)), "start": 1}
        keys["maintenance"] = plan | {"drain": _one(rng, (0, 1))}
    if rng.random() < 0.3:
        keys["straggler"] = {"pool": _one(rng, ("prompt", "token")), "machine": 1, "factor": 2.5}
    if rng.random() < 0.5:
        interval = _one(rng, (1, 16, 1000))
        keys |= {"restart": "checkpoint", "checkpoint_interval_tokens": interval}
        keys["checkpoint_cost"] = _one(rng, (0, 0.05))
    return keys
