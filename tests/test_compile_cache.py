"""Where compiled code is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHOW = "from splitwise_plan.sim.kernel.loop import run; print(run._cache.cache_path)"


def cache_of(code: str, **env: str) -> Path:
    """The cache folder of the kernel in a process of its own."""
    clean = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=clean | env, capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
@pytest.mark.parametrize("before", ["", "import numba; "], ids=["", "numba imported first"])
def test_compiled_code_is_in_the_users_cache(tmp_path: Path, before: str) -> None:
    folder = cache_of(before + SHOW, XDG_CACHE_HOME=str(tmp_path))
    assert tmp_path in folder.parents


def test_a_home_that_cannot_be_written_to_is_no_obstacle(tmp_path: Path) -> None:
    home = "/dev/null/nowhere"
    folder = cache_of(SHOW, HOME=home, XDG_CACHE_HOME=home, TMPDIR=str(tmp_path))
    assert tmp_path in folder.parents
