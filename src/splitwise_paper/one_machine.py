"""Three ways to batch on one machine (paper, Fig. 2), iteration by iteration.

    request     a batch of requests runs to its end before the next one begins
    continuous  at each iteration either waiting prompts, or all token phases
    mixed       at each iteration waiting prompts together with all token phases

Plain and slow: the simulator knows `mixed` alone, which a test compares with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from splitwise_plan.facts.requests import Requests
from splitwise_plan.models.performance import PhaseTimes

Mechanism = Literal["request", "continuous", "mixed"]
MECHANISMS: tuple[Mechanism, ...] = ("request", "continuous", "mixed")


@dataclass(frozen=True, slots=True)
class Iteration:
    """What ran from `start_s` to `end_s`: numbers of the requests in each phase."""

    start_s: float
    end_s: float
    prompts: tuple[int, ...]
    tokens: tuple[int, ...]


@dataclass(slots=True)
class OneMachine:
    """A machine with one queue. `mixed_at_least_token`: a rule of the assumptions."""

    times: PhaseTimes
    requests: Requests
    mechanism: Mechanism
    max_batch_tokens: int = 2048
    max_batch_size: int = 512
    mixing_factor: float = 1.1
    mixed_at_least_token: bool = True
    produced: dict[int, int] = field(default_factory=dict)
    """Output tokens of the requests in their token phase."""

    def run(self) -> Iterator[Iteration]:
        """Every iteration until all requests are done."""
        arrival_s = self.requests.arrival_s.tolist()
        waiting: deque[int] = deque()
        now, nxt = 0.0, 0
        while nxt < len(arrival_s) or waiting or self.produced:
            if not waiting and not self.produced:
                now = max(now, arrival_s[nxt])
            while nxt < len(arrival_s) and arrival_s[nxt] <= now:
                waiting.append(nxt)
                nxt += 1
            prompts, tokens = self._pick(waiting)
            end = now + self._time_s(prompts, tokens)
            yield Iteration(now, end, prompts, tokens)
            self._advance(prompts, tokens)
            now = end

    def _pick(self, waiting: deque[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        running = tuple(self.produced)
        if self.mechanism == "request" and running:
            return (), running
        limit = self.max_batch_size if self.mechanism == "request" else self.max_batch_tokens
        prompts: list[int] = []
        size = len(running) if self.mechanism == "mixed" else 0
        while waiting and len(running) + len(prompts) < self.max_batch_size:
            tokens = int(self.requests.prompt_tokens[waiting[0]])
            weight = 1 if self.mechanism == "request" else tokens
            if prompts and size + weight > limit:
                break
            size += weight
            prompts.append(waiting.popleft())
        if self.mechanism == "mixed":
            return tuple(prompts), running
        return tuple(prompts), () if prompts else running

    def _time_s(self, prompts: tuple[int, ...], tokens: tuple[int, ...]) -> float:
        context = sum(int(self.requests.prompt_tokens[at]) + self.produced[at] for at in tokens)
        token_s = float(self.times.token_s(len(tokens), context)) if tokens else 0.0
        if not prompts:
            return token_s
        batch = sum(int(self.requests.prompt_tokens[at]) for at in prompts)
        if not tokens:
            return float(self.times.prompt_s(batch))
        mixed_s = self.mixing_factor * float(self.times.prompt_s(batch + len(tokens)))
        return max(mixed_s, token_s) if self.mixed_at_least_token else mixed_s

    def _advance(self, prompts: tuple[int, ...], tokens: tuple[int, ...]) -> None:
        for at in (*prompts, *tokens):
            done = self.produced.get(at, 0) + 1
            if done < int(self.requests.output_tokens[at]):
                self.produced[at] = done
            else:
                self.produced.pop(at, None)
