"""The designs that a winner is compared with, as facts move: those that are better, but miss.

Where there are few better designs all of them are. Otherwise those just below the edge of what
meets the SLOs (`edge`): the first to meet when the load or the times shrink.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from math import ceil

from splitwise_plan.facts.design import Design, FamilySpace
from splitwise_plan.planner.boundary import ABOVE, BELOW, Boundary, BoundaryWalk
from splitwise_plan.planner.close_look import judge_closely, most_room_first
from splitwise_plan.planner.driver import Jobs, in_order
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exclusion import Bounds
from splitwise_plan.planner.journal import Journal, evaluations, kept_in_order, part_of
from splitwise_plan.planner.outcome import Evaluation
from splitwise_plan.planner.space import designs, objective
from splitwise_plan.planner.widen import up_to_level
from splitwise_plan.scenario.scenario import Scenario

FEW = 400
"""So many better designs are all judged at every factor."""

DEEP = 3
"""Machines under the edge that challengers have, at most, and as many more as are to be saved."""

AS_IT_IS = "as it is"

SAME = 1e-9
"""Relative: objectives closer than this are equal."""


@dataclass(slots=True)
class Rivals:
    """The designs of a scenario around its winner."""

    scenario: Scenario
    winner: Design
    savings: float
    """By what share of the winner's objective a better design is better, at least."""
    jobs: Jobs
    journal: Journal | None = None
    evaluator: Evaluator = field(init=False)
    edges: dict[str, Boundary] = field(init=False, default_factory=dict)
    """By family id; found when first needed."""

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.scenario)

    @property
    def level(self) -> float:
        """The objective that better designs are below."""
        return (1.0 - self.savings) * objective(self.scenario, self.winner)

    def better(self) -> list[Design]:
        """Every design with a lower objective, the least first."""
        found = [design for space in self.scenario.spaces for design in self._below(space)]
        return sorted(found, key=partial(_order, self.scenario))

    def challengers(self) -> tuple[list[Design], bool]:
        """Better designs that may be the first to meet the SLOs; whether they are all."""
        every = self.better()
        if len(every) <= FEW:
            return every, True
        walked = self.walk()
        deep = DEEP + ceil(self.savings * self.winner.machines)
        return [one for one in every if _is_close(walked.get(one.family.id), one, deep)], False

    def frontier(self, known: Iterable[Design], *, whole: bool) -> tuple[list[Design], bool]:
        """Designs that meet the SLOs, which some price may make the best; whether all of those.

        With fewer machines in a pool, and no more in the other, none of their families meets.
        `whole`: judge every design of the space, however many.
        """
        known = list(known)
        every = [design for space in self.scenario.spaces for design in designs(space)]
        whole = whole or len(every) <= FEW
        tried = every if whole else [*chain(*map(_near, self.walk().values()))]
        tried = [one for one in tried if one not in known]
        meeting = [one.design for one in self.judged(tried) if one.verdict == "meets"]
        return _minimal([*known, *meeting]), whole and not any(map(_is_open, self.scenario.spaces))

    def judged(
        self, tried: Sequence[Design], at: Evaluator | None = None, where: str = AS_IT_IS
    ) -> Generator[Evaluation, None, None]:
        """Those that no bound excludes, judged by an evaluator (default: the scenario's).

        `where`: its name in the journal.
        """
        evaluator = at or self.evaluator
        kind = evaluations("judged", self.scenario.slos)
        left, journal = self._carrying(tried, evaluator), part_of(self.journal, where)
        yield from kept_in_order(journal, kind, evaluator.judge, left, self.jobs)

    def first_meeting(
        self,
        tried: Sequence[Design],
        at: Evaluator | None = None,
        where: str = AS_IT_IS,
        *,
        every: bool = False,
    ) -> Design | None:
        """The first design found to meet the SLOs, no bound excluding it; no more are judged.

        Those that a first look leaves undecided come last, that with the most room first; those
        that seem to miss then are looked at closely only with `every`.
        """
        evaluator = at or self.evaluator
        kind = evaluations("first look", self.scenario.slos)
        look = partial(evaluator.judge, first_look=True)
        left, journal = self._carrying(tried, evaluator), part_of(self.journal, where)
        looked = kept_in_order(journal, kind, look, left, self.jobs)
        left_open: list[Evaluation] = []
        try:
            for one in looked:
                if one.verdict == "meets":
                    return one.design
                if every or one.seems_to_meet:
                    left_open.append(one)
        finally:
            looked.close()
        for one in most_room_first(left_open):
            if self.closely(one.design, evaluator, where).verdict == "meets":
                return one.design
        return None

    def closely(self, design: Design, at: Evaluator, where: str) -> Evaluation:
        """The verdict on one design, as sure as it can be, by all jobs together."""
        kind = evaluations("judged", self.scenario.slos)
        return judge_closely(at, design, self.jobs, part_of(self.journal, where), kind)

    def _carrying(self, tried: Sequence[Design], at: Evaluator) -> list[Design]:
        """Those that no bound excludes."""
        bounds = {space.family.id: Bounds(space, at) for space in self.scenario.spaces}
        return [one for one in tried if bounds[one.family.id].can_carry(one)]

    def walk(self) -> dict[str, Boundary]:
        """The edges of the families with two pools."""
        if not self.edges:
            two = [one for one in self.scenario.spaces if one.token_machines is not None]
            walks = in_order(BoundaryWalk(self.evaluator), two, self.jobs)
            self.edges = {edge.space.family.id: edge for edge in walks}
        return self.edges

    def _below(self, space: FamilySpace) -> Iterator[Design]:
        level = self.level
        for design in designs(up_to_level(self.scenario, space, level)):
            if objective(self.scenario, design) < level * (1.0 - SAME):
                yield design


def _order(scenario: Scenario, design: Design) -> tuple[float, int, int]:
    return objective(scenario, design), design.machines, design.prompt_machines


def _is_open(space: FamilySpace) -> bool:
    """Whether designs beyond the ranges count; of one pool none is as good as the smallest."""
    return space.token_machines is not None and (space.prompt_open or space.token_open)


def _is_close(edge: Boundary | None, design: Design, deep: int) -> bool:
    """Whether a design lies up to so many machines below an edge; all without an edge do."""
    if edge is None:
        return True
    own, right = (edge.tokens.get(design.prompt_machines + p) for p in (0, BELOW))
    least = own if own is not None else right
    return least is not None and least - deep <= design.token_machines <= least


def _near(edge: Boundary) -> Iterator[Design]:
    """Designs at an edge, and those off it that may be what really meets."""
    for prompt, least in edge.tokens.items():
        for token in range(max(1, least - BELOW), least + ABOVE + 1):
            yield Design(edge.space.family, prompt, token)


def _minimal(meeting: Sequence[Design]) -> list[Design]:
    """Those of which no other of the same family has no more machines in either pool."""
    best: dict[tuple[str, int], int] = {}
    for one in meeting:
        key = (one.family.id, one.prompt_machines)
        best[key] = min(best.get(key, one.token_machines), one.token_machines)
    return [
        one
        for one in meeting
        if all(
            (p == one.prompt_machines and t >= one.token_machines) or t > one.token_machines
            for (family, p), t in best.items()
            if family == one.family.id and p <= one.prompt_machines
        )
    ]
