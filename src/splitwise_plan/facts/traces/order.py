"""Arrivals across the whole of a file: in order, stamped twice, in one unit, times at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from splitwise_plan.errors import InputError, Problem
from splitwise_plan.facts.traces.account import Account
from splitwise_plan.facts.traces.cells import Chunk, empty, selected
from splitwise_plan.facts.traces.clock import PER_SECOND, Clock

MAX_SORTED = 20_000_000
"""Requests that are sorted in memory, some 100 bytes each."""
LATEST_S = 1e11
"""The year 5138: stamps in seconds that are later can only be milliseconds."""
FEW = 10
"""Requests too few to tell what is usual."""
JUMP_S, JUMPS = 3600.0, 1000.0
"""A gap this long, and so many times the usual one, may be a change from seconds to ms."""
SLOW_S = 60.0
"""A mean gap above this, between stamps that are all whole numbers, may be milliseconds too."""


@dataclass(slots=True)
class Order:
    """Checks chunk after chunk, and keeps what it needs of those before."""

    account: Account
    clock: Clock
    requests: int = 0
    first_s: float = 0.0
    last_s: float = field(default=-np.inf)
    repeated: int = 0
    first_repeated: int = 0
    counting: bool = True
    """Whether all gaps so far are 1."""
    whole: bool = True

    def check(self, chunk: Chunk) -> None:
        """Check the arrivals of a chunk; those earlier than one before them are problems."""
        if self.requests == 0:
            self._begin(chunk)
        before = np.concatenate(([self.last_s], chunk.arrival_s[:-1]))
        latest = np.maximum.accumulate(np.maximum(before, self.last_s))
        gaps = chunk.arrival_s - latest
        for at in np.flatnonzero(gaps < 0).tolist():
            self._too_early(chunk, at, float(latest[at]))
        again = np.flatnonzero(gaps == 0)
        if len(again) and not self.repeated:
            self.first_repeated = int(chunk.numbers[again[0]])
        self.repeated += len(again)
        known = gaps[np.isfinite(gaps)]
        self._look_for_a_change_of_unit(chunk, latest, gaps)
        steps = known * PER_SECOND.get(self.clock.unit or "s", 1.0)
        self.counting = self.counting and bool(np.all(np.abs(steps - 1.0) < 1e-6))
        stamps = self.clock.absolute(chunk.arrival_s)
        self.whole = self.whole and bool(np.all(stamps == np.floor(stamps)))
        self.requests += len(chunk.arrival_s)
        self.last_s = float(max(latest[-1], chunk.arrival_s[-1]))

    def close(self) -> None:
        """Note what is odd about the file as a whole."""
        notes, account = self.account.notes, self.account
        if self.repeated:
            place = account.place(self.first_repeated)
            arrive = "request arrives" if self.repeated == 1 else "requests arrive"
            account.remarks.append(
                f"{self.repeated:,} {arrive} at the same time as the one before "
                f"(first: {place}); all are kept"
            )
        if self.requests >= FEW and self.counting:
            notes.append(
                f"{self.clock.name} counts up by 1 from request to request: is it a row number "
                "rather than a time?"
            )
        elif self.requests >= FEW and self.whole and self.clock.unit == "s":
            mean_s = (self.last_s - self.first_s) / (self.requests - 1)
            if mean_s > SLOW_S:
                notes.append(
                    f"a request every {mean_s:,.0f} s: if {self.clock.name} is in milliseconds, "
                    "`trace import --time-unit ms` reads them"
                )

    def _begin(self, chunk: Chunk) -> None:
        self.first_s = float(chunk.arrival_s[0])
        start_s = float(self.clock.absolute(chunk.arrival_s[:1])[0])
        if self.clock.unit == "s" and start_s >= LATEST_S:
            what = f"arrivals begin at {start_s:.0f} s, in the year 5138 or later"
            fix = "are these milliseconds? `splitwise-plan trace import --time-unit ms` reads them"
            self.account.fault(int(chunk.numbers[0]), what, fix)

    def _too_early(self, chunk: Chunk, at: int, latest_s: float) -> None:
        what = f"{self.clock.name} {chunk.stamps[at]} is earlier than the row before"
        fix = "sort the rows by arrival; `splitwise-plan trace import --sort` does"
        early, late = self.clock.absolute(np.array([chunk.arrival_s[at], latest_s]))
        if early > 0 and _is_about_a_thousand(late / early):
            fix = "are some stamps in milliseconds and others in seconds?"
        self.account.fault(int(chunk.numbers[at]), what, fix)

    def _look_for_a_change_of_unit(
        self, chunk: Chunk, latest: NDArray[np.float64], gaps: NDArray[np.float64]
    ) -> None:
        for at in np.flatnonzero(np.isfinite(gaps) & (gaps > JUMP_S)).tolist():
            before = self.requests + at
            stamps = self.clock.absolute(np.array([latest[at], chunk.arrival_s[at]]))
            usual_s = (latest[at] - self.first_s) / max(before - 1, 1)
            if before < FEW or stamps[0] <= 0 or gaps[at] < JUMPS * usual_s:
                continue
            if _is_about_a_thousand(stamps[1] / stamps[0]):
                what = (
                    f"{self.clock.name} jumps to {chunk.stamps[at]}, a thousand times the stamp "
                    "of the row before"
                )
                fix = "are some stamps in milliseconds and others in seconds?"
                self.account.fault(int(chunk.numbers[at]), what, fix)


def in_order(chunks: Iterable[Chunk], account: Account) -> Chunk:
    """All requests as one chunk, sorted by arrival; those that arrive together stay as they are.

    Raises `InputError` where there are more than fit into memory.
    """
    kept, requests = [], 0
    for chunk in chunks:
        requests += len(chunk.numbers)
        if requests > MAX_SORTED:
            what = f"more than {MAX_SORTED:,} requests cannot be sorted in memory"
            fix = "sort the file by arrival first, e.g. with sort(1), and leave out --sort"
            raise InputError([Problem(account.where, what, fix)])
        kept.append(chunk)
    if not kept:
        return empty()
    arrival_s = np.concatenate([one.arrival_s for one in kept])
    whole = Chunk(
        arrival_s,
        np.concatenate([one.prompt_tokens for one in kept]),
        np.concatenate([one.output_tokens for one in kept]),
        np.concatenate([one.numbers for one in kept]),
        stamps=arrival_s,
    )
    early = np.flatnonzero(whole.arrival_s < np.maximum.accumulate(whole.arrival_s))
    if len(early):
        place = account.place(int(whole.numbers[early[0]]))
        account.notes.append(
            f"sorted by arrival: {len(early):,} of {requests:,} requests stood after a later one "
            f"(first: {place})"
        )
    return selected(whole, np.argsort(whole.arrival_s, kind="stable"))


def _is_about_a_thousand(ratio: float) -> bool:
    return 500 < ratio < 2000
