"""One plan for several loads: a design that meets the SLOs under each of them.

`least`: of the designs that meet the SLOs under every load the one with the least objective, found
and proven as for one load (`exhaustive`), on the verdict over all loads (`joint`). A fixed design
has one objective, so its largest ratio to the loads' own optima is least where the objective is:
of fixed designs this is also the one of least regret.

`regret`: machine types are chosen once, their counts anew for each load. A family's regret is the
largest ratio, over the loads, of its own best design's objective to that of the best of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from splitwise_plan.facts.design import Design, Family
from splitwise_plan.planner.driver import Jobs, in_order
from splitwise_plan.planner.evaluate import Evaluator
from splitwise_plan.planner.exhaustive import Families
from splitwise_plan.planner.family_search import Known
from splitwise_plan.planner.grid import name_of
from splitwise_plan.planner.journal import Journal, part_of
from splitwise_plan.planner.multi_load import MultiLoadEvaluator
from splitwise_plan.planner.outcome import Evaluation, SearchResult, best_of
from splitwise_plan.planner.progress import ProgressCallback
from splitwise_plan.planner.space import objective
from splitwise_plan.planner.sweep import judge_in_full
from splitwise_plan.questions.robust.growth_horizon import RunOut, run_outs
from splitwise_plan.scenario.loads.schema import Load, LoadSet
from splitwise_plan.scenario.scenario import Scenario
from splitwise_plan.sim.verdict import MISSED


@dataclass(frozen=True, slots=True)
class Served:
    """A design under every load, in their order; each run went to its end."""

    design: Design
    evaluations: tuple[Evaluation, ...]

    @property
    def meets_all(self) -> bool:
        return all(one.verdict == "meets" for one in self.evaluations)


@dataclass(frozen=True, slots=True)
class FamilyRegret:
    """A family whose counts follow the load; `designs`: its best under each, None where none is.

    `worst`: the regret, as a share of the optimum; infinite where a load is not served.
    """

    family: Family
    designs: tuple[Design | None, ...]
    worst: float


@dataclass(frozen=True, slots=True, eq=False)
class RobustResult:
    """`alone`: the search of each load by itself, in their order. `joint`: of all together.

    `served`: the answer, if there is one, then the other designs that are best for some load.
    `regrets`: the families, least regret first; none where the least was asked for.
    """

    loads: LoadSet
    alone: tuple[SearchResult, ...]
    joint: SearchResult
    served: tuple[Served, ...]
    regrets: tuple[FamilyRegret, ...]
    run_outs: tuple[RunOut, ...]
    """Of the designs of `served`, where a growth is known."""
    simulations: int

    @property
    def answer(self) -> Served | None:
        """The design that is best over all loads."""
        return self.served[0] if best_of(self.joint) is not None else None

    @property
    def least_regret(self) -> FamilyRegret | None:
        """The family of least regret, if there is one that serves every load."""
        first = next(iter(self.regrets), None)
        return first if first is not None and first.worst < inf else None

    def regret(self, at: int) -> float | None:
        """How far the answer's objective is over the optimum of a load, as a share of it."""
        answer, own = best_of(self.joint), best_of(self.alone[at])
        if answer is None or own is None:
            return None
        return ratio(self.loads, answer, own) - 1.0


def robust(
    loads: LoadSet,
    jobs: Jobs,
    progress: ProgressCallback | None = None,
    journal: Journal | None = None,
) -> RobustResult:
    """The best plan for all loads, the best for each alone, and where those break.

    `journal`: to go on from.
    """
    scenarios = [_asked(loads, one) for one in loads.loads]
    evaluators = [Evaluator(one) for one in scenarios]
    searches = [
        Families(asked, evaluator, jobs, progress, part_of(journal, f"load {at}"))
        for at, (asked, evaluator) in enumerate(zip(scenarios, evaluators, strict=True))
    ]
    alone = tuple(one.run() for one in searches)
    known = _missed([one.known for one in searches])
    evaluator = MultiLoadEvaluator(loads.base, evaluators)
    kept = part_of(journal, "all loads")
    everything = Families(loads.base, evaluator, jobs, progress, kept, known)
    joint = everything.run()
    served = tuple(_served(_candidates(joint, alone), evaluators, jobs))
    again = sum(one.simulations for each in served for one in each.evaluations)
    grown = run_outs(loads, [one.design for one in served], jobs) if loads.growth else ()
    simulations = [one.simulations for one in (joint, *alone)] + [one.simulations for one in grown]
    return RobustResult(
        loads=loads,
        alone=alone,
        joint=joint,
        served=served,
        regrets=_regrets(loads, alone) if loads.choose == "regret" else (),
        run_outs=grown,
        simulations=again + sum(simulations),
    )


def ratio(loads: LoadSet, design: Design, optimum: Design) -> float:
    """The objective of a design over that of another."""
    least = objective(loads.base, optimum)
    return objective(loads.base, design) / least if least > 0.0 else inf


def _asked(loads: LoadSet, load: Load) -> Scenario:
    """A load's scenario; where regret counts the best of each family must be proven."""
    proven = loads.choose == "regret"
    return replace(load.scenario, method="exhaustive") if proven else load.scenario


def _missed(known: Sequence[Known]) -> Known:
    """What misses under one load, by a bound or a simulation, misses under all together."""
    return {
        design: evaluation
        for of_load in known
        for design, evaluation in of_load.items()
        if evaluation is None or evaluation.verdict in MISSED
    }


def _candidates(joint: SearchResult, alone: Sequence[SearchResult]) -> list[Design]:
    found = [best_of(one) for one in (joint, *alone)]
    by_name: Mapping[str, Design] = {name_of(one): one for one in reversed(found) if one}
    return [by_name[name] for name in dict.fromkeys(name_of(one) for one in found if one)]


def _served(
    designs: Sequence[Design], evaluators: Sequence[Evaluator], jobs: Jobs
) -> Iterator[Served]:
    for design in designs:
        judged = in_order(partial(_in_full, design), evaluators, jobs)
        yield Served(design, tuple(judged))


def _in_full(design: Design, evaluator: Evaluator) -> Evaluation:
    return judge_in_full(evaluator, design)


def _regrets(loads: LoadSet, alone: Sequence[SearchResult]) -> tuple[FamilyRegret, ...]:
    """The families by their regret."""
    optima = [best_of(one) for one in alone]
    found = []
    for at, space in enumerate(loads.base.spaces):
        own = [one.families[at].best for one in alone]
        designs = tuple(one.evaluation.design if one else None for one in own)
        ratios = [
            ratio(loads, design, best) if design and best else inf
            for design, best in zip(designs, optima, strict=True)
        ]
        found.append(FamilyRegret(space.family, designs, max(ratios) - 1.0))
    return tuple(sorted(found, key=lambda one: one.worst))
