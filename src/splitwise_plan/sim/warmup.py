"""The kernel's compile cache: where it is, whether it is cold, and filling it."""

from __future__ import annotations

import getpass
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

KERNEL = Path(__file__).parent / "kernel"


def set_cache_folder() -> Path:
    """Point numba at a folder named after the kernel's sources, before numba is imported.

    numba notices a change of the file a compiled function is in, but not of the files whose
    functions it calls; a name made of all sources never finds stale code. Respects NUMBA_CACHE_DIR.
    """
    sources = b"".join(path.read_bytes() for path in sorted(KERNEL.glob("*.py")))
    name = hashlib.sha256(sources).hexdigest()[:16]
    folder = os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder(name)))
    if "numba" in sys.modules:  # somebody imported it before us: it has read its environment
        sys.modules["numba"].config.CACHE_DIR = folder
    return Path(folder)


def cache_folder(name: str) -> Path:
    """A folder of that name in the user's cache, or where there is none among temporary files."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    places = [Path(home), Path(tempfile.gettempdir()) / f"cache-{getpass.getuser()}"]
    for place in places:
        folder = place / "splitwise-plan" / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return places[0]


def is_cold(*, outages: bool = False) -> bool:
    """Whether the first run has to compile (about 15 s): no index of compiled code is there."""
    folder, name = cached_in(), "run_with_outages" if outages else "run"
    return folder is not None and not any(folder.glob(f"loop.{name}-*.nbi"))


def cached_in() -> Path | None:
    """The folder of the compiled kernel; None where it is not compiled."""
    from splitwise_plan.sim.kernel.loop import run

    folder = getattr(getattr(run, "_cache", None), "cache_path", None)
    return None if folder is None else Path(folder)


def compile_kernel(*, outages: bool = False) -> float:
    """Compile the kernel, or load it from the cache, on one request. Returns its seconds.

    `outages`: that with outages, which is compiled apart. A cache that cannot be read (a full disk,
    a process that was killed) is made anew.
    """
    start = time.perf_counter()
    try:
        _run_once(outages=outages)
    except Exception:
        if not _drop_cache():
            raise
        _run_once(outages=outages)
    return time.perf_counter() - start


def _drop_cache() -> bool:
    """Delete the compiled kernel from the disk; False if none was there."""
    folder = cached_in()
    files = [*folder.glob("loop.run*.nb[ic]")] if folder is not None else []
    for path in files:
        path.unlink(missing_ok=True)
    return bool(files)


def _run_once(*, outages: bool) -> None:
    import numpy as np

    from splitwise_plan.facts.machine import Link
    from splitwise_plan.facts.profile import Curve
    from splitwise_plan.facts.requests import Requests
    from splitwise_plan.sim.kernel.loop import run, run_with_outages
    from splitwise_plan.sim.lower import (
        InstanceModel,
        arrival_records,
        build_state,
        lower_models,
        new_rules,
        target_records,
    )

    one = Curve(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    model = InstanceModel(one, one, 0.0, one, one, 10.0, Link("none", 1.0, 0.0))
    rules = new_rules(kv_bytes=1, layers=1, baseline=1, max_batch_size=1, max_batch_tokens=1)
    requests = Requests(np.zeros(1), np.ones(1, np.int64), np.ones(1, np.int64))
    records = arrival_records(requests, np.ones(1, bool), np.ones((3, 1)))
    kernel = run_with_outages if outages else run
    kernel(build_state(lower_models([model], rules), 1, 0, records, target_records(())))
