"""Digests of what runs leave behind, printed as a script: with and without compilation the same."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from typing import Any

import numpy as np
from cases import with_outages
from scenes import BOTH, scene, state_of
from worlds import Played, World, random_worlds

from splitwise_plan.sim.kernel import state as k

SEEDS = range(600, 610)


def digest(run: Played) -> str:
    """Of all records, all counters, and how the run ended, bit by bit."""
    parts = (run.requests, run.instances, run.state.counters, np.array([run.stop, run.end_s]))
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def digests() -> dict[str, str]:
    """By name of the world: random cases and one cluster of real machines, under both rule sets."""
    worlds = random_worlds(SEEDS) + [
        World(f"{world} with outages", world.prepare)
        for world in random_worlds(SEEDS, with_outages)
    ]
    for assumptions in BOTH:
        facts = {"rate": 10, "duration": 15, "horizon": "window", "assumptions": assumptions}
        worlds.append(World(assumptions, partial(_small, facts)))
    return {str(world): digest(world.play()) for world in worlds}


def _small(facts: dict[str, Any]) -> k.State:
    return state_of(scene("splitwise-ha", 4, 2, **facts))


if __name__ == "__main__":
    print(json.dumps(digests()))
