"""What holds for every test, and what several modules share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings
from plans import World, make_world

settings.register_profile("no clock", deadline=None, derandomize=True)
settings.load_profile("no clock")

os.environ.pop("PYTHONUNBUFFERED", None)  # what a process keeps until its end is tried as well


@pytest.fixture(scope="session")
def planned(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A small world and the plan made in it: to be copied, not edited."""
    world = make_world(tmp_path_factory.mktemp("planned"))
    world.save_plan()
    return world
