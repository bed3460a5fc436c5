"""How the kernel is compiled.

`entry` functions are called from Python and cached on disk. `inner` ones are called from compiled
code only: they need no Python wrapper, and are merged into their callers.

Nothing allocates, so reference counting is off (`_nrt`). Counting, and handing on, the arrays of
`State` at each call would cost nine tenths of the run time.
"""

from __future__ import annotations

from typing import Any

from numba import njit

_COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_MERGED: dict[str, Any] = {
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

entry = njit(cache=True, **_COMMON)
inner = njit(**_COMMON, **_MERGED)
