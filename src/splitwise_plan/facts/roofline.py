"""What turns a GPU's peak rates into times where nobody measured (`hardware/roofline.toml`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Roofline:
    """`compute`, `bandwidth`: share (0..1) of the GPU's peak that is reached.

    `layer_s`: seconds of each layer whatever it computes; `sharing_s`: more where several GPUs
    share a model. `prompt_power`, `token_power`: fractions of GPU TDP.
    """

    compute: float
    bandwidth: float
    layer_s: float
    sharing_s: float
    prompt_power: float
    token_power: float
