"""Files that one run at a time may write."""

from __future__ import annotations

import sys
from typing import IO, Any


def locked(file: IO[Any] | int, *, wait: bool) -> bool:
    """Lock an open file until it is closed; False where another holds it and we do not `wait`.

    The system lets go of it when a process is killed. Where it has no such locks, True.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
