"""A slow, obvious simulator of an LLM inference cluster: the compiled kernel's oracle.

It shares no code with the package. Every token iteration is stepped one by one, pools
and queues are plain lists, and each rule stands where it is applied, to be checked by
reading.

A request arrives with p prompt tokens and o output tokens. Its prompt phase yields the
first output token and the KV cache; its token phase yields the other o - 1. An instance
runs iterations back to back, each over a batch of prompts and token phases. A cluster
has a prompt, a token and a mixed pool of instances, and the KV cache of a request moves
from the instance of its prompt to that of its token phase. A baseline cluster has no
pools: each request stays on one instance. Seconds, tokens and bytes; bytes are whole
numbers kept in floats, so that sums of them are exact.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

# Order of events at the same time; within a kind, by instance, request or change number.
ITERATION_END, TRANSFER_END, CHANGE, ASSIGNMENT, ARRIVAL = 0, 1, 2, 3, 4

Change = tuple[float, int, str]
"""When an instance goes "down", begins to "drain", or is "up" again."""


# ---- Input and output ----------------------------------------------------------------


@dataclass(frozen=True)
class MachineTimes:
    """How fast one instance is, how much it holds, and its network link."""

    prompt_x: list[float]  # prompt tokens in the batch
    prompt_y: list[float]  # seconds
    token_x: list[float]  # sequences in the batch
    token_y: list[float]  # seconds, with 512 tokens of context each
    context_slope_s: float  # seconds per token of context beyond (or below) those 512
    memory_bytes: float
    weights_bytes: float
    bandwidth_bytes_per_s: float
    layerwise_visible_s: float

    def prompt_s(self, tokens: int) -> float:
        """Seconds of an iteration over this many prompt tokens."""
        return piecewise_linear(self.prompt_x, self.prompt_y, tokens)

    def token_s(self, sequences: int, context: int) -> float:
        """Seconds of an iteration over token phases with `context` tokens in all."""
        at_512 = piecewise_linear(self.token_x, self.token_y, sequences)
        return at_512 + self.context_slope_s * (context - 512 * sequences)


@dataclass(frozen=True)
class Rules:
    """The model that is served and the options of the scheduler."""

    kv_bytes: float  # per token
    layers: int
    transfer: str = "auto"  # "serialized" | "layerwise" | "auto"
    token_end: str = "booked_memory"  # | "pending_tokens"
    mixed_return: str = "idle"  # | "drained"
    prompt_queue_limit_tokens: int = 8192
    max_batch_size: int = 512
    max_batch_tokens: int = 2048
    max_passes: int = 4
    mixing_factor: float = 1.1
    checkpoint_tokens: int = 0  # output tokens between checkpoints; 0: there are none


@dataclass
class Result:
    """What happened, per request and per instance; math.inf where it never did."""

    first_token_s: list[float]
    second_token_s: list[float]
    last_token_s: list[float]
    prompt_start_s: list[float]
    kv_transfer_s: list[float]  # from prompt end, waits included; 0.0: not moved
    prompt_instance: list[int]
    token_instance: list[int]  # -1 if there is no token phase
    iterations: list[int]
    prompt_busy_s: list[float]  # in iterations that hold a prompt
    token_busy_s: list[float]  # in the others
    peak_memory_bytes: list[float]  # weights included
    deadlock: bool
    pool_moves: int  # moves of an instance into the mixed pool
    mixed_requests: int  # with a phase assigned to an instance of the mixed pool
    restarts: int  # displaced by an outage after their prompt was started
    lost_prompt_tokens: int
    lost_output_tokens: int


def piecewise_linear(xs: list[float], ys: list[float], x: float) -> float:
    """The curve through the points; its first and last pieces go on beyond the ends."""
    if len(xs) == 1:
        return ys[0]
    piece = 0
    while piece < len(xs) - 2 and x > xs[piece + 1]:
        piece += 1
    slope = (ys[piece + 1] - ys[piece]) / (xs[piece + 1] - xs[piece])
    return ys[piece] + slope * (x - xs[piece])


# ---- State ---------------------------------------------------------------------------


@dataclass(eq=False)
class Request:
    """A request and the times of its life."""

    number: int
    arrival_s: float
    prompt_tokens: int
    output_tokens: int
    prompt_end: Instance = field(init=False)
    token_end: Instance = field(init=False)  # the prompt end if there is no token phase
    assigned: bool = False  # to these
    orphan: bool = False  # its prompt runs on although the token end went down
    landing_s: float = math.inf  # when the transfer under way ends
    resumed: bool = False  # from a checkpoint: it has no prompt end
    produced: int = 0  # output tokens so far
    prompt_start_s: float = math.inf
    first_token_s: float = math.inf
    second_token_s: float = math.inf
    last_token_s: float = math.inf
    kv_transfer_s: float = math.inf

    @property
    def has_token_phase(self) -> bool:
        return self.output_tokens > 1

    @property
    def stays(self) -> bool:
        """Nothing moves: both phases are on one instance, or there is but one."""
        return self.token_end is self.prompt_end

    @property
    def all_tokens(self) -> int:
        """Those whose KV the request as a whole reserves."""
        return self.prompt_tokens + self.output_tokens

    @property
    def context(self) -> int:
        """Tokens that its next token iteration looks back on."""
        return self.prompt_tokens + self.produced


@dataclass(eq=False)
class Task:
    """One phase of a request, as it is queued and batched on an instance."""

    request: Request
    is_prompt: bool
    ready: bool  # False only for a token phase whose prompt has not ended yet
    blocked: bool = False  # a token phase that was preempted and has not run since
    passes: int = 0  # boundaries at which it was ready and not picked; never lowered

    @property
    def batch_tokens(self) -> int:
        return self.request.prompt_tokens if self.is_prompt else 1


@dataclass(eq=False)
class Instance:
    """One copy of the model: its queue, its batch, its memory and its books."""

    number: int
    times: MachineTimes
    home: str  # "prompt" | "token"
    memory: float  # bytes in use now, weights included
    booked_memory: float  # weights and all KV assigned, from assignment to release
    pending_tokens: int = 0  # of prompts not yet done, + 1 for each token phase
    unfinished_prompts: int = 0  # assigned here, from assignment on
    unfinished_token_phases: int = 0  # likewise
    pending: list[Task] = field(default_factory=list)
    batch: list[Task] = field(default_factory=list)  # empty: the instance is idle
    waiting: list[Request] = field(default_factory=list)  # transfers to here
    cut: bool = False  # the stretch of token iterations ends with the present one
    iteration_end_s: float = math.inf
    iterations: int = 0
    prompt_busy_s: float = 0.0
    token_busy_s: float = 0.0
    peak_memory: float = field(init=False)

    def __post_init__(self) -> None:
        self.peak_memory = self.memory

    @property
    def idle(self) -> bool:
        return not self.batch

    def fits(self, amount: float) -> bool:
        return self.memory + amount <= self.times.memory_bytes

    def reserve(self, amount: float) -> None:
        self.memory += amount
        assert self.memory <= self.times.memory_bytes
        self.peak_memory = max(self.peak_memory, self.memory)

    def release(self, amount: float) -> None:
        self.memory -= amount
        assert self.memory >= self.times.weights_bytes

    def unbook(self, amount: float) -> None:
        self.booked_memory -= amount
        assert self.booked_memory >= self.times.weights_bytes

    def take_off_pending(self, tokens: int) -> None:
        self.pending_tokens -= tokens
        assert self.pending_tokens >= 0


# ---- The simulator -------------------------------------------------------------------


class Cluster:
    """The instances, the pools, the clock and the events to come."""

    def __init__(
        self,
        requests: list[tuple[float, int, int]],
        prompt: list[MachineTimes],
        token: list[MachineTimes],
        baseline: bool,
        rules: Rules,
        changes: list[Change],
    ) -> None:
        self.rules = rules
        self.changes = changes
        self.without_instance: list[Request] = []
        self.arrived: list[Request] = []
        self.unfinished = len(requests)
        self.restarts = self.lost_prompt_tokens = self.lost_output_tokens = 0
        self.baseline = baseline
        self.requests = [Request(i, a, p, o) for i, (a, p, o) in enumerate(requests)]
        machines = [(m, "prompt") for m in prompt] + [(m, "token") for m in token]
        self.instances = [
            Instance(i, times, home, times.weights_bytes, times.weights_bytes)
            for i, (times, home) in enumerate(machines)
        ]
        # Ordered lists: the first minimum wins. A baseline has the first one only.
        self.prompt_pool = [i for i in self.instances if i.home == "prompt"]
        self.token_pool = [i for i in self.instances if i.home == "token"]
        self.mixed_pool: list[Instance] = []
        self.pool_moves = 0
        self.mixed_requests = 0
        self.now = 0.0
        self.events: list[tuple[float, int, int]] = []

    def run(self) -> None:
        """Handle the events in order until there are none left."""
        for request in self.requests:
            self.add_event(request.arrival_s, ARRIVAL, request.number)
        for number, (time, _, _) in enumerate(self.changes):
            self.add_event(time, CHANGE, number)
        while self.events and self.unfinished:
            time, kind, number = heapq.heappop(self.events)
            assert time >= self.now
            self.now = time
            if kind == ITERATION_END:
                if self.instances[number].iteration_end_s == time:  # else it was lost
                    self.iteration_ends(self.instances[number])
            elif kind == TRANSFER_END:
                if self.requests[number].landing_s == time:  # else it was cancelled
                    self.transfer_ends(self.requests[number])
            elif kind == CHANGE:
                self.change_happens(number)
            elif kind == ASSIGNMENT:
                self.assign_those_without_instance()
            else:
                self.request_arrives(self.requests[number])

    def add_event(self, time: float, kind: int, number: int) -> None:
        heapq.heappush(self.events, (time, kind, number))

    def kv(self, tokens: int) -> float:
        """Bytes of KV cache of this many tokens."""
        return tokens * self.rules.kv_bytes

    # ---- Cluster level: which instances run the phases of a request ------------------

    def request_arrives(self, request: Request) -> None:
        self.arrived.append(request)
        if self.some_instance_is_in_a_pool:
            self.assign(request)
        else:
            self.without_instance.append(request)

    def assign(self, request: Request) -> None:
        """Choose both ends at once, enter it in their books, queue its prompt."""
        request.assigned = True
        if self.baseline:
            best = min(self.prompt_pool, key=lambda i: i.pending_tokens)
            request.prompt_end = request.token_end = best
        else:
            self.choose_ends(request)
        self.book(request)
        if self.rules.mixed_return == "drained":
            # An instance moved in vain (the last resort chose another) goes home again.
            for instance in list(self.mixed_pool):
                self.return_home_if_free(instance)

        prompt_end = request.prompt_end
        prompt_end.pending.append(Task(request, is_prompt=True, ready=True))
        # A token phase that stays is queued from now on, behind its prompt. One that
        # will come from elsewhere is not queued, and its assignment disturbs nothing.
        if request.has_token_phase and request.stays:
            prompt_end.pending.append(Task(request, is_prompt=False, ready=False))
        self.something_arrived(prompt_end)

    def choose_ends(self, request: Request) -> None:
        """Join the shortest queue at both ends; borrow from the other pool at need."""
        prompt_end = self.best_prompt_end(self.prompt_pool, request)
        if prompt_end is None:
            prompt_end = self.best_prompt_end(self.mixed_pool, request)
        token_end = None
        if request.has_token_phase:
            token_end = self.best_token_end(self.token_pool, request)
            if token_end is None:
                token_end = self.best_token_end(self.mixed_pool, request)

        if prompt_end is None and self.token_pool:
            prompt_end = min(self.token_pool, key=lambda i: i.pending_tokens)
            self.move_to_mixed(prompt_end, self.token_pool)
        if not request.has_token_phase:
            token_end = prompt_end  # none is needed
        elif token_end is None and self.prompt_pool:
            token_end = min(self.prompt_pool, key=self.token_end_load)
            self.move_to_mixed(token_end, self.prompt_pool)

        # Last resort: the least loaded of all runs both phases. It stays in its pool.
        if prompt_end is None or token_end is None:
            everything = self.prompt_pool + self.mixed_pool + self.token_pool
            prompt_end = token_end = min(everything, key=lambda i: i.pending_tokens)

        request.prompt_end, request.token_end = prompt_end, token_end
        if prompt_end in self.mixed_pool or token_end in self.mixed_pool:
            self.mixed_requests += 1

    def best_prompt_end(self, pool: list[Instance], request: Request) -> Instance | None:
        """The least pending tokens, unless its queue would grow beyond the limit."""
        if not pool:
            return None
        best = min(pool, key=lambda i: i.pending_tokens)
        after = best.pending_tokens + request.prompt_tokens
        if best.pending and after > self.rules.prompt_queue_limit_tokens:
            return None
        return best

    def best_token_end(self, pool: list[Instance], request: Request) -> Instance | None:
        """The least load, unless the request would fill the memory booked there."""
        if not pool:
            return None
        best = min(pool, key=self.token_end_load)
        if best.booked_memory + self.kv(request.all_tokens) >= best.times.memory_bytes:
            return None
        return best

    def token_end_load(self, instance: Instance) -> float:
        """What is least on the instance that is chosen for a token phase."""
        if self.rules.token_end == "booked_memory":
            return instance.booked_memory
        return instance.pending_tokens

    def book(self, request: Request) -> None:
        """Enter the assignment in the books of both ends.

        KV of p + 1 tokens at the prompt end and of p + o at the token end; only the
        latter if both are one.
        """
        prompt_end, token_end = request.prompt_end, request.token_end
        prompt_end.pending_tokens += request.prompt_tokens
        prompt_end.unfinished_prompts += 1
        if request.has_token_phase:
            token_end.pending_tokens += 1
            token_end.unfinished_token_phases += 1
        if not request.stays:
            prompt_end.booked_memory += self.kv(request.prompt_tokens + 1)
        token_end.booked_memory += self.kv(request.all_tokens)

    def move_to_mixed(self, instance: Instance, pool: list[Instance]) -> None:
        pool.remove(instance)
        self.mixed_pool.append(instance)
        self.pool_moves += 1

    def return_home_if_free(self, instance: Instance) -> None:
        """From the mixed pool to the end of the list of its home pool.

        Option "idle": when there is no batch and the pending queue is empty. Option
        "drained": when no work of the other kind is assigned to it any more.
        """
        if instance not in self.mixed_pool:
            return
        if self.rules.mixed_return == "idle":
            free = instance.idle and not instance.pending
        elif instance.home == "prompt":
            free = instance.unfinished_token_phases == 0
        else:
            free = instance.unfinished_prompts == 0
        if free:
            self.mixed_pool.remove(instance)
            home = self.prompt_pool if instance.home == "prompt" else self.token_pool
            home.append(instance)

    # ---- Machine level: iterations ---------------------------------------------------

    def something_arrived(self, instance: Instance) -> None:
        """A task joined the pending queue.

        An idle instance starts at once. A stretch of token iterations is cut at the end
        of the present one. Prompts are never cut: a boundary follows them anyway.
        """
        if instance.idle:
            self.boundary(instance)
        else:
            instance.cut = True

    def boundary(self, instance: Instance) -> None:
        """Between iterations: grant waiting transfers, pick a batch, start it."""
        self.grant_waiting_transfers(instance)
        self.select_batch(instance)
        self.return_home_if_free(instance)
        instance.cut = False
        if instance.batch:
            self.start_iteration(instance)

    def select_batch(self, instance: Instance) -> None:
        """Replace the batch, by now the token phases that ran last and go on."""
        previous = instance.batch
        picked: list[Task] = []
        picked_tokens = 0

        def pick_while_they_fit(tasks: list[Task]) -> None:
            """Pick in the order given; stop at the first that does not fit."""
            nonlocal picked_tokens
            for task in tasks:
                if task in picked:
                    continue
                if len(picked) >= self.rules.max_batch_size:
                    return
                # The first pick may exceed the token limit alone.
                total = picked_tokens + task.batch_tokens
                if picked and total > self.rules.max_batch_tokens:
                    return
                if task.is_prompt:
                    needed = self.prompt_memory(task.request)
                    if not instance.fits(needed):
                        return
                    instance.reserve(needed)
                picked.append(task)
                picked_tokens = total

        def by_arrival(task: Task) -> tuple[float, int]:
            return (task.request.arrival_s, task.request.number)

        prompts = [t for t in instance.pending if t.is_prompt]
        token_phases = [t for t in instance.pending if not t.is_prompt and t.ready]
        aged = [t for t in token_phases if t.passes >= self.rules.max_passes]
        blocked = [t for t in token_phases if t.blocked]
        others = [t for t in token_phases if not t.blocked]

        pick_while_they_fit(sorted(aged, key=by_arrival))
        pick_while_they_fit(prompts)  # first come first served
        pick_while_they_fit(blocked)  # in the order in which they were blocked
        pick_while_they_fit(previous)  # in batch order
        pick_while_they_fit(sorted(others, key=by_arrival))

        # Those that stay keep their order, newcomers follow in the order picked.
        instance.batch = [t for t in previous if t in picked]
        instance.batch += [t for t in picked if t not in previous]
        instance.pending = [t for t in instance.pending if t not in picked]
        for task in picked:
            task.blocked = False
        # A token phase that ran last and was not picked is blocked (memory kept).
        for task in previous:
            if task not in picked:
                task.blocked = True
                instance.pending.append(task)
        for task in instance.pending:
            if task.ready:
                task.passes += 1

    def prompt_memory(self, request: Request) -> float:
        """What a prompt reserves when it starts: the whole request if it stays."""
        if request.stays:
            return self.kv(request.all_tokens)
        return self.kv(request.prompt_tokens + 1)

    def start_iteration(self, instance: Instance) -> None:
        """Run the batch once: whole prompts, and one token of each token phase."""
        prompts = [t.request for t in instance.batch if t.is_prompt]
        sequences = [t.request for t in instance.batch if not t.is_prompt]
        prompt_tokens = sum(r.prompt_tokens for r in prompts)
        context = sum(r.context for r in sequences)
        times = instance.times
        if not prompts:
            duration = times.token_s(len(sequences), context)
        elif not sequences:
            duration = times.prompt_s(prompt_tokens)
        else:
            together = times.prompt_s(prompt_tokens + len(sequences))
            alone = times.token_s(len(sequences), context)
            duration = max(self.rules.mixing_factor * together, alone)
        assert duration > 0.0
        for request in prompts:
            request.prompt_start_s = self.now
        instance.iterations += 1
        if prompts:
            instance.prompt_busy_s += duration
        else:
            instance.token_busy_s += duration
        instance.iteration_end_s = self.now + duration
        self.add_event(instance.iteration_end_s, ITERATION_END, instance.number)

    def iteration_ends(self, instance: Instance) -> None:
        """Hand out the tokens, in batch order; then go on, or reach a boundary."""
        had_prompts = any(task.is_prompt for task in instance.batch)
        go_on: list[Task] = []
        for task in instance.batch:
            request = task.request
            request.produced += 1
            if request.produced == 1:
                request.first_token_s = self.now
            if request.produced == 2:
                request.second_token_s = self.now
            if task.is_prompt:
                self.prompt_finishes(request)
            elif request.produced == request.output_tokens:
                self.token_phase_finishes(request)
            else:
                go_on.append(task)
        # A batch of token phases only is kept, with nothing selected, granted or
        # counted, until one of them finishes or something cut the stretch.
        if not had_prompts and go_on == instance.batch and not instance.cut:
            self.start_iteration(instance)
        else:
            instance.batch = go_on
            self.boundary(instance)

    def prompt_finishes(self, request: Request) -> None:
        """The request ends, or its token phase may run here, or its KV has to move."""
        source, destination = request.prompt_end, request.token_end
        source.take_off_pending(request.prompt_tokens)
        source.unfinished_prompts -= 1
        if request.orphan:
            source.release(self.kv(request.prompt_tokens + 1))
            source.unbook(self.kv(request.prompt_tokens + 1))
            self.starts_over(request)
            self.add_event(self.now, ASSIGNMENT, 0)
        elif request.stays:
            request.kv_transfer_s = 0.0
            if not request.has_token_phase:
                self.request_ends(request)
            for task in source.pending:
                if task.request is request:
                    task.ready = True
        elif not destination.waiting and destination.fits(self.kv(request.all_tokens)):
            self.start_transfer(request, self.transfer_s(request))
        else:
            destination.waiting.append(request)

    def token_phase_finishes(self, request: Request) -> None:
        request.token_end.take_off_pending(1)
        request.token_end.unfinished_token_phases -= 1
        self.request_ends(request)

    def request_ends(self, request: Request) -> None:
        request.last_token_s = self.now
        self.unfinished -= 1
        request.token_end.release(self.kv(request.all_tokens))
        request.token_end.unbook(self.kv(request.all_tokens))

    # ---- KV transfers ----------------------------------------------------------------

    def serialized_s(self, request: Request) -> float:
        """Seconds to send the KV cache of the prompt, or a checkpoint, in one piece."""
        if request.resumed:
            own = request.token_end.times.bandwidth_bytes_per_s
            return self.kv(request.prompt_tokens + request.produced) / own
        ends = (request.prompt_end.times, request.token_end.times)
        bandwidth = min(end.bandwidth_bytes_per_s for end in ends)
        return self.kv(request.prompt_tokens) / bandwidth

    def layerwise_s(self, request: Request) -> float:
        """What is left after the prompt if each layer is sent as the next compute."""
        ends = (request.prompt_end.times, request.token_end.times)
        visible = max(end.layerwise_visible_s for end in ends)
        layers = self.rules.layers
        prompt_s = request.prompt_end.times.prompt_s(request.prompt_tokens)
        hidden = prompt_s * (layers - 1) / layers
        return max(visible, self.serialized_s(request) - hidden)

    def transfer_s(self, request: Request) -> float:
        """Seconds from the end of the prompt, of a transfer that need not wait."""
        if self.rules.transfer == "serialized":
            return self.serialized_s(request)
        if self.rules.transfer == "layerwise":
            return self.layerwise_s(request)
        return min(self.serialized_s(request), self.layerwise_s(request))

    def grant_waiting_transfers(self, destination: Instance) -> None:
        """First come first served, to the first that does not fit. Sent serialized."""
        while destination.waiting:
            request = destination.waiting[0]
            if not destination.fits(self.kv(request.all_tokens)):
                return
            destination.waiting.pop(0)
            self.start_transfer(request, self.serialized_s(request))

    def start_transfer(self, request: Request, duration: float) -> None:
        """The token end reserves the whole request now, so its token phase can run."""
        request.token_end.reserve(self.kv(request.all_tokens))
        request.landing_s = self.now + duration
        self.add_event(request.landing_s, TRANSFER_END, request.number)

    def transfer_ends(self, request: Request) -> None:
        """Free the source, queue the token phase, look at the source again."""
        request.landing_s = math.inf
        request.kv_transfer_s = self.now - request.first_token_s
        destination = request.token_end
        task = Task(request, is_prompt=False, ready=True, blocked=request.produced > 1)
        if request.resumed:
            destination.pending.append(task)
            self.something_arrived(destination)
            return
        source = request.prompt_end
        source.release(self.kv(request.prompt_tokens + 1))
        source.unbook(self.kv(request.prompt_tokens + 1))

        destination.pending.append(task)
        self.something_arrived(destination)

        self.may_have_memory_again(source)

    def may_have_memory_again(self, instance: Instance) -> None:
        """It may let a prompt of the instance start, or a transfer to it."""
        if instance.pending:
            self.something_arrived(instance)
        elif instance.idle and instance.waiting:
            self.boundary(instance)

    # ---- Outages: rules 1 to 9 of `sim/kernel/outages.py` ----------------------------

    @property
    def some_instance_is_in_a_pool(self) -> bool:
        return bool(self.prompt_pool or self.mixed_pool or self.token_pool)

    def pool_of(self, instance: Instance) -> list[Instance] | None:
        """The pool that an instance is in; None if it is down or drains."""
        for pool in (self.prompt_pool, self.mixed_pool, self.token_pool):
            if instance in pool:
                return pool
        return None

    def change_happens(self, number: int) -> None:
        """One change of an instance; after the last of its time, what follows from them."""
        time, instance_number, kind = self.changes[number]
        instance = self.instances[instance_number]
        pool = self.pool_of(instance)
        if kind == "up":
            if pool is None:
                home = self.prompt_pool if instance.home == "prompt" else self.token_pool
                home.append(instance)
        else:
            if pool is not None:
                pool.remove(instance)
            if kind == "down":
                self.goes_down(instance)
        if any(later == time for later, _, _ in self.changes[number + 1 :]):
            return
        for each in self.instances:
            self.return_home_if_free(each)
            self.may_have_memory_again(each)
        self.add_event(self.now, ASSIGNMENT, 0)

    def assign_those_without_instance(self) -> None:
        while self.without_instance and self.some_instance_is_in_a_pool:
            request = self.without_instance.pop(0)
            if request.produced:
                self.resume(request)
            else:
                self.assign(request)

    def goes_down(self, instance: Instance) -> None:
        """The running iteration is lost, and so is all that the instance holds."""
        if instance.batch:
            left_s = instance.iteration_end_s - self.now
            if any(task.is_prompt for task in instance.batch):
                instance.prompt_busy_s -= left_s
            else:
                instance.token_busy_s -= left_s
            instance.iterations -= 1
            instance.iteration_end_s = math.inf
        for request in self.arrived:
            if not request.assigned or not math.isinf(request.last_token_s):
                continue
            kv_has_left = request.has_token_phase and not math.isinf(request.kv_transfer_s)
            has_prompt_end = not request.resumed and request.prompt_end is instance
            needs_prompt_end = has_prompt_end and not kv_has_left
            needs_token_end = request.token_end is instance and not request.orphan
            if needs_prompt_end or needs_token_end:
                self.is_displaced(request, instance)
        instance.batch, instance.pending, instance.waiting = [], [], []
        instance.memory = instance.booked_memory = instance.times.weights_bytes
        instance.pending_tokens = 0
        instance.unfinished_prompts = instance.unfinished_token_phases = 0

    def is_displaced(self, request: Request, gone: Instance) -> None:
        """What it holds on its other instance is given back, unless its prompt runs there."""
        token_end = request.token_end
        prompt_end = token_end if request.resumed else request.prompt_end
        under_way = not math.isinf(request.landing_s)
        request.landing_s = math.inf
        if request.resumed:
            pass  # it is nowhere else
        elif prompt_end is not gone:
            started = not math.isinf(request.prompt_start_s)
            if started and request.produced == 0:
                request.orphan = True
                return
            of_prompt = self.kv(request.prompt_tokens + 1)
            if not started:
                prompt_end.pending = [t for t in prompt_end.pending if t.request is not request]
                prompt_end.take_off_pending(request.prompt_tokens)
                prompt_end.unfinished_prompts -= 1
                prompt_end.unbook(of_prompt)
            elif math.isinf(request.kv_transfer_s):
                prompt_end.release(of_prompt)
                prompt_end.unbook(of_prompt)
        elif token_end is not gone and not request.orphan:
            if under_way:
                token_end.release(self.kv(request.all_tokens))
            elif request in token_end.waiting:
                token_end.waiting.remove(request)
            token_end.take_off_pending(1)
            token_end.unfinished_token_phases -= 1
            token_end.unbook(self.kv(request.all_tokens))
        self.starts_over(request)

    def starts_over(self, request: Request) -> None:
        """Nothing is kept of what was done so far, but for what a checkpoint holds."""
        request.assigned = request.orphan = False
        self.without_instance.append(request)
        if math.isinf(request.prompt_start_s):
            return
        self.restarts += 1
        kept = 0
        every = self.rules.checkpoint_tokens
        if every and request.produced:
            kept = 1
            while kept + every <= request.produced:
                kept += every
        self.lost_output_tokens += request.produced - kept
        request.produced = kept
        request.resumed = kept > 0
        request.kv_transfer_s = math.inf
        if kept < 2:
            request.second_token_s = math.inf
        if kept < 1:
            self.lost_prompt_tokens += request.prompt_tokens
            request.prompt_start_s = request.first_token_s = math.inf

    def resume(self, request: Request) -> None:
        """A token end alone; the KV cache is loaded there from the last checkpoint."""
        if self.baseline:
            token_end = min(self.prompt_pool, key=lambda i: i.pending_tokens)
        else:
            found = self.best_token_end(self.token_pool, request)
            if found is None:
                found = self.best_token_end(self.mixed_pool, request)
            if found is None and self.prompt_pool:
                found = min(self.prompt_pool, key=self.token_end_load)
                self.move_to_mixed(found, self.prompt_pool)
            if found is None:
                everything = self.mixed_pool + self.token_pool
                found = min(everything, key=lambda i: i.pending_tokens)
            token_end = found
        request.assigned = True
        request.token_end = token_end
        if token_end in self.mixed_pool:
            self.mixed_requests += 1
        token_end.pending_tokens += 1
        token_end.unfinished_token_phases += 1
        token_end.booked_memory += self.kv(request.all_tokens)
        if token_end.waiting or not token_end.fits(self.kv(request.all_tokens)):
            token_end.waiting.append(request)
        else:
            self.start_transfer(request, self.serialized_s(request))


def simulate(
    requests: list[tuple[float, int, int]],
    prompt: list[MachineTimes],
    token: list[MachineTimes],
    baseline: bool,
    rules: Rules,
    changes: list[Change] | None = None,
) -> Result:
    """Run (arrival, prompt tokens, output tokens) until nothing can happen any more.

    Instances are numbered from 0, those of `prompt` first; a baseline has no others. A
    request that can never fit must not be given. `changes` are given by time.
    """
    cluster = Cluster(requests, prompt, token, baseline, rules, changes or [])
    cluster.run()
    done = cluster.requests
    deadlock = any(math.isinf(r.last_token_s) for r in done)
    for instance in cluster.instances:
        assert instance.idle or changes
        if not deadlock:  # every byte and every token is accounted for
            assert not instance.pending
            assert not instance.waiting
            assert instance.memory == instance.times.weights_bytes
            assert instance.booked_memory == instance.times.weights_bytes
            assert instance.pending_tokens == 0
            assert instance.unfinished_prompts == instance.unfinished_token_phases == 0
    return Result(
        first_token_s=[r.first_token_s for r in done],
        second_token_s=[r.second_token_s for r in done],
        last_token_s=[r.last_token_s for r in done],
        prompt_start_s=[r.prompt_start_s for r in done],
        kv_transfer_s=[r.kv_transfer_s for r in done],
        prompt_instance=[r.prompt_end.number if r.assigned and not r.resumed else -1 for r in done],
        token_instance=[
            r.token_end.number if r.assigned and r.has_token_phase else -1 for r in done
        ],
        iterations=[i.iterations for i in cluster.instances],
        prompt_busy_s=[i.prompt_busy_s for i in cluster.instances],
        token_busy_s=[i.token_busy_s for i in cluster.instances],
        peak_memory_bytes=[i.peak_memory for i in cluster.instances],
        deadlock=deadlock,
        pool_moves=cluster.pool_moves,
        mixed_requests=cluster.mixed_requests,
        restarts=cluster.restarts,
        lost_prompt_tokens=cluster.lost_prompt_tokens,
        lost_output_tokens=cluster.lost_output_tokens,
    )
