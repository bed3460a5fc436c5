"""Laws that every run obeys, whatever the design, the requests and the rules.

LAW-1   requests are conserved         LAW-7   iterations of an instance do not overlap
LAW-2   tokens are conserved           LAW-8   a batch keeps its limits
LAW-3   memory is conserved            LAW-9   Little's law
LAW-4   causes come before effects     LAW-10  the clock stops with the last token
LAW-5   memory is not exceeded         LAW-11  a KV transfer takes its time
LAW-6   nobody idles with work to do   LAW-12  prompts are first come, first served
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scenes import BOTH, scene
from worlds import (
    Played,
    World,
    one_task_at_a_time,
    random_worlds,
    real_worlds,
    with_ample_memory,
)

from splitwise_plan.facts.design import Design
from splitwise_plan.sim.kernel import state as k
from splitwise_plan.sim.records import Run
from splitwise_plan.sim.simulator import Simulator

ROUNDING = 1e-9


def law_1_requests_are_conserved(run: Played) -> None:
    """Each request finishes exactly once, or the run says that it could not go on."""
    finished = np.isfinite(run.requests.last_token_s)
    assert run.state.counters[k.FINISHED] == finished.sum()
    assert np.all(np.isfinite(run.requests.first_token_s[finished]))
    assert np.all(run.requests.prompt_instance >= 0)
    assert run.stop in (k.DRAINED, k.DEADLOCK)
    assert run.drained == finished.all()


def law_2_tokens_are_conserved(run: Played) -> None:
    """Every token phase ran o - 1 iterations: the context it brought and produced left with it."""
    instances, requests = run.instances, run.requests
    if run.drained:
        assert np.all(instances.context_tokens == 0)
        assert np.all(instances.pending_tokens == 0)
    work = np.zeros(len(instances), int)  # iterations if all tasks ran one after the other
    np.add.at(work, requests.prompt_instance, 1)
    streams = requests.token_instance != k.NONE
    np.add.at(work, requests.token_instance[streams], requests.output_tokens[streams] - 1)
    assert np.all(instances.iterations <= work)
    for i in range(len(instances)):
        here = streams & (requests.token_instance == i) & np.isfinite(requests.last_token_s)
        assert instances.iterations[i] >= np.max(requests.output_tokens[here] - 1, initial=0)


def law_3_memory_is_conserved(run: Played) -> None:
    """When all is done every instance holds its weights, and nobody waits anywhere."""
    if not run.drained:
        return
    instances, weights = run.instances, run.state.rules[0].weights_bytes
    assert np.all(instances.memory_bytes == weights)
    assert np.all(instances.booked_bytes == weights)
    assert np.all(instances.head == k.NONE)
    for count in ("pending", "running_prompts", "running_tokens"):
        assert np.all(instances[count] == 0), count
    for count in ("unfinished_prompts", "unfinished_token_phases"):
        assert np.all(instances[count] == 0), count
    assert run.state.counters[k.IN_FLIGHT] == 0


def law_4_causes_come_before_effects(run: Played) -> None:
    """arrival <= prompt start < first token <= KV there < second token <= last token."""
    r = run.requests
    started = np.isfinite(r.prompt_start_s)
    assert np.all(r.arrival_s[started] <= r.prompt_start_s[started])
    begun = np.isfinite(r.first_token_s)
    assert np.all(r.prompt_start_s[begun] < r.first_token_s[begun])
    streamed = np.isfinite(r.second_token_s)
    assert np.all(streamed <= begun)
    assert np.all(run.ready_s[streamed] < r.second_token_s[streamed])
    last = r.last_token_s[streamed]
    assert np.all(r.second_token_s[streamed] <= last * (1 + ROUNDING))
    alone = np.isfinite(r.last_token_s) & (r.output_tokens == 1)
    np.testing.assert_array_equal(r.first_token_s[alone], r.last_token_s[alone])
    assert np.all(np.isinf(r.second_token_s[r.output_tokens == 1]))


def law_5_memory_is_not_exceeded(run: Played) -> None:
    """Not at any time."""
    instances = run.instances
    assert np.all(instances.peak_bytes <= instances.memory_limit_bytes)
    assert np.all(instances.memory_bytes <= instances.peak_bytes)
    assert np.all(instances.memory_bytes >= run.state.rules[0].weights_bytes)


def law_6_nobody_idles_with_work_to_do(run: Played) -> None:
    """Without want of memory an instance is busy exactly while a task that could run is there.

    What it does outside the measured window does not count.
    """
    r, ready_s = run.requests, run.ready_s
    rules = run.state.rules[0]
    window = rules.measured_from_s, rules.measured_until_s
    assert run.drained
    for i in range(len(run.instances)):
        prompts, streams = r.prompt_instance == i, r.token_instance == i
        spans = [
            *zip(r.arrival_s[prompts], r.first_token_s[prompts], strict=True),
            *zip(ready_s[streams], r.last_token_s[streams], strict=True),
        ]
        inside = [(max(a, window[0]), min(b, window[1])) for a, b in spans]
        busy_s = length_of_union([(a, b) for a, b in inside if a < b])
        assert run.busy_s[i] == pytest.approx(busy_s, rel=ROUNDING, abs=ROUNDING)


def law_7_iterations_do_not_overlap(run: Played) -> None:
    """An instance is busy no longer than the run lasts; its prompt batches follow each other."""
    assert np.all(run.busy_s <= run.end_s * (1 + ROUNDING))
    free_s = np.zeros(len(run.instances))
    for i, batch in run.prompt_batches():
        ends = np.unique(run.requests.first_token_s[batch])
        assert len(ends) == 1
        assert free_s[i] <= run.requests.prompt_start_s[batch[0]]
        free_s[i] = ends[0]


def law_8_batches_keep_their_limits(run: Played) -> None:
    """Of tokens and of sequences; a prompt alone may be longer."""
    rules = run.state.rules[0]
    for _, batch in run.prompt_batches():
        assert len(batch) <= rules.max_batch_size
        tokens = run.requests.prompt_tokens[batch].sum()
        assert len(batch) == 1 or tokens <= rules.max_batch_tokens


def law_9_little(run: Played) -> None:
    """Requests in the system on average = arrivals per second x mean time in the system."""
    if not run.drained:
        return
    arrival_s, last_s = run.requests.arrival_s, run.requests.last_token_s
    times = np.concatenate([arrival_s, last_s])
    steps = np.concatenate([np.ones(len(arrival_s)), -np.ones(len(last_s))])
    order = np.argsort(times, kind="stable")
    inside = np.cumsum(steps[order])
    assert inside.min() >= 0
    average = np.sum(inside[:-1] * np.diff(times[order])) / run.end_s
    rate = len(arrival_s) / run.end_s
    assert average == pytest.approx(rate * np.mean(last_s - arrival_s), rel=ROUNDING)


def law_10_the_clock_stops_with_the_last_token(run: Played) -> None:
    """No record is later than the end of the run; one that drained ended with its last token."""
    r = run.requests
    for name in ("prompt_start_s", "first_token_s", "last_token_s"):
        times = r[name][np.isfinite(r[name])]
        assert np.all(times <= run.end_s), name
    if run.drained:
        assert run.end_s == r.last_token_s.max()


def law_11_a_transfer_takes_its_time(run: Played) -> None:
    """It is 0 where nothing moves, and never shorter than the faster way of sending."""
    r, rules = run.requests, run.state.rules[0]
    assert np.all(r.kv_transfer_s[~run.moved] == 0.0)
    machine = run.instances.machine_type
    pairs = run.state.pairs[machine[r.prompt_instance], machine[r.token_instance]]
    sent_s = r.prompt_tokens * rules.kv_bytes / pairs["bandwidth_bytes_per_s"]
    least_s = sent_s
    if rules.transfer != k.SERIALIZED:
        visible_s = pairs["layerwise_visible_s"]
        least_s = np.minimum(sent_s, visible_s) if rules.transfer == k.AUTO else visible_s
        if not run.is_splitwisesim:  # one that waited for memory goes serialized
            least_s = np.minimum(least_s, sent_s)
    slack_s = 1e-6 * least_s + 4.0 * np.spacing(run.end_s)  # it is a difference of two times
    assert np.all(r.kv_transfer_s[run.moved] >= (least_s - slack_s)[run.moved])


def law_12_prompts_are_first_come_first_served(run: Played) -> None:
    """On each instance; `splitwisesim` lets aged prompts overtake."""
    if run.is_splitwisesim:
        return
    for i in range(len(run.instances)):
        here = run.requests.prompt_instance == i
        start_s = run.requests.prompt_start_s[here]
        assert np.all(start_s[:-1] <= start_s[1:])


def length_of_union(spans: list[tuple[float, float]]) -> float:
    """Seconds covered by at least one of the spans."""
    covered, until = 0.0, 0.0
    for start, end in sorted(spans):
        covered += max(0.0, end - max(start, until))
        until = max(until, end)
    return covered


LAWS: tuple[Callable[[Played], None], ...] = (
    law_1_requests_are_conserved,
    law_2_tokens_are_conserved,
    law_3_memory_is_conserved,
    law_4_causes_come_before_effects,
    law_5_memory_is_not_exceeded,
    law_7_iterations_do_not_overlap,
    law_8_batches_keep_their_limits,
    law_9_little,
    law_10_the_clock_stops_with_the_last_token,
    law_11_a_transfer_takes_its_time,
    law_12_prompts_are_first_come_first_served,
)

played = cache(World.play)


@pytest.mark.parametrize("world", [*random_worlds(range(200, 240)), *real_worlds()], ids=str)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Played], None], world: World) -> None:
    law(played(world))


AMPLE = random_worlds(range(300, 340), with_ample_memory)


@pytest.mark.parametrize("world", [*AMPLE, *real_worlds()], ids=str)
def test_law_6(world: World) -> None:
    law_6_nobody_idles_with_work_to_do(played(world))


@pytest.mark.parametrize("world", random_worlds(range(400, 420), one_task_at_a_time), ids=str)
def test_one_at_a_time_every_token_is_an_iteration(world: World) -> None:
    """LAW-2, counted: a prompt is one iteration, and each further token is one."""
    run = played(world)
    if run.drained:
        tasks = run.requests.output_tokens.sum()
        assert run.instances.iterations.sum() == tasks


@pytest.mark.verify
@pytest.mark.parametrize("block", range(10))
def test_laws_on_two_thousand_runs(block: int) -> None:
    seeds = range(20_000 + 100 * block, 20_100 + 100 * block)
    for world in random_worlds(seeds):
        run = world.play()
        for law in LAWS:
            law(run)
    for world in random_worlds(seeds, with_ample_memory):
        law_6_nobody_idles_with_work_to_do(world.play())


def as_bytes(run: Played) -> tuple[bytes, ...]:
    """Everything a run leaves behind."""
    records: tuple[NDArray[np.void], ...] = (run.requests, run.instances)
    end = np.array([run.stop, run.end_s])
    return (*(one.tobytes() for one in records), run.state.counters.tobytes(), end.tobytes())


def test_runs_repeat_to_the_byte_whatever_ran_before() -> None:
    worlds = [*random_worlds(range(500, 510)), *real_worlds()]
    first = [as_bytes(world.play()) for world in worlds]
    backwards = [as_bytes(world.play()) for world in reversed(worlds)]
    assert first == backwards[::-1]


def records_of(run: Run) -> str:
    """Every number of a run, to the last digit."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr(run)


@pytest.mark.parametrize("assumptions", BOTH)
def test_designs_do_not_see_each_other(assumptions: str) -> None:
    """One simulator, several designs: again, backwards, and side by side in threads."""
    one = scene("splitwise-ha", 3, 2, rate=6, duration=30, assumptions=assumptions)
    family = one.design.family
    designs = [Design(family, p, t) for p in (1, 2, 3) for t in (1, 2)]
    fresh = [records_of(Simulator.of(one.simulator.scenario, one.requests).run(d)) for d in designs]
    again = [records_of(one.simulator.run(d)) for d in designs]
    backwards = [records_of(one.simulator.run(d)) for d in reversed(designs)]
    with ThreadPoolExecutor(4) as pool:
        together = [records_of(run) for run in pool.map(one.simulator.run, designs * 4)]
    assert fresh == again == backwards[::-1]
    assert fresh * 4 == together
