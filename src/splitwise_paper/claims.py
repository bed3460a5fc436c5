"""Sentences of the paper, and whether each holds in a stack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from splitwise_paper.study import Stack, Study

Verdict = Literal["holds", "in part", "does not hold"]


class Claim(NamedTuple):
    """Whether a sentence holds, and the numbers that say so."""

    verdict: Verdict
    told: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """What the paper says; `source`: where. `of`: whether it holds in a stack."""

    name: str
    says: str
    source: str
    of: Callable[[Study, Stack], Claim]


@dataclass(frozen=True, slots=True)
class Answered:
    """A sentence and what each stack, by its id, says to it."""

    sentence: Sentence
    held: Mapping[str, Claim]


def answered(
    study: Study, sentences: Sequence[Sentence], stacks: Sequence[Stack]
) -> tuple[Answered, ...]:
    """Ask every stack: one stack more is one column more."""
    return tuple(
        Answered(one, {stack.id: one.of(study, stack) for stack in stacks}) for one in sentences
    )
