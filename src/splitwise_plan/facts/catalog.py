"""The catalog: every fact by its id, from the user's folders first and then from ours.

With `facts.traces` this is the only part of the package that reads input files.
"""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Literal

from splitwise_plan.errors import InputError, Problem, raise_if_any
from splitwise_plan.facts.assumptions import Assumptions
from splitwise_plan.facts.capping import (
    Between,
    capped_machine,
    capped_profile,
    locate,
    split_cap,
)
from splitwise_plan.facts.design import Family, FamilySpace
from splitwise_plan.facts.family_spaces import listed, space_of
from splitwise_plan.facts.files import FactFiles, TomlFile, folder_problems
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Link, Machine
from splitwise_plan.facts.mixes import is_mix, mixed, parts_of
from splitwise_plan.facts.price_schema import PriceFile
from splitwise_plan.facts.prices import PriceList, Tariff
from splitwise_plan.facts.problems import validate_file
from splitwise_plan.facts.profile import Profile
from splitwise_plan.facts.roofline import Roofline
from splitwise_plan.facts.schema import (
    AssumptionsFile,
    LinkFile,
    LLMFile,
    MachineFile,
    RooflineFile,
    WorkloadFile,
)
from splitwise_plan.facts.slo import SLOSet
from splitwise_plan.facts.slo_schema import SLOFile
from splitwise_plan.facts.source import FactSource
from splitwise_plan.facts.tables import parse_lengths, parse_profile
from splitwise_plan.facts.traces.read import TraceRead, read_trace
from splitwise_plan.facts.traces.recognise import ReadAs
from splitwise_plan.facts.workload import Workload
from splitwise_plan.suggest import did_you_mean

Kind = Literal[
    "machines",
    "prices",
    "links",
    "llms",
    "assumptions",
    "slos",
    "workloads",
    "lengths",
    "profiles",
    "families",
]

_ONE = {"machines": "machine", "links": "link", "llms": "LLM", "assumptions": "set of assumptions"}
_ONE |= {"slos": "set of SLOs", "workloads": "workload", "prices": "price file"}


class Catalog:
    """Facts by id. `folders` are searched before ours; a fact found first hides later ones.

    A folder of facts is laid out as ours: `hardware/machines/<id>.toml`, `workloads/<id>.toml`, …;
    `machines/<id>.toml` without `hardware/` does too. Every method raises `InputError`.
    """

    def __init__(self, folders: tuple[Path, ...] = ()) -> None:
        missing = [folder for folder in folders if not folder.is_dir()]
        if missing:
            raise InputError(
                Problem(str(folder), "no such folder", "name a folder of facts")
                for folder in missing
            )
        raise_if_any(problem for folder in folders for problem in folder_problems(folder))
        self._files = FactFiles(folders)
        self._profiles: dict[tuple[str, str], dict[int, Profile]] = {}
        self._tariff = Tariff()

    @property
    def folders(self) -> tuple[Path, ...]:
        return self._files.folders

    def below(self, folders: tuple[Path, ...]) -> Catalog:
        """A catalog of its own, in which `folders` come before those of this one."""
        return Catalog((*folders, *self.folders))

    @property
    def sources(self) -> tuple[FactSource, ...]:
        """Every file read so far, with its sha256, sorted by path."""
        return self._files.sources

    def priced(self, tariff: Tariff) -> Catalog:
        """The same files, with every machine at these prices."""
        priced = copy(self)
        priced._tariff = tariff
        return priced

    def list(self, kind: Kind) -> list[str]:
        """Known ids of a kind of fact. Profiles: `<machine>__<llm>`."""
        if kind == "families":
            return [*listed(self._files)]
        if kind == "profiles":
            return [name for name in self._files.names(kind, ".csv") if "__" in name]
        return self._files.names(kind)

    def machine(self, machine_id: str) -> Machine:
        """A machine; `ID@85%`: under a power cap, if need be interpolated (see `facts.capping`)."""
        if (capped := split_cap(machine_id)) is not None:
            found = self._under_cap(machine_id, *capped)
            return found if isinstance(found, Machine) else capped_machine(machine_id, found)
        file = self._toml("machines", machine_id)
        content = validate_file(MachineFile, file)
        if content.link not in self.list("links"):
            fix = did_you_mean(content.link, self.list("links"))
            raise InputError([file.problem(("link",), f"unknown link {content.link!r}", fix)])
        return self._tariff.applied(content.machine(machine_id, self.link(content.link)))

    def prices(self, id_or_path: str) -> PriceList:
        """Prices by id, or from a file if `id_or_path` ends in `.toml`."""
        file = self._toml_at("prices", id_or_path)
        return validate_file(PriceFile, file).price_list(id_or_path, file.where)

    def link(self, link_id: str) -> Link:
        return validate_file(LinkFile, self._toml("links", link_id)).link(link_id)

    def llm(self, llm_id: str) -> LLM:
        return validate_file(LLMFile, self._toml("llms", llm_id)).llm(llm_id)

    def assumptions(self, assumptions_id: str) -> Assumptions:
        file = self._toml("assumptions", assumptions_id)
        return validate_file(AssumptionsFile, file).assumptions(assumptions_id)

    def slos(self, id_or_path: str) -> SLOSet:
        """SLOs by id, or from a file if `id_or_path` ends in `.toml`."""
        return validate_file(SLOFile, self._toml_at("slos", id_or_path)).slos(id_or_path)

    def workload(self, workload_id: str) -> Workload:
        """A workload by id, or a mix of several (`facts.mixes`)."""
        if is_mix(workload_id):
            return mixed([(share, self.workload(one)) for share, one in parts_of(workload_id)])
        file = self._toml("workloads", workload_id)
        content = validate_file(WorkloadFile, file)
        path = self._files.find("lengths", content.lengths, ".csv")
        if path is None:
            fix = did_you_mean(content.lengths, self._files.names("lengths", ".csv"))
            what = f"unknown length table {content.lengths!r}"
            raise InputError([file.problem(("lengths",), what, fix)])
        lengths = parse_lengths(self._files.read_text(path), self._files.shown(path))
        return Workload(workload_id, content.name, lengths)

    def profile(self, machine_profile: str, llm_id: str, tensor_parallel: int) -> Profile:
        """The profile of an LLM on a machine (by `Machine.profile`) at a tensor parallelism."""
        if (capped := split_cap(machine_profile)) is not None:
            found = self._under_cap(machine_profile, *capped)
            if isinstance(found, Machine):
                return self.profile(found.profile, llm_id, tensor_parallel)
            low = self.profile(found.low.profile, llm_id, tensor_parallel)
            high = self.profile(found.high.profile, llm_id, tensor_parallel)
            return capped_profile(machine_profile, low, high, found.weight)
        known = self._profiles_of(machine_profile, llm_id)
        if tensor_parallel not in known:
            what = f"{llm_id} on {machine_profile} has no profile at {tensor_parallel} GPUs"
            fix = f"measured: {', '.join(map(str, known))}"
            raise InputError([Problem("profiles", what, fix)])
        return known[tensor_parallel]

    def profile_degrees(self, machine_profile: str, llm_id: str) -> tuple[int, ...]:
        """The tensor parallelisms that an LLM was profiled at on a machine."""
        return tuple(self._profiles_of(machine_profile, llm_id))

    def _profiles_of(self, machine_profile: str, llm_id: str) -> dict[int, Profile]:
        key = (machine_profile, llm_id)
        if key not in self._profiles:
            name = f"{machine_profile}__{llm_id}"
            path = self._files.find("profiles", name, ".csv")
            if path is None:
                what = f"there is no profile of {llm_id} on {machine_profile}"
                makes = "`profile fit` makes one of measurements, `profile import` of a database"
                fix = f"{makes}: hardware/profiles/{name}.csv in a folder of yours"
                fix += "; or --missing-profiles estimate"
                raise InputError([Problem("profiles", what, f"{fix}; {self._profiled(llm_id)}")])
            text, where = self._files.read_text(path), self._files.shown(path)
            self._profiles[key] = parse_profile(text, where, *key)
        return self._profiles[key]

    def roofline(self) -> Roofline:
        """How times are estimated where there is no profile."""
        file = self._files.read_toml(self._files.roofline_file())
        return validate_file(RooflineFile, file).roofline()

    def family(self, family_id: str) -> Family:
        return self.space(family_id).family

    def families(self) -> tuple[Family, ...]:
        """All families, in the order of their files."""
        return tuple(self.family(family_id) for family_id in self.list("families"))

    def space(self, family_id: str, tensor_parallel: int = 8) -> FamilySpace:
        """A family, listed or named (`facts.family_names`), with the counts a search looks at.

        `tensor_parallel`: of a family whose name does not say.
        """
        return space_of(self._files, self.machine, family_id, tensor_parallel)

    def _under_cap(self, name: str, base_id: str, level: float) -> Machine | Between:
        base = self.machine(base_id)
        return locate(name, level, [base, *(self.machine(point) for point in base.cap_points)])

    def trace(self, path: Path, read_as: ReadAs | None = None) -> TraceRead:
        """A request trace of the user's, in any format that is known."""
        read = read_trace(path, read_as)
        self._files.record(path, read.trace.sha256)
        return read

    def toml(self, path: Path) -> TomlFile:
        """Any TOML file of the user's, recorded as a source."""
        return self._files.read_toml(path)

    def recorded_text(self, relative: str) -> str:
        """The text of a file of ours, e.g. `hardware/profiles/validation.csv`."""
        return self._files.read_text(self._files.ours / relative)

    def _toml_at(self, kind: str, id_or_path: str) -> TomlFile:
        """The file of an id, or at a path, which ends in `.toml`."""
        if id_or_path.endswith(".toml"):
            return self._files.read_toml(Path(id_or_path))
        return self._toml(kind, id_or_path)

    def _toml(self, kind: str, name: str) -> TomlFile:
        path = self._files.find(kind, name)
        if path is None:
            fix = did_you_mean(name, self._files.names(kind))
            raise InputError([Problem(kind, f"unknown {_ONE[kind]} {name!r}", fix)])
        return self._files.read_toml(path)

    def _profiled(self, llm_id: str) -> str:
        """The profiles there are: of that LLM, or else of any."""
        names = self.list("profiles")
        of_it = [name for name in names if name.endswith(f"__{llm_id}")]
        return "there are: " + ", ".join(of_it or names)
