"""Several items at once that share the threads: in order, and all end when one fails."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from splitwise_plan.planner.driver import Jobs, in_order, threads, together

PARTS = 10_000


def test_items_that_share_threads_give_what_they_give_alone() -> None:
    def squares(item: int, jobs: Jobs) -> list[int]:
        return list(in_order(lambda part: item * part**2, range(20), jobs))

    assert together(squares, range(5), 2) == [squares(item, 1) for item in range(5)]


def test_they_use_no_more_threads_than_there_are() -> None:
    assert together(lambda _, jobs: threads(jobs), range(3), 2) == [2, 2, 2]
    assert together(lambda _, jobs: jobs, range(3), 1) == [1, 1, 1]


def test_when_one_fails_the_others_end() -> None:
    """Also those whose parts wait for a thread: cancelled, nobody tells them (it hung once)."""
    begun = Event()
    done: list[int] = []

    def work(item: int, jobs: Jobs) -> None:
        if item == 1:
            begun.wait()
            raise ValueError("one of them")
        for part in in_order(lambda part: part, range(PARTS), jobs):
            begun.set()
            done.append(part)

    def run() -> None:
        with pytest.raises(ValueError, match="one of them"):
            together(work, range(4), 2)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(60.0)
    assert not thread.is_alive()
    assert len(done) < 3 * PARTS


def test_a_part_that_fails_fails_its_item() -> None:
    def fails(part: int) -> int:
        if part == 3:
            raise KeyError(part)
        return part

    with pytest.raises(KeyError):
        together(lambda _, jobs: list(in_order(fails, range(9), jobs)), range(2), 2)
