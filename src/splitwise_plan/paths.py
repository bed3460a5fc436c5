"""Where paths lead."""

from __future__ import annotations

import os
from pathlib import Path


def real(path: Path) -> Path:
    """Where a path leads, absolute; a link that leads to itself is its own end."""
    return Path(os.path.realpath(path))
