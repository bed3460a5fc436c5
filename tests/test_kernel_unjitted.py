"""The kernel is plain Python too: not compiled, it leaves the same bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import digests
import pytest


def plain_python() -> dict[str, str]:
    """The digests computed without compilation, in another process."""
    script = Path(digests.__file__)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled here")
def test_same_bytes_without_compilation() -> None:
    assert plain_python() == digests.digests()
