"""Reproduce items of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from splitwise_paper.finding import Finding, Item
from splitwise_paper.quoted import paper
from splitwise_paper.registry import ITEMS
from splitwise_paper.study import FULL, FURTHER, QUICK, STACKS, Study
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.planner.progress import Progress, ProgressCallback


def new_study(
    catalog: Catalog,
    assumptions: Sequence[str] = (),
    *,
    quick: bool = False,
    seeds: int | None = None,
    jobs: int = 1,
) -> Study:
    """A study of the stacks of these assumptions (none: all of them). Raises `InputError`."""
    effort = QUICK if quick else FULL
    stacks = tuple(one for one in STACKS if not assumptions or one.id in assumptions)
    wanted = replace(effort, seeds=seeds or effort.seeds)
    further = () if assumptions else FURTHER
    return Study(catalog, paper(catalog), stacks, wanted, jobs, further)


def reproduce(
    study: Study, ids: Sequence[str] = (), report: ProgressCallback | None = None
) -> list[tuple[Item, Finding]]:
    """The items of these ids (none: all), in the order of the page."""
    asked = [item for item in ITEMS if not ids or item.id in ids]
    results = []
    for done, item in enumerate(asked):
        if report is not None:
            report(Progress(item.title, done, 0, len(asked), None))
        results.append((item, item.run(study)))
    return results
