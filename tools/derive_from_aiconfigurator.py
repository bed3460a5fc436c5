"""Derive the profiles of current models that we ship, from NVIDIA's operator database.

    python tools/derive_from_aiconfigurator.py llama-3.1-70b
    python tools/derive_from_aiconfigurator.py qwen3-32b --out examples/qwen3-32b-h200/facts

Needs `pip install 'splitwise-plan[aiconfigurator]'`. Files are written below `--out` (default: this
repository). The same version of the database gives the same bytes.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from splitwise_plan.data.profile.import_report import Origin, derived_text
from splitwise_plan.data.profile.profile_file import llm_path, llm_text, profile_path
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.traces.aiconfigurator import open_database
from splitwise_plan.models.deriving import Derived
from splitwise_plan.models.fitting import Medians
from splitwise_plan.models.importing import Imported, import_profile, power_words

BACKEND = "vllm"
CAPPED, CAP_OF, CAP_PROMPT_FACTOR = "dgx-h100-cap70", "dgx-h100", 1.3
"""The paper's simulator takes a capped H100's prompt times as 1.3 x the uncapped one's."""


class Model(NamedTuple):
    """`systems`: of each machine. `degrees`: tensor parallelisms."""

    name: str
    title: str
    systems: dict[str, str]
    degrees: tuple[int, ...]
    capped: bool = False


MODELS = {
    "llama-3.1-70b": Model(
        "meta-llama/Meta-Llama-3.1-70B",
        "Llama-3.1-70B",
        {"dgx-a100": "a100_sxm", "dgx-h100": "h100_sxm"},
        (8,),
        capped=True,
    ),
    "qwen3-32b": Model(
        "Qwen/Qwen3-32B", "Qwen3-32B", {"dgx-h100": "h100_sxm", "h200": "h200_sxm"}, (1, 2, 4, 8)
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("llm", choices=sorted(MODELS))
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    for relative, text in files(options.llm).items():
        path = options.out / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def files(llm_id: str) -> dict[str, str]:
    """Return the text of each file, by its path."""
    model, catalog = MODELS[llm_id], Catalog()
    texts: dict[str, str] = {}
    for machine, system in model.systems.items():
        databases = [open_database(model.name, system, BACKEND, n) for n in model.degrees]
        imported = import_profile(catalog, databases, catalog.machine(machine), llm_id)
        origin = Origin(
            *(model.name, system, databases[0].versions, databases[0].architecture.precision),
            command=f"python tools/derive_from_aiconfigurator.py {llm_id}",
        )
        texts[profile_path(machine, llm_id)] = _text(machine, llm_id, origin, imported)
        if model.capped and machine == CAP_OF:
            texts[profile_path(CAPPED, llm_id)] = _capped(llm_id, origin, imported)
        shipped = f"{model.name} config.json as shipped with {databases[0].versions.split(',')[0]}"
        named = replace(imported.llm, name=model.title)
        texts[llm_path(llm_id)] = llm_text(named, shipped, f"{shipped}: {origin.precision}")
    return texts


def _text(machine: str, llm_id: str, origin: Origin, imported: Imported) -> str:
    return derived_text(machine, llm_id, origin, imported.derived, imported.power, power_words())


def _capped(llm_id: str, origin: Origin, imported: Imported) -> str:
    """The capped machine's profile: nobody measured one."""
    derived = {degree: _slower(one) for degree, one in imported.derived.items()}
    note = (
        f"assumed: prompt times are those of {CAP_OF} x {CAP_PROMPT_FACTOR} and token times its "
        "own, as in SplitwiseSim"
    )
    return derived_text(
        CAPPED, llm_id, origin, derived, imported.power, power_words(), extra=[note]
    )


def _slower(derived: Derived) -> Derived:
    prompt = derived.curves["prompt_time"]
    slower = Medians(prompt.x, CAP_PROMPT_FACTOR * prompt.y, prompt.measurements)
    curves = {**derived.curves, "prompt_time": slower}
    return replace(derived, curves=curves)


if __name__ == "__main__":
    main()
