"""From an operator database to an LLM and its profile on a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Machine
from splitwise_plan.facts.traces.aiconfigurator import Architecture, OperatorDatabase
from splitwise_plan.models.deriving import Derived, derive
from splitwise_plan.models.fitting import Medians, borrowed_power

POWER_MACHINE, POWER_LLM = "dgx-a100", "llama2-70b"
"""The profile that power is taken from where none was measured, at the nearest parallelism."""


SAME = 0.15
"""GPUs are taken as the same where memory and power differ by less."""
GIB = 2.0**30


@dataclass(frozen=True, slots=True)
class Imported:
    """`derived`, `power`: by tensor parallelism. `known`: the catalog had this LLM already."""

    machine: Machine
    llm: LLM
    known: bool
    derived: dict[int, Derived]
    power: dict[int, dict[str, Medians]]


def import_profile(
    catalog: Catalog, databases: Sequence[OperatorDatabase], machine: Machine, llm_id: str
) -> Imported:
    """Sample databases of one model, one a tensor parallelism.

    Raises `InputError` where weights do not fit, the GPUs are plainly others than the machine's, or
    `llm_id` is the id of another model.
    """
    _require_same_gpu(databases[0], machine)
    llm = _llm(databases[0], llm_id)
    known = llm_id in catalog.list("llms")
    if known:
        llm = _same(catalog.llm(llm_id), llm)
    derived, power = {}, {}
    for database in databases:
        degree = database.tensor_parallel
        room = machine.instance_memory_bytes(degree) - llm.weights_bytes
        if room <= 0:
            what = f"{llm.weights_bytes / 1e9:,.0f} GB of weights do not fit into {degree} GPUs"
            raise InputError([Problem("--tp", f"{what} of {machine.id}", "use more")])
        derived[degree] = derive(database, room / llm.kv_bytes_per_token("kv_heads"))
        power[degree] = power_fallback(catalog, degree)
    return Imported(machine, llm, known, derived, power)


def _require_same_gpu(database: OperatorDatabase, machine: Machine) -> None:
    """Raise `InputError` where memory or power say that the system is another GPU."""
    pairs = (
        ("memory", database.gpu_memory_bytes / GIB, machine.gpu_memory_bytes / GIB, "GiB"),
        ("power", database.gpu_power_w, machine.gpu_tdp_w, "W"),
    )
    told = [
        f"{theirs:,.0f} {unit} of {name}, where {machine.id} has {ours:,.0f}"
        for name, theirs, ours, unit in pairs
        if abs(theirs / ours - 1.0) > SAME
    ]
    if told:
        what = f"a GPU of {database.system} has {' and '.join(told)}"
        raise InputError([Problem("--machine", what, "name the machine that has these GPUs")])


def power_fallback(catalog: Catalog, tensor_parallel: int) -> dict[str, Medians]:
    """Power curves for a machine that nobody measured: those of the one that was."""
    degrees = catalog.profile_degrees(POWER_MACHINE, POWER_LLM)
    nearest = min(degrees, key=lambda measured: abs(measured - tensor_parallel))
    return borrowed_power(catalog.profile(POWER_MACHINE, POWER_LLM, nearest))


def power_words() -> str:
    """Where `power_fallback` comes from."""
    return f"{POWER_LLM} on {POWER_MACHINE}, as fractions of TDP"


def _llm(database: OperatorDatabase, llm_id: str) -> LLM:
    a: Architecture = database.architecture
    return LLM(
        id=llm_id,
        name=database.model.rpartition("/")[2],
        layers=a.layers,
        hidden_size=a.hidden_size,
        attention_heads=a.attention_heads,
        kv_heads=a.kv_heads,
        head_dim=a.head_dim,
        bytes_per_value=a.kv_bytes_per_value,
        weights_bytes=a.weights_bytes,
    )


def _same(known: LLM, asked: LLM) -> LLM:
    """The LLM of the catalog, if it is the one that was sampled."""
    shape = replace(asked, name=known.name, weights_bytes=known.weights_bytes)
    if shape != known:
        what = f"{known.id} is {known.name} in the catalog, another model than {asked.name}"
        raise InputError([Problem("--llm", what, "choose another id")])
    return known
