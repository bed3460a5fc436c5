"""The way into Optuna, which nothing else imports: what to try next, and what was tried."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from splitwise_plan.locks import locked

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.storages import BaseStorage
    from optuna.storages.journal import JournalFileOpenLock
    from optuna.trial import FrozenTrial

LOCK_GRACE_S = 10
"""On Windows: a journal's lock that is older was left behind by a process that was killed."""

TABLE_TRIES, TABLE_WAIT_S = 20, 0.25
"""How often, and how long, one waits for another process to make the tables of a database."""

Point = dict[str, str | int]
Domain = Mapping[str, Sequence[str] | tuple[int, int]]
"""By name: the words to choose from, or the first and last of the integers."""


class Conversation:
    """Ask and tell: which points to try next, given what became of those before.

    One objective: TPE, all parameters together [1], with constraints as in [2]. Several: NSGA-II
    [3]. All is in memory and starts from a seed, and points are told in the order they were asked:
    the same answers get the same questions.

    [1] Bergstra et al., Algorithms for Hyper-Parameter Optimization, NeurIPS 2011.
    [2] Watanabe & Hutter, c-TPE, IJCAI 2023, as far as Optuna's TPESampler has it.
    [3] Deb et al., A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II, 2002.
    """

    def __init__(self, domain: Domain, objectives: int, seed: int, first: Sequence[Point]) -> None:
        """Minimise so many objectives over a domain, beginning with the points `first`."""
        import optuna

        sampler: BaseSampler
        if objectives == 1:
            sampler = optuna.samplers.TPESampler(
                n_startup_trials=max(10, len(first)), multivariate=True, seed=seed
            )
        else:
            sampler = optuna.samplers.NSGAIISampler(population_size=POPULATION, seed=seed)
        self._domain = _distributions(domain)
        self._study = _quiet(
            lambda: optuna.create_study(sampler=sampler, directions=["minimize"] * objectives)
        )
        for point in first:
            self._study.enqueue_trial(point)
        self._asked: list[Trial] = []

    def ask(self, count: int) -> list[Point]:
        """The next points."""
        self._asked = [self._study.ask(self._domain) for _ in range(count)]
        return [dict(trial.params) for trial in self._asked]

    def tell(self, outcomes: Iterable[tuple[Sequence[float], float | None]]) -> None:
        """Of each point asked last: its objectives, and its constraint (None; kept if <= 0)."""
        for trial, (values, excess) in zip(self._asked, outcomes, strict=True):
            if excess is not None:
                trial.set_constraint(CONSTRAINT, excess)
            self._study.tell(trial, list(values))


POPULATION = 48
"""Of NSGA-II: a multiple of the batches in which points are asked."""

CONSTRAINT = "slo excess"


class Notebook:
    """Results kept in a study of an Optuna storage, one trial each, for all who work on it.

    A trial is begun (`claim`) before its work and finished (`write`) after it. What was begun and
    never finished, because its process was killed, is anyone's again.
    """

    def __init__(
        self, storage: str | None, study: str, question: str, domain: Domain, objectives: int
    ) -> None:
        """Open or create a study: `storage` a file, a database's URL, or None for memory.

        Raises `LookupError` where the study is there and is about another `question`.
        """
        import optuna

        self._domain = _distributions(domain)
        self._close: list[Callable[[], None]] = []
        self._storage = _storage(storage, self._close)
        self._study: Study = _quiet(
            lambda: optuna.create_study(
                storage=self._storage,
                study_name=study,
                sampler=optuna.samplers.RandomSampler(),  # never asked
                directions=["minimize"] * objectives,
                load_if_exists=True,
            )
        )
        known = self._study.user_attrs.get("question")
        if known is None:
            self._study.set_user_attr("question", question)
        elif known != question:
            raise LookupError(f"the study {study!r} is about another question")
        self._read: set[int] = set()
        self._claims: dict[str, Trial] = {}

    def close(self) -> None:
        """Let go of the connections to a database."""
        for step in self._close:
            step()

    def read(self) -> tuple[dict[str, Any], set[str]]:
        """What was finished since the last call, by its key; and all that others have begun."""
        found, begun = {}, set()
        mine = {trial.number for trial in self._claims.values()}
        for trial in self._study.get_trials(deepcopy=False):
            key = trial.user_attrs.get("design")
            if key is None or trial.number in self._read:
                continue
            if "evaluation" in trial.user_attrs:
                found[key] = trial.user_attrs["evaluation"]
                self._read.add(trial.number)
            elif trial.state.is_finished():
                self._read.add(trial.number)  # begun twice, and left to the other
            elif trial.number not in mine:
                begun.add(key)
        return found, begun

    def claim(self, points: Mapping[str, Point], *, take_over: bool = False) -> list[str]:
        """Begin points by key. Returns those whose work is ours: nobody else began them before.

        With `take_over`, all of them.
        """
        from optuna import Trial
        from optuna.trial import TrialState

        study = self._storage.get_study_id_from_name(self._study.study_name)
        for key, point in points.items():
            trial = self._storage.create_new_trial(study, self._begun(key, point))
            self._claims[key] = Trial(self._study, trial)
        if take_over:
            return list(points)
        first: dict[object, int] = {}
        for one in self._study.get_trials(deepcopy=False):
            if one.state != TrialState.FAIL:
                first.setdefault(one.user_attrs.get("design"), one.number)
        lost = [key for key in points if first[key] != self._claims[key].number]
        for key in lost:
            self._study.tell(self._claims.pop(key), state=TrialState.FAIL)
        return [key for key in points if key not in lost]

    def write(
        self, key: str, values: Sequence[float], excess: float | None, evaluation: object
    ) -> None:
        """Finish a point that was claimed."""
        trial = self._claims.pop(key)
        if excess is not None:
            trial.set_constraint(CONSTRAINT, excess)
        trial.set_user_attr("evaluation", evaluation)
        self._study.tell(trial, list(values))
        self._read.add(trial.number)

    def _begun(self, key: str, point: Point) -> FrozenTrial:
        from optuna.trial import TrialState, create_trial

        return create_trial(
            state=TrialState.RUNNING,
            params=point,
            distributions=self._domain,
            user_attrs={"design": key},
        )


def _storage(storage: str | None, close: list[Callable[[], None]]) -> BaseStorage:
    from optuna.storages import JournalStorage, get_storage
    from optuna.storages.journal import JournalFileBackend

    if storage is None:
        return get_storage(None)
    if "://" in storage:
        return _database(storage, close)
    return JournalStorage(JournalFileBackend(storage, _journal_lock(storage)))


def _journal_lock(journal: str) -> JournalFileOpenLock:
    """A lock of the system, which a process that is killed does not leave behind, if it has them.

    Optuna's own is a file: one left behind is waited for.
    """
    from optuna.storages.journal import JournalFileOpenLock

    if sys.platform == "win32":
        return JournalFileOpenLock(journal, grace_period=LOCK_GRACE_S)

    class Lock(JournalFileOpenLock):
        def acquire(self) -> bool:
            self.held = open(f"{journal}.lock", "ab")  # noqa: SIM115
            return locked(self.held, wait=True)

        def release(self) -> None:
            self.held.close()

    return Lock(journal)


def _database(url: str, close: list[Callable[[], None]]) -> BaseStorage:
    """Several processes that find a database empty all make its tables: the losers try again."""
    from optuna.storages import RDBStorage, get_storage
    from sqlalchemy.exc import IntegrityError, ProgrammingError

    for attempt in count(1):
        try:
            database = RDBStorage(url)
        except (IntegrityError, ProgrammingError):
            if attempt == TABLE_TRIES:
                raise
            time.sleep(TABLE_WAIT_S)
        else:
            break
    close += [database.remove_session, database.engine.dispose]
    return get_storage(database)


def _distributions(domain: Domain) -> dict[str, BaseDistribution]:
    from optuna.distributions import CategoricalDistribution, IntDistribution

    return {
        name: IntDistribution(*axis)
        if isinstance(axis, tuple)
        else CategoricalDistribution(list(axis))
        for name, axis in domain.items()
    }


def _quiet(make: Callable[[], Study]) -> Study:
    """Without Optuna's log lines: results and diagnostics are ours to print."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return make()
