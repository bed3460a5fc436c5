"""One mutant on trial: a forked process that imports it in place of the module and runs tests."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import CodeType

PACKAGE = "splitwise_plan"
MEMORY_BYTES = 6 * 1024**3
WAITING = 20


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from a text instead of its file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, path: Path, text: str) -> None:
        self._name, self._path, self._text = name, path, text

    def find_spec(
        self, fullname: str, path: object, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        loader = _Loader(fullname, str(self._path), self._text)
        return importlib.machinery.ModuleSpec(fullname, loader, origin=str(self._path))


def preload(*, kernel: bool) -> None:
    """Import what takes long and is never mutated, so that every trial starts with it."""
    import hypothesis  # noqa: F401
    import numba  # noqa: F401
    import numpy as np  # noqa: F401
    import pydantic  # noqa: F401
    import pytest  # noqa: F401
    import scipy.stats  # noqa: F401

    if kernel:
        import splitwise_plan.sim.kernel.loop  # noqa: F401


def outcome(module: Path, text: str, tests: Sequence[str], limit_s: int) -> str:
    """`killed` if a test fails, `hangs` if they do not end in time, else `alive`.

    The limit is on the processor's time, so that a machine busy with other things makes no hang.
    What waits for ever uses none of it: that hangs when many times the limit has gone by.
    """
    child = os.fork()
    if child == 0:
        _run(module, text, tests, limit_s)
    end = time.monotonic() + WAITING * limit_s
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            return "hangs"
        if done:
            return "alive" if status == 0 else "killed"
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


def _run(module: Path, text: str, tests: Sequence[str], limit_s: int) -> None:
    """In the child: never returns."""
    import pytest

    # Of data, not of addresses: what draws the figures reserves many of those and uses few.
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 1))
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    name = ".".join(("splitwise_plan", *module.with_suffix("").parts))
    path = Path("src", PACKAGE, module).resolve()
    sys.meta_path.insert(0, _Finder(name, path, text))
    options = (
        "-x",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        "-q",
        "-p",
        "no:cacheprovider",
        "--hypothesis-seed=0",
        "-m",
        "not verify",
    )
    os._exit(int(pytest.main([*options, *tests])))
