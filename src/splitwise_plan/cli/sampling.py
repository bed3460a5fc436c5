"""Which way a space is searched, by whom, and where what can be resumed is kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from splitwise_plan.cli.options import Flags
from splitwise_plan.errors import InputError, Problem

if TYPE_CHECKING:
    from splitwise_plan.planner.driver import Jobs
    from splitwise_plan.planner.journal import Journal
    from splitwise_plan.scenario.scenario import Scenario

STUDY, JOURNAL = "study.journal", "run.journal"
"""In a folder of results: of what Optuna proposed, and of all else."""


def study_problems(flags: Flags, *, sampled: bool) -> list[Problem]:
    """A study without a name, and flags that would have no effect."""
    if flags["study"] == "":
        return [Problem("--study", "is empty", "name a file or a URL")]
    if sampled:
        return []
    problems = []
    if flags["study"] is not None:
        what = "Optuna has no part in it: this space is gone through"
        problems.append(Problem("--study", what, "drop it, or use --method optuna"))
    if flags["trials"] is not None:
        what = "Optuna is not asked: this space is gone through"
        problems.append(Problem("--trials", what, "drop it, or use --method optuna"))
    return [*problems, *resume_problems(flags)]


def resume_problems(flags: Flags) -> list[Problem]:
    """Of a run that keeps its results in the folder of --out."""
    if not flags["resume"] or flags["out"] is not None:
        return []
    return [Problem("--resume", "nothing is kept without --out", "name the folder of the last run")]


def gone_through(flags: Flags, scenario: Scenario) -> list[Problem]:
    """What is wrong with a question for a command that goes through the space, many times."""
    from splitwise_plan.planner.choose import is_sampled

    problems = resume_problems(flags)
    if scenario.maximize is not None:
        what = "the rate is given here, not looked for"
        return [*problems, Problem("maximize", what, "give rate and minimize")]
    if is_sampled(scenario):
        what = "this space is too large to be gone through many times"
        fix = "narrow the ranges, or give --method exhaustive"
        return [*problems, Problem("method", what, fix)]
    return problems


def storage(flags: Flags, scenario: Scenario, out: Path | None) -> str:
    """Where the study is kept: --study, or a journal in --out DIR, or in the user's cache.

    Without --resume a journal of ours is begun anew.
    """
    if flags["study"] is not None:
        return str(flags["study"])
    journal = out / STUDY if out is not None else _cached(scenario)
    journal.parent.mkdir(parents=True, exist_ok=True)
    if not flags["resume"]:
        journal.unlink(missing_ok=True)
    return str(journal)


def _cached(scenario: Scenario) -> Path:
    from splitwise_plan.planner.fingerprint import fingerprint
    from splitwise_plan.sim.warmup import cache_folder

    return cache_folder("studies") / f"{fingerprint(scenario)[:16]}.journal"


@contextmanager
def resumable(
    flags: Flags, asked: object, out: Path | None, about: str = "", *, study: bool = False
) -> Iterator[Journal | None]:
    """A journal of what is finished, kept in `out` until all is done; None without that folder.

    `asked`: the facts of the question, a scenario or several; `about`: what else makes it.
    `study`: Optuna keeps one too. Whoever interrupts is told how to go on.
    """
    try:
        if out is None:
            yield None
            return
        from splitwise_plan.planner.fingerprint import fingerprint
        from splitwise_plan.planner.journal import Journal

        path, question = out / JOURNAL, fingerprint(asked, about)
        with Journal(path, question, resume=bool(flags["resume"])) as journal:
            yield journal
        path.unlink(missing_ok=True)
    except KeyboardInterrupt:
        if out is not None or study:
            print("what was finished is kept: --resume goes on from it", file=sys.stderr)
        raise


@contextmanager
def workers(flags: Flags, threads: int) -> Iterator[Jobs]:
    """Threads here, or the workers of --dask. Raises `InputError` where they are out of reach."""
    address = flags["dask"]
    if address is None:
        yield threads
        return
    from splitwise_plan.planner.driver import Cluster

    try:
        cluster = Cluster(address)
    except ImportError:
        fix = "pip install 'splitwise-plan[dask]'"
        raise InputError([Problem("--dask", "Dask is not installed", fix)]) from None
    except (OSError, ValueError) as error:
        what = f"no Dask scheduler answers at {address!r}: {error}"
        raise InputError([Problem("--dask", what, "e.g. tcp://10.0.0.1:8786")]) from None
    with cluster:
        yield cluster
