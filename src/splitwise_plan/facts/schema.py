"""What files of facts may say: one pydantic model a kind of file, and the fact it becomes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, RootModel, model_validator
from pydantic_core import PydanticCustomError

from splitwise_plan.facts.assumptions import Assumptions, Horizon
from splitwise_plan.facts.llm import LLM
from splitwise_plan.facts.machine import Link, Machine
from splitwise_plan.facts.quantity import Fact, Name, Strict, within
from splitwise_plan.facts.roofline import Roofline

MAX_MACHINES = 10_000

Count = Annotated[Fact, within("count", 1, 1e6, whole=True)]
Fraction = Annotated[Fact, within("count", 0, 1, above=True)]
Power = Annotated[Fact, within("power", 0, 1e9)]
Size = Annotated[Fact, within("size", 0, 1e18, above=True)]


class LinkFile(Strict):
    """`hardware/links/<id>.toml`"""

    name: Name
    bandwidth: Annotated[Fact, within("bandwidth", 0, 1e15, above=True)]
    layerwise_visible: Annotated[Fact, within("time", 0, 3600)]

    def link(self, link_id: str) -> Link:
        return Link(link_id, self.bandwidth.si, self.layerwise_visible.si)


class MachineFile(Strict):
    """`hardware/machines/<id>.toml`. `profile` defaults to the machine's own id."""

    name: Name
    gpus: Annotated[Fact, within("count", 1, 1024, whole=True)]
    gpu_memory: Size
    gpu_tdp: Power
    cost: Annotated[Fact, within("price", 0, 1e9)]
    rated_power: Annotated[Fact, within("power", 0, 1e9, above=True)]
    power_cap: Fraction
    paper_power: Annotated[Fact, within("accounting", 0, 1e9, above=True)]
    non_gpu_power: Power
    idle_power: Power
    link: Name
    profile: Name | None = None
    gpu_flops: Annotated[Fact, within("compute", 0, 1e18, above=True)] | None = None
    gpu_bandwidth: Annotated[Fact, within("bandwidth", 0, 1e15, above=True)] | None = None
    cap_points: list[Name] = Field(default_factory=list)

    @model_validator(mode="after")
    def _idle_below_rated(self) -> MachineFile:
        idle, rated = self.idle_power.si, self.rated_power.si
        if idle > rated:
            raise PydanticCustomError(
                "idle",
                "draws more idle ({idle} W) than it is rated for ({rated} W): check the units",
                {"idle": f"{idle:,.6g}", "rated": f"{rated:,.6g}"},
            )
        return self

    def machine(self, machine_id: str, link: Link) -> Machine:
        return Machine(
            id=machine_id,
            name=self.name,
            gpus=int(self.gpus.si),
            gpu_memory_bytes=self.gpu_memory.si,
            gpu_tdp_w=self.gpu_tdp.si,
            power_cap=self.power_cap.si,
            provisioned_power_w=self.power_cap.si * self.rated_power.si,
            paper_power=self.paper_power.si,
            non_gpu_power_w=self.non_gpu_power.si,
            idle_power_w=self.idle_power.si,
            cost_usd_per_hour=self.cost.si,
            link=link,
            profile=self.profile or machine_id,
            gpu_flops_per_s=self.gpu_flops.si if self.gpu_flops else None,
            gpu_bandwidth_bytes_per_s=self.gpu_bandwidth.si if self.gpu_bandwidth else None,
            cap_points=tuple(self.cap_points),
        )


class RooflineFile(Strict):
    """`hardware/roofline.toml`"""

    compute: Fraction
    bandwidth: Fraction
    layer_overhead: Annotated[Fact, within("time", 0, 1)]
    sharing_overhead: Annotated[Fact, within("time", 0, 1)]
    prompt_power: Fraction
    token_power: Fraction

    def roofline(self) -> Roofline:
        return Roofline(
            compute=self.compute.si,
            bandwidth=self.bandwidth.si,
            layer_s=self.layer_overhead.si,
            sharing_s=self.sharing_overhead.si,
            prompt_power=self.prompt_power.si,
            token_power=self.token_power.si,
        )


class LLMFile(Strict):
    """`workloads/llms/<id>.toml`"""

    name: Name
    layers: Count
    hidden_size: Count
    attention_heads: Count
    kv_heads: Count
    head_dim: Count
    bytes_per_value: Annotated[Fact, within("size", 1, 8, whole=True)]
    weights: Size

    @model_validator(mode="after")
    def _heads_divide(self) -> LLMFile:
        if self.attention_heads.si % self.kv_heads.si:
            heads = {"heads": int(self.attention_heads.si), "kv": int(self.kv_heads.si)}
            what = "kv_heads {kv} does not divide attention_heads {heads}"
            raise PydanticCustomError("heads", what, heads)
        return self

    def llm(self, llm_id: str) -> LLM:
        return LLM(
            id=llm_id,
            name=self.name,
            layers=int(self.layers.si),
            hidden_size=int(self.hidden_size.si),
            attention_heads=int(self.attention_heads.si),
            kv_heads=int(self.kv_heads.si),
            head_dim=int(self.head_dim.si),
            bytes_per_value=int(self.bytes_per_value.si),
            weights_bytes=self.weights.si,
        )


class AssumptionsFile(Strict):
    """`hardware/assumptions/<id>.toml`"""

    name: Name
    token_time: Literal["batch_and_context", "batch_tokens_curve"]
    mixed_iteration: Literal["longer_of_both", "prompt_only"]
    kv_bytes: Literal["kv_heads", "hidden_size"]
    kv_transfer: Literal["auto", "serialized", "layerwise"]
    kv_bandwidth: Annotated[Fact, within("bandwidth", 0, 1e15, above=True)] | None = None
    memory: Literal["reserve_whole", "as_it_grows"]
    ageing: Literal["token_phases", "pending_order"]
    long_prompt_cuts: bool
    newcomers: Literal["all", "before_waiting_prompts"]
    tbt_denominator: Literal["gaps", "tokens"]
    lengths: Literal["joint", "independent"]
    power_accounting: Literal["watts", "paper"]
    horizon: Horizon = "window"
    """Of files, and plans, from before it could be said."""

    def assumptions(self, assumptions_id: str) -> Assumptions:
        rules = {name: value for name, value in self if name not in ("name", "kv_bandwidth")}
        bandwidth = self.kv_bandwidth.si if self.kv_bandwidth else None
        return Assumptions(id=assumptions_id, kv_bandwidth_bytes_per_s=bandwidth, **rules)


class WorkloadFile(Strict):
    """`workloads/<id>.toml`"""

    name: Name
    lengths: Name
    source: Name
    mean_rate: Annotated[Fact, within("rate", 0, 1e9)] | None = None


class RangeFact(Strict):
    """Machine counts from `low` to `high`, both included."""

    low: Annotated[int, Field(ge=1, le=MAX_MACHINES)]
    high: Annotated[int, Field(ge=1, le=MAX_MACHINES)]
    unit: Literal["machines"]
    source: Annotated[str, Field(min_length=3)]

    @model_validator(mode="after")
    def _low_first(self) -> RangeFact:
        if self.low > self.high:
            ends = {"low": self.low, "high": self.high}
            raise PydanticCustomError("order", "low {low} is above high {high}", ends)
        return self


class FamilyEntry(Strict):
    """A table of `hardware/families.toml`"""

    name: Name
    prompt_machine: Name
    token_machine: Name | None = None
    prompt_machines: RangeFact
    token_machines: RangeFact | None = None

    @model_validator(mode="after")
    def _token_range(self) -> FamilyEntry:
        if (self.token_machine is None) != (self.token_machines is None):
            what = "token_machine and token_machines come together, or neither (one pool)"
            raise PydanticCustomError("token_range", "{what}", {"what": what})
        return self


class FamiliesFile(RootModel[dict[Name, FamilyEntry]]):
    """`hardware/families.toml`: family tables by id."""
