"""`splitwise-plan profile import`: a profile of today's GPUs and models."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from splitwise_plan.cli import exits, output, question
from splitwise_plan.cli import flags as f
from splitwise_plan.cli.options import Command, Flag, Flags
from splitwise_plan.data.profile import keeping
from splitwise_plan.errors import InputError

if TYPE_CHECKING:
    from splitwise_plan.data.profile.import_report import Origin
    from splitwise_plan.models.importing import Imported

SOURCES = ("aiconfigurator",)
BACKENDS = ("vllm", "sglang", "trtllm")

FROM = Flag("from_", "aiconfigurator", "Where from.", kind=str, default="aiconfigurator")
MODEL = Flag("model", "NAME", "The model, as on Hugging Face, e.g. Qwen/Qwen3-32B.")
SYSTEM = Flag("system", "NAME", "The GPU in the database, e.g. h100_sxm.")
BACKEND = Flag("backend", "|".join(BACKENDS), "Serving software.", kind=str, default="vllm")
TP = Flag("tp", "N,N", "GPUs of one instance; several are profiled one after the other.")
MACHINE = Flag("machine", "ID", "The machine that has these GPUs, e.g. dgx-h100.")
LLM = Flag("llm", "ID", "What to call the model, e.g. qwen3-32b.")


def import_(flags: Flags) -> int:
    """Derive a profile and an LLM from NVIDIA's database of measured operators.

    Needs the extra `[aiconfigurator]`. Without --to it only shows how well the profile would
    predict the database.
    """
    to = output.Output.of(flags)
    folder = keeping.folder(flags)
    flags.choice("from_", SOURCES)
    backend = flags.choice("backend", BACKENDS)
    degrees = _degrees(flags)
    for name in ("model", "system", "machine", "llm"):
        if flags[name] is None:
            flags.refuse(name, "is missing")
    catalog = question.catalog(flags)
    machine = None
    if flags["machine"] is not None:
        machine = flags.look_up(lambda: catalog.machine(flags["machine"]))
    if flags.problems or machine is None:
        raise InputError(flags.problems)

    from splitwise_plan.data.profile.profile_file import llm_path, profile_path

    names = [profile_path(machine.profile, flags["llm"])]
    if flags["llm"] not in catalog.list("llms"):
        names.append(llm_path(flags["llm"]))
    keeping.refuse_existing(folder, names)

    from splitwise_plan.data.profile import import_report as imported_profile
    from splitwise_plan.facts.traces.aiconfigurator import open_database
    from splitwise_plan.models.importing import import_profile

    databases = [open_database(flags["model"], flags["system"], backend, n) for n in degrees]
    imported = import_profile(catalog, databases, machine, flags["llm"])
    first = databases[0]
    origin = imported_profile.Origin(
        *(first.model, first.system, first.versions, first.architecture.precision),
        command=_command(flags),
    )
    kept = keeping.keep(folder, dict(zip(names, _texts(imported, origin), strict=False)))
    to.write(imported_profile.report(machine.id, imported.llm, origin, imported.derived, kept))
    return exits.OK


def _degrees(flags: Flags) -> list[int]:
    """The tensor parallelisms, increasing."""
    texts = flags.listed("tp") or []
    if not texts:
        flags.refuse("tp", "is missing", "e.g. --tp 8, or --tp 2,4,8")
    whole = [int(text) for text in texts if text.isascii() and text.isdigit() and int(text) > 0]
    if len(whole) != len(texts):
        flags.refuse("tp", f"must be whole numbers of at least 1, not {flags['tp']!r}")
    return sorted(set(whole))


def _texts(imported: Imported, origin: Origin) -> list[str]:
    """The profile's file, and the LLM's."""
    from splitwise_plan.data.profile.import_report import derived_text
    from splitwise_plan.data.profile.profile_file import llm_text
    from splitwise_plan.models.importing import power_words

    names = (imported.machine.profile, imported.llm.id)
    profile = derived_text(*names, origin, imported.derived, imported.power, power_words())
    config = f"{origin.model} config.json as shipped with {origin.versions.split(',')[0]}"
    return [profile, llm_text(imported.llm, config, f"{origin.versions}: {origin.precision}")]


def _command(flags: Flags) -> str:
    words = ["splitwise-plan", "profile", "import"]
    for flag in (FROM, MODEL, SYSTEM, BACKEND, TP, MACHINE, LLM):
        words += [flag.flag, flags[flag.name]]
    return shlex.join(words)


COMMAND = Command(
    "import",
    import_,
    (
        *(FROM, MODEL, SYSTEM, BACKEND, TP, MACHINE, LLM, keeping.TO),
        *(f.HARDWARE, f.FORMAT, f.QUIET, f.DEBUG),
    ),
    "splitwise-plan profile import --from aiconfigurator --model Qwen/Qwen3-32B "
    "--system h100_sxm --backend vllm --tp 2 --machine dgx-h100 --llm qwen3-32b",
)
