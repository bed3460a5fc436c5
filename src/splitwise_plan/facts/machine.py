"""A machine (one server) and its network link: the unit that is bought, powered and counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """The network of one machine, used to move KV caches between machines."""

    id: str
    bandwidth_bytes_per_s: float
    layerwise_visible_s: float
    """What stays visible of a layer-wise KV transfer however small (paper, Fig. 14)."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A server type. Sources of every number are in its file, `hardware/machines/<id>.toml`."""

    id: str
    name: str
    gpus: int
    gpu_memory_bytes: float
    gpu_tdp_w: float
    power_cap: float
    """Provisioned power as a fraction of the uncapped machine's; 1 where there is no cap."""
    provisioned_power_w: float
    paper_power: float
    """Provisioned power in the paper's own accounting (24.8 : 44 : 30.8, no unit)."""
    non_gpu_power_w: float
    idle_power_w: float
    cost_usd_per_hour: float
    """Rent: the machine file's, or that of the scenario's price file."""
    link: Link
    profile: str
    """Machine id whose measured profile describes it (`hardware/profiles/<profile>__<llm>.csv`)."""
    gpu_flops_per_s: float | None = None
    """Peak rate of one GPU, dense, at 16 bits. This and the next: for estimates alone."""
    gpu_bandwidth_bytes_per_s: float | None = None
    """Peak memory bandwidth of one GPU."""
    cap_points: tuple[str, ...] = ()
    """Ids of the same machine under power caps that have a profile."""
    between: tuple[str, str] | None = None
    """The two machines that this one is interpolated between, if it is."""

    power_usd_per_hour: float = 0.0
    """Electricity of its provisioned power, where the scenario counts that as cost."""

    def instance_memory_bytes(self, tensor_parallel: int) -> float:
        """GPU memory of an instance of `tensor_parallel` GPUs, weights included."""
        return self.gpu_memory_bytes * tensor_parallel
