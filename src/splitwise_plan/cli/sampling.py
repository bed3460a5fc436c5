"""Which way a space is searched, and where a search that can be resumed is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from splitwise_plan.cli.options import Flags
from splitwise_plan.errors import InputError, Problem

if TYPE_CHECKING:
    from splitwise_plan.facts.scenario import Scenario
    from splitwise_plan.search.driver import Jobs

JOURNAL = "study.journal"


def study_problems(flags: Flags, *, sampled: bool) -> list[Problem]:
    """Flags that only a sampled search has a use for."""
    if sampled:
        return []
    kept, fix = "nothing is kept: this space is gone through in one go", "or use --method optuna"
    whys = {
        "study": kept,
        "resume": kept,
        "trials": "Optuna is not asked: the space is gone through",
    }
    return [
        Problem(f"--{name}", why, f"drop it, {fix}") for name, why in whys.items() if flags[name]
    ]


def storage(flags: Flags, scenario: Scenario, out: Path | None) -> str:
    """Where the study is kept: --study, or a journal in --out DIR, or in the user's cache.

    Without --resume a journal of ours is begun anew.
    """
    if flags["study"] is not None:
        return str(flags["study"])
    journal = out / JOURNAL if out is not None else _cached(scenario)
    journal.parent.mkdir(parents=True, exist_ok=True)
    if not flags["resume"]:
        journal.unlink(missing_ok=True)
    return str(journal)


def _cached(scenario: Scenario) -> Path:
    from splitwise_plan.search.fingerprint import fingerprint
    from splitwise_plan.sim.warmup import cache_folder

    return cache_folder("studies") / f"{fingerprint(scenario)[:16]}.journal"


@contextmanager
def workers(flags: Flags, threads: int) -> Iterator[Jobs]:
    """Threads here, or the workers of --dask. Raises `InputError` where they are out of reach."""
    address = flags["dask"]
    if address is None:
        yield threads
        return
    from splitwise_plan.search.driver import Cluster

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
