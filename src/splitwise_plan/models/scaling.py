"""A profile whose times are those of another, times a factor."""

from __future__ import annotations

from dataclasses import dataclass, replace

from splitwise_plan.facts.profile import Curve, Profile


@dataclass(frozen=True, slots=True)
class Factors:
    """Prompt time = `prompt` x base + `overhead_s` an iteration; token time = `token` x base."""

    prompt: float = 1.0
    token: float = 1.0
    overhead_s: float = 0.0


def scaled(profile: Profile, factors: Factors) -> Profile:
    """`profile` with its times scaled; power stays."""

    def token(curve: Curve) -> Curve:
        return Curve(curve.x, factors.token * curve.y)

    prompt = profile.prompt_time
    return replace(
        profile,
        prompt_time=Curve(prompt.x, factors.prompt * prompt.y + factors.overhead_s),
        token_time_by_batch_tokens=token(profile.token_time_by_batch_tokens),
        token_time_by_batch=token(profile.token_time_by_batch),
        token_time_by_context=token(profile.token_time_by_context),
    )
